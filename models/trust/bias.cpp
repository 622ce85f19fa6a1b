#include "models/trust/bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/json.h"
#include "models/text/numbers.h"
#include "models/text/utf8.h"
#include "models/trust/translators.h"

namespace glass {
namespace {

// How often words were first among the causes of wrong answers of one kind.
struct Causes {
  int64_t count = 0;
  std::map<std::string, int64_t> by_erasure, by_gradient, by_input_gradient;
};

class Tally {
 public:
  void add(const TrustReport& found, const std::string& answer, bool wrong) {
    const size_t S = found.source.size();
    std::vector<double> effect(S), gradient(S), product(S);
    for (const TokenTrust& token : found.tokens)
      for (size_t s = 0; s < S; ++s) {
        effect[s] += std::abs(token.erasure[s]);
        gradient[s] += token.gradient[s];
        product[s] += std::abs(token.input_gradient[s]);
        rows_[number_normalized(found.source[s])].attention +=
            token.weights[s] / static_cast<double>(found.tokens.size());
      }
    for (size_t s = 0; s < S; ++s) {
      BiasRow& row = rows_[number_normalized(found.source[s])];
      ++row.count;
      row.effect += effect[s];
      row.gradient += gradient[s];
    }
    ++report_.texts;
    if (!wrong) return;
    ++report_.wrong;
    Causes& causes = causes_[answer];
    ++causes.count;
    ++causes.by_erasure[number_normalized(found.source[largest(effect)])];
    ++causes.by_gradient[number_normalized(found.source[largest(gradient)])];
    ++causes.by_input_gradient[number_normalized(found.source[largest(product)])];
  }

  BiasReport report() {
    BiasRow total;
    for (const auto& [word, row] : rows_) {
      total.count += row.count;
      total.attention += row.attention;
      total.gradient += row.gradient;
      total.effect += row.effect;
    }
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
    for (auto& [word, row] : rows_) {
      row.word = word;
      row.occurrence = share(static_cast<double>(row.count), static_cast<double>(total.count));
      row.attention = share(row.attention, total.attention);
      row.gradient = share(row.gradient, total.gradient);
      row.effect = share(row.effect, total.effect);
      report_.rows.push_back(row);
    }
    std::stable_sort(report_.rows.begin(), report_.rows.end(),
                     [](const BiasRow& a, const BiasRow& b) { return a.excess() > b.excess(); });
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
  BiasReport report_;
  std::map<std::string, BiasRow> rows_;
  std::map<std::string, Causes> causes_;
};

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100 * fraction); }

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
    tally.add(examine(trust_question(model, codec, r, r.layer(options.layer), -1), {.shuffles = 0}),
              r.target_text, !right);
  }
  BiasReport report = tally.report();
  if (report.texts == 0) fail("bias", "no text has an answer to explain", n, " texts");
  return report;
}

std::vector<ReportTable> bias_tables(const BiasReport& report, const std::string& name,
                                     size_t rows) {
  const std::string of = name.empty() ? "" : ": " + name;
  ReportTable words{
      "Words out of proportion" + of,
      fmt::format("Over {} texts, of which {} were answered wrong: the share of all places that a "
                  "word stands at, and its shares of attention, of gradient and of effect (what "
                  "log p loses or gains without it). Sorted by effect beyond occurrence. {} stands "
                  "for all numbers.",
                  report.texts, report.wrong, kNumberToken),
      {"word", "times", "occurrence", "attention", "gradient", "effect", "effect / occurrence"},
      {}};
  for (size_t i = 0; i < std::min(rows, report.rows.size()); ++i) {
    const BiasRow& row = report.rows[i];
    words.rows.push_back({row.word, std::to_string(row.count), percent(row.occurrence),
                          percent(row.attention), percent(row.gradient), percent(row.effect),
                          fmt::format("{:.1f}", row.effect / row.occurrence)});
  }
  ReportTable wrong{
      "Wrong answers and their first cause" + of,
      "The word that is most often ranked first by erasure in the texts with this "
      "wrong answer, and "
      "in how many it is first by erasure, by gradient, and by input × gradient.",
      {"wrong answer", "word", "first by erasure", "first by gradient", "by input × gradient"},
      {}};
  for (size_t i = 0; i < std::min(rows, report.wrongs.size()); ++i) {
    const WrongAnswers& each = report.wrongs[i];
    wrong.rows.push_back({each.answer, each.word, part(each.by_erasure, each.count),
                          part(each.by_gradient, each.count),
                          part(each.by_input_gradient, each.count)});
  }
  if (wrong.rows.empty()) return {words};
  return {words, wrong};
}

Json to_json(const BiasReport& report) {
  Json words = Json::array(), wrongs = Json::array();
  for (const BiasRow& row : report.rows)
    words.push_back({{"word", row.word},
                     {"count", row.count},
                     {"occurrence", row.occurrence},
                     {"attention", row.attention},
                     {"gradient", row.gradient},
                     {"effect", row.effect}});
  for (const WrongAnswers& each : report.wrongs)
    wrongs.push_back({{"answer", each.answer},
                      {"count", each.count},
                      {"word", each.word},
                      {"first_by_erasure", each.by_erasure},
                      {"first_by_gradient", each.by_gradient},
                      {"first_by_input_gradient", each.by_input_gradient}});
  return {{"texts", report.texts},
          {"wrong", report.wrong},
          {"words", words},
          {"wrong_answers", wrongs}};
}

}  // namespace glass
