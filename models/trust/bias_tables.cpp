// What bias_report() found, as tables, maps and data.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "models/json.h"
#include "models/text/numbers.h"
#include "models/trust/bias.h"
#include "models/trust/patches.h"

namespace glass {
namespace {

std::string share_text(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

template <class Row>
std::span<const Row> first(const std::vector<Row>& rows, size_t count) {
  return std::span(rows).first(std::min(rows.size(), count));
}

std::string part(int64_t count, int64_t whole) {
  return fmt::format("{} of {} ({:.1f} %)", count, whole,
                     100 * static_cast<double>(count) / static_cast<double>(whole));
}

}  // namespace

std::vector<ReportTable> bias_tables(const BiasReport& report, const std::string& name,
                                     size_t rows) {
  const std::string of = name.empty() ? "" : ": " + name;
  const bool cells = report.columns > 0;
  ReportTable places{
      (cells ? "Regions out of proportion" : "Words out of proportion") + of,
      fmt::format(
          "Over {} {}, of which {} were answered wrong{}: the share of all places that a {} "
          "{}, and its shares of attention, of gradient and of effect (what log p loses or "
          "gains {}). Sorted by effect beyond occurrence.{}",
          report.texts, cells ? "pictures" : "texts", report.wrong,
          report.empty > 0 ? fmt::format(" ({} without a word)", report.empty) : "",
          cells ? "cell" : "word", cells ? "is" : "stands at",
          cells ? "where it is covered with the picture's mean colour" : "without it",
          cells ? "" : fmt::format(" {} stands for all numbers.", kNumberToken)),
      {cells ? "cell" : "word", "times", "occurrence", "attention", "gradient", "effect",
       "effect / occurrence"},
      {}};
  for (const BiasRow& row : first(report.rows, rows))
    places.rows.push_back({row.word, std::to_string(row.count), share_text(row.occurrence),
                           share_text(row.attention), share_text(row.gradient),
                           share_text(row.effect),
                           fmt::format("{:.1f}", row.effect / row.occurrence)});
  ReportTable words{
      "Words of the answers out of proportion" + of,
      "A word's share of all words of the answers and of all effects of the sources on them, its "
      "largest weight on average, and how often weights and effect agree. Words with little effect "
      "are known without looking.",
      {"word", "times", "occurrence", "effect", "effect / occurrence", "largest weight", "agree"},
      {}};
  for (const AnswerWord& word : first(report.answer_words, rows))
    words.rows.push_back({word.word, std::to_string(word.count), share_text(word.occurrence),
                          share_text(word.effect),
                          fmt::format("{:.1f}", word.effect / word.occurrence),
                          fmt::format("{:.2f}", word.weight), part(word.agree, word.count)});
  ReportTable wrong{
      "Wrong words and their first cause" + of,
      "Words of wrong answers that no reference has, the place that is most often ranked first by "
      "erasure where such a word was written, and in how many it is first by erasure, by gradient, "
      "and by input × gradient. (none alone): no place makes the word a tenth less likely by its "
      "absence.",
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
    map.source_name = "column";
    map.target_name = "row";
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
  return {{"texts", report.texts},        {"empty", report.empty},
          {"wrong", report.wrong},        {report.columns > 0 ? "cells" : "words", words},
          {"answer_words", answer_words}, {"wrong_answers", wrongs}};
}

}  // namespace glass
