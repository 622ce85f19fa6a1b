// The tasks copy, reverse, stretch and sort: every target letter is a source letter, and which one
// is known.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "models/ranges.h"
#include "models/tasks/examples.h"
#include "models/text/draws.h"

namespace glass {
namespace {

// Invariant: in the order that sort puts them in; kAlphabetRange.high of them.
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
static_assert(kLetters.size() == kAlphabetRange.high);

using Letters = std::vector<size_t>;  // places in kLetters
using Places = std::vector<size_t>;   // for each target letter the place of its source letter

Letters draw_letters(std::mt19937_64& random, const TaskOptions& o) {
  Letters letters(static_cast<size_t>(draw_length(random, o)));
  for (size_t& letter : letters) letter = draw_below(random, static_cast<uint64_t>(o.alphabet));
  return letters;
}

// places: of a source. Where equal letters may change places, a link to any of them is possible.
template <class Rule>
Corpus letter_corpus(const TaskOptions& o, uint64_t seed, Rule places, bool any_equal = false) {
  return draw_corpus(o, seed, [&](std::mt19937_64& random) {
    const Letters letters = draw_letters(random, o);
    Example example;
    for (size_t letter : letters) example.source += kLetters[letter];
    int64_t t = 0;
    for (size_t from : places(letters)) {
      const size_t letter = letters[from];
      example.target += kLetters[letter];
      const bool unique = !any_equal || std::count(letters.begin(), letters.end(), letter) == 1;
      if (unique) example.links.sure.insert({static_cast<int64_t>(from), t});
      for (size_t j = 0; j < letters.size(); ++j)
        if (unique ? j == from : letters[j] == letter)
          example.links.possible.insert({static_cast<int64_t>(j), t});
      ++t;
    }
    return example;
  });
}

Places in_order(const Letters& letters) {
  Places places(letters.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

}  // namespace

Corpus copy_corpus(const TaskOptions& o, uint64_t seed) { return letter_corpus(o, seed, in_order); }

Corpus reverse_corpus(const TaskOptions& o, uint64_t seed) {
  return letter_corpus(o, seed, [](const Letters& letters) {
    Places places = in_order(letters);
    std::reverse(places.begin(), places.end());
    return places;
  });
}

Corpus stretch_corpus(const TaskOptions& o, uint64_t seed) {
  return letter_corpus(o, seed, [&](const Letters& letters) {
    Places places;
    for (size_t place : in_order(letters))
      places.insert(places.end(), static_cast<size_t>(o.repeat), place);
    return places;
  });
}

Corpus sort_corpus(const TaskOptions& o, uint64_t seed) {
  const auto sorted = [](const Letters& letters) {
    Places places = in_order(letters);
    std::stable_sort(places.begin(), places.end(),
                     [&](size_t a, size_t b) { return letters[a] < letters[b]; });
    return places;
  };
  return letter_corpus(o, seed, sorted, true);
}

}  // namespace glass
