#include "models/trust/bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "models/json.h"
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

  void add_cause(const TrustReport& found, const TokenTrust& token) {
    const auto place = [&](const std::vector<double>& values) {
      return number_normalized(found.source[largest(values)]);
    };
    Causes& causes = causes_[token.token];
    ++causes.count;
    ++causes.by_erasure[place(sizes(token.erasure))];
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

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

template <class Row>
std::span<const Row> first(const std::vector<Row>& rows, size_t count) {
  return std::span(rows).first(std::min(rows.size(), count));
}

std::string part(int64_t count, int64_t whole) {
  return fmt::format("{} of {} ({:.1f} %)", count, whole,
                     100 * static_cast<double>(count) / static_cast<double>(whole));
}

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
    if (r.target.empty()) continue;
    const bool right =
        std::find(text.targets.begin(), text.targets.end(), r.target_text) != text.targets.end();
    std::set<std::string> references;
    for (const std::string& target : text.targets)
      for (const std::string& token : codec.target_tokens(target)) references.insert(token);
    tally.add(examine(trust_question(model, codec, r, r.layer(options.layer), -1), {.shuffles = 0}),
              references, right);
  }
  BiasReport report = tally.report();
  if (report.texts == 0) fail("bias", "no text has an answer to explain", n, " texts");
  return report;
}

std::vector<ReportTable> bias_tables(const BiasReport& report, const std::string& name,
                                     size_t rows) {
  const std::string of = name.empty() ? "" : ": " + name;
  const bool cells = report.columns > 0;
  ReportTable places{
      (cells ? "Regions out of proportion" : "Words out of proportion") + of,
      fmt::format("Over {} {}, of which {} were answered wrong: the share of all places that a {} "
                  "{}, and its shares of attention, of gradient and of effect (what log p loses or "
                  "gains {}). Sorted by effect beyond occurrence.{}",
                  report.texts, cells ? "pictures" : "texts", report.wrong, cells ? "cell" : "word",
                  cells ? "is" : "stands at",
                  cells ? "where it is covered with the picture's mean colour" : "without it",
                  cells ? "" : fmt::format(" {} stands for all numbers.", kNumberToken)),
      {cells ? "cell" : "word", "times", "occurrence", "attention", "gradient", "effect",
       "effect / occurrence"},
      {}};
  for (const BiasRow& row : first(report.rows, rows))
    places.rows.push_back({row.word, std::to_string(row.count), percent(row.occurrence),
                           percent(row.attention), percent(row.gradient), percent(row.effect),
                           fmt::format("{:.1f}", row.effect / row.occurrence)});
  ReportTable words{
      "Words of the answers out of proportion" + of,
      "A word's share of all words of the answers and of all effects of the sources on them, its "
      "largest weight on average, and how often weights and effect agree. Words with little effect "
      "are known without looking.",
      {"word", "times", "occurrence", "effect", "effect / occurrence", "largest weight", "agree"},
      {}};
  for (const AnswerWord& word : first(report.answer_words, rows))
    words.rows.push_back({word.word, std::to_string(word.count), percent(word.occurrence),
                          percent(word.effect),
                          fmt::format("{:.1f}", word.effect / word.occurrence),
                          fmt::format("{:.2f}", word.weight), part(word.agree, word.count)});
  ReportTable wrong{
      "Wrong words and their first cause" + of,
      "Words of wrong answers that no reference has, the place that is most often ranked first by "
      "erasure where such a word was written, and in how many it is first by erasure, by gradient, "
      "and by input × gradient.",
      {"wrong word", cells ? "cell" : "because of", "first by erasure", "first by gradient",
       "by input × gradient"},
      {}};
  for (const WrongAnswers& each : first(report.wrongs, rows))
    wrong.rows.push_back({each.answer, each.word, part(each.by_erasure, each.count),
                          part(each.by_gradient, each.count),
                          part(each.by_input_gradient, each.count)});
  std::vector<ReportTable> tables;
  for (ReportTable* table : {&places, &words, &wrong})
    if (!table->rows.empty()) tables.push_back(std::move(*table));
  return tables;
}

std::vector<AttentionMap> bias_maps(const BiasReport& report, const std::string& name) {
  if (report.columns == 0) return {};
  const int64_t columns = report.columns, cells = std::ssize(report.rows);
  std::map<std::string, const BiasRow*> of;
  for (const BiasRow& row : report.rows) of[row.word] = &row;
  std::vector<AttentionMap> maps;
  const auto add = [&](const std::string& what, double BiasRow::*share) {
    AttentionMap map;
    map.title = what + " by cell" + (name.empty() ? "" : ", " + name);
    for (int64_t i = 0; i < columns; ++i) map.source.push_back(std::to_string(i + 1));
    for (int64_t i = 0; i < cells; ++i) {
      if (i % columns == 0) {
        map.target.push_back(std::to_string(i / columns + 1));
        map.weights.emplace_back();
      }
      map.weights.back().push_back(of.at(cell_name(i, columns))->*share);
    }
    maps.push_back(map);
  };
  add("attention", &BiasRow::attention);
  add("gradient", &BiasRow::gradient);
  add("effect", &BiasRow::effect);
  return maps;
}

Json to_json(const BiasReport& report) {
  Json words = Json::array(), answer_words = Json::array(), wrongs = Json::array();
  for (const BiasRow& row : report.rows)
    words.push_back({{"word", row.word},
                     {"count", row.count},
                     {"occurrence", row.occurrence},
                     {"attention", row.attention},
                     {"gradient", row.gradient},
                     {"effect", row.effect}});
  for (const AnswerWord& word : report.answer_words)
    answer_words.push_back({{"word", word.word},
                            {"count", word.count},
                            {"occurrence", word.occurrence},
                            {"effect", word.effect},
                            {"weight", word.weight},
                            {"agree", word.agree}});
  for (const WrongAnswers& each : report.wrongs)
    wrongs.push_back({{"answer", each.answer},
                      {"count", each.count},
                      {"word", each.word},
                      {"first_by_erasure", each.by_erasure},
                      {"first_by_gradient", each.by_gradient},
                      {"first_by_input_gradient", each.by_input_gradient}});
  return {{"texts", report.texts},
          {"wrong", report.wrong},
          {report.columns > 0 ? "cells" : "words", words},
          {"answer_words", answer_words},
          {"wrong_answers", wrongs}};
}

}  // namespace glass
