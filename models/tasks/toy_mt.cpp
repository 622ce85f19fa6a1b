// The task toy-mt: a toy English and a toy language with words and an order of its own.
//
//   sentence = phrase, then any number of (verb or preposition) phrase
//   phrase   = determiner, up to two adjectives, noun
//
// Each word has one translation, of some verbs two words. In the other language adjectives follow
// their noun, and verbs and prepositions follow the phrase behind them:
//   the small dog sees a tree -> ha kano piko un boro vidra
#include <iterator>
#include <span>

#include "models/tasks/examples.h"
#include "models/text/draws.h"
#include "tensor/error.h"

namespace glass {
namespace {

struct Word {
  const char *english, *other;
};
constexpr Word kDeterminers[] = {{"the", "ha"},     {"a", "un"},   {"this", "tis"},
                                 {"every", "omni"}, {"my", "meo"}, {"your", "tuo"}};
constexpr Word kAdjectives[] = {{"small", "piko"}, {"big", "grand"},   {"old", "veto"},
                                {"new", "novo"},   {"red", "rubo"},    {"white", "albo"},
                                {"quick", "rapo"}, {"quiet", "silto"}, {"green", "virdo"}};
constexpr Word kNouns[] = {{"dog", "kano"},    {"cat", "mio"},    {"house", "domu"},
                           {"tree", "boro"},   {"child", "nino"}, {"book", "libro"},
                           {"river", "flumo"}, {"king", "rego"},  {"friend", "amiko"},
                           {"road", "vio"},    {"ship", "navo"},  {"garden", "gardo"}};
constexpr Word kHeads[] = {{"sees", "vidra"},     {"finds", "trovra"},   {"likes", "amra"},
                           {"hears", "audra"},    {"paints", "pintra"},  {"knows", "savra"},
                           {"follows", "ra sek"}, {"builds", "ra fako"}, {"near", "apud"},
                           {"under", "suba"},     {"with", "kuna"},      {"behind", "posta"}};

constexpr int64_t kShortest = 2;  // a determiner and a noun

struct Phrase {
  const Word* head;  // what stands before it; none before the first phrase
  const Word* determiner;
  std::vector<const Word*> adjectives;
  const Word* noun;
  int64_t size() const { return (head ? 3 : 2) + static_cast<int64_t>(adjectives.size()); }
};

const Word* draw_word(std::mt19937_64& random, std::span<const Word> words) {
  return &words[draw_below(random, words.size())];
}

Phrase draw_phrase(std::mt19937_64& random, bool first) {
  Phrase phrase{
      first ? nullptr : draw_word(random, kHeads), draw_word(random, kDeterminers), {}, {}};
  for (uint64_t left = draw_below(random, 3); left > 0; --left)
    phrase.adjectives.push_back(draw_word(random, kAdjectives));
  phrase.noun = draw_word(random, kNouns);
  return phrase;
}

// Phrases of so many words in all.
std::vector<Phrase> draw_phrases(std::mt19937_64& random, int64_t words) {
  for (;;) {
    std::vector<Phrase> phrases;
    int64_t left = words;
    while (left > 0) {
      phrases.push_back(draw_phrase(random, phrases.empty()));
      left -= phrases.back().size();
    }
    if (left == 0) return phrases;
  }
}

void append_word(std::string& sentence, const std::string& word) {
  if (!sentence.empty()) sentence += ' ';
  sentence += word;
}

// Writes both sides; a word is written here at one place of the source, there at those of its
// translation.
class Writer {
 public:
  void phrase(const Phrase& phrase) {
    const int64_t head = phrase.head ? say(*phrase.head) : 0;
    const int64_t determiner = say(*phrase.determiner);
    std::vector<int64_t> adjectives;
    for (const Word* adjective : phrase.adjectives) adjectives.push_back(say(*adjective));
    const int64_t noun = say(*phrase.noun);
    translate(*phrase.determiner, determiner);
    translate(*phrase.noun, noun);
    for (size_t i = 0; i < adjectives.size(); ++i) translate(*phrase.adjectives[i], adjectives[i]);
    if (phrase.head) translate(*phrase.head, head);
  }
  Example example() && { return std::move(example_); }

 private:
  int64_t say(const Word& word) {
    append_word(example_.source, word.english);
    return source_++;
  }
  void translate(const Word& word, int64_t source) {
    for (const std::string& other : tokenise(word.other, Tokens::split)) {
      append_word(example_.target, other);
      const Link link{source, target_++};
      example_.links.sure.insert(link);
      example_.links.possible.insert(link);
    }
  }

  Example example_;
  int64_t source_ = 0, target_ = 0;
};

}  // namespace

Corpus toy_mt_corpus(const TaskOptions& o, uint64_t seed) {
  if (o.min_length < kShortest)
    fail("task", text("min_length of toy-mt must be at least ", kShortest, ", a phrase"),
         o.min_length);
  return draw_corpus(o, seed, [&](std::mt19937_64& random) {
    Writer writer;
    for (const Phrase& phrase : draw_phrases(random, draw_length(random, o))) writer.phrase(phrase);
    return std::move(writer).example();
  });
}

}  // namespace glass
