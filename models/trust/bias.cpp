#include "models/trust/bias.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/text/numbers.h"
#include "models/text/utf8.h"
#include "models/trust/patches.h"
#include "models/trust/translators.h"
#include "models/trust/verdict.h"

namespace glass {
namespace {

// How often places were first among the causes of a wrong word.
struct Causes {
  int64_t count = 0;
  std::map<std::string, int64_t> by_erasure, by_gradient, by_input_gradient;
};

constexpr const char* kNoPlaceAlone = "(none alone)";

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

template <class Row>
void sort_by_excess(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.excess() > b.excess(); });
}

class Tally {
 public:
  // references: all words that would be right.
  void add(const TrustReport& found, const std::set<std::string>& references, bool right) {
    report_.columns = found.columns;
    ++report_.texts;
    if (!right) ++report_.wrong;
    several_ = several_ || found.tokens.size() > 1;
    for (const std::string& place : found.source) ++rows_[number_normalized(place)].count;
    for (const TokenTrust& token : found.tokens) {
      add_places(found, token);
      add_word(found, token);
      if (!right && references.count(token.token) == 0) add_cause(found, token);
    }
  }

  void add_empty(bool right) {
    ++report_.texts;
    ++report_.empty;
    if (!right) ++report_.wrong;
  }

  BiasReport report() {
    add_rows();
    if (several_) add_answer_words();
    for (auto& [answer, causes] : causes_) {
      const auto first =
          std::max_element(causes.by_erasure.begin(), causes.by_erasure.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      report_.wrongs.push_back({answer, first->first, causes.count, first->second,
                                causes.by_gradient[first->first],
                                causes.by_input_gradient[first->first]});
    }
    std::stable_sort(
        report_.wrongs.begin(), report_.wrongs.end(),
        [](const WrongAnswers& a, const WrongAnswers& b) { return a.count > b.count; });
    return std::move(report_);
  }

 private:
  void add_places(const TrustReport& found, const TokenTrust& token) {
    for (size_t s = 0; s < found.source.size(); ++s) {
      BiasRow& row = rows_[number_normalized(found.source[s])];
      row.attention += token.weights[s] / static_cast<double>(found.tokens.size());
      row.gradient += token.gradient[s];
      row.effect += std::abs(token.erasure[s]);
    }
  }

  void add_word(const TrustReport& found, const TokenTrust& token) {
    AnswerWord& word = words_[token.token];
    ++word.count;
    for (const double effect : token.erasure) word.effect += std::abs(effect);
    word.weight += token.weights[largest(token.weights)];
    if (verdict(token, found.columns) == TrustVerdict::agree) ++word.agree;
  }

  // By erasure a place is a cause only if the word is at least a tenth less likely without it.
  void add_cause(const TrustReport& found, const TokenTrust& token) {
    const auto place = [&](const std::vector<double>& values) {
      return number_normalized(found.source[largest(values)]);
    };
    Causes& causes = causes_[token.token];
    ++causes.count;
    const bool alone = token.erasure[largest(token.erasure)] >= -std::log(0.9);
    ++causes.by_erasure[alone ? place(token.erasure) : kNoPlaceAlone];
    ++causes.by_gradient[place(token.gradient)];
    ++causes.by_input_gradient[place(sizes(token.input_gradient))];
  }

  void add_rows() {
    BiasRow total;
    for (const auto& [word, row] : rows_) {
      total.count += row.count;
      total.attention += row.attention;
      total.gradient += row.gradient;
      total.effect += row.effect;
    }
    for (auto& [word, row] : rows_) {
      row.word = word;
      row.occurrence = share(static_cast<double>(row.count), static_cast<double>(total.count));
      row.attention = share(row.attention, total.attention);
      row.gradient = share(row.gradient, total.gradient);
      row.effect = share(row.effect, total.effect);
      report_.rows.push_back(row);
    }
    sort_by_excess(report_.rows);
  }

  void add_answer_words() {
    AnswerWord total;
    for (const auto& [name, word] : words_) {
      total.count += word.count;
      total.effect += word.effect;
    }
    for (auto& [name, word] : words_) {
      word.word = name;
      word.occurrence = share(static_cast<double>(word.count), static_cast<double>(total.count));
      word.effect = share(word.effect, total.effect);
      word.weight /= static_cast<double>(word.count);
      report_.answer_words.push_back(word);
    }
    sort_by_excess(report_.answer_words);
  }

  BiasReport report_;
  bool several_ = false;  // words in some answer
  std::map<std::string, BiasRow> rows_;
  std::map<std::string, AnswerWord> words_;
  std::map<std::string, Causes> causes_;
};

}  // namespace

BiasReport bias_report(Translator& model, const TextCodec& codec,
                       const std::vector<References>& data, const BiasOptions& options,
                       const Poll& poll) {
  if (!model.attends()) fail("bias", "the model has no attention to look at");
  const size_t n = data.size();
  const size_t chosen = options.texts > 0 ? std::min(n, static_cast<size_t>(options.texts)) : n;
  Tally tally;
  for (size_t i = 0; i < chosen; ++i) {
    poll();
    const References& text = data[i * n / chosen];
    if (trim(text.source).empty()) continue;
    const AttentionRecording r = record_attention(model, codec, text.source, "", 1);
    const bool right =
        std::find(text.targets.begin(), text.targets.end(), r.target_text) != text.targets.end();
    if (r.target.empty()) {
      tally.add_empty(right);
      continue;
    }
    std::set<std::string> references;
    for (const std::string& target : text.targets)
      for (const std::string& token : codec.target_tokens(target)) references.insert(token);
    tally.add(examine(trust_question(model, codec, r, r.layer(options.layer), -1), {.shuffles = 0}),
              references, right);
  }
  BiasReport report = tally.report();
  if (report.texts == report.empty) fail("bias", "no text has an answer to explain", n, " texts");
  return report;
}

}  // namespace glass
