#include "models/cli/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/captioner/look.h"
#include "models/image/formats.h"
#include "models/json.h"
#include "models/names.h"
#include "models/report/html.h"
#include "models/report/label.h"
#include "tensor/file.h"

namespace glass {
namespace {

std::string percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

// A score as a reader knows it; config and metrics have the names of their keys.
std::string shown_name(const std::string& key) {
  if (key == "cider_d") return "CIDEr-D";
  if (key == "attention_iou") return "IoU of the attention";
  if (key == "uniform_iou") return "IoU of a uniform map";
  if (key == "shuffled_iou") return "IoU of shuffled maps";
  return key;
}

std::vector<LinePlot> plots(const Trainer& trainer, bool labels) {
  Curve train{"training", {}, {}}, valid{"validation", {}, {}};
  Curve exact{labels ? "accuracy" : "exact match", {}, {}}, errors{"symbol error rate", {}, {}};
  for (const HistoryEntry& h : trainer.history()) {
    for (Curve* curve : {&train, &valid, &exact, &errors})
      curve->x.push_back(static_cast<double>(h.step));
    train.y.push_back(h.train_loss);
    valid.y.push_back(h.valid.loss);
    exact.y.push_back(h.valid.exact_match);
    errors.y.push_back(h.valid.symbol_error_rate);
  }
  std::vector<Curve> scores{exact};
  if (!labels) scores.push_back(errors);
  return {{labels ? "Loss per text (nats)" : "Loss per token (nats)", "step", {train, valid}, true},
          {"On the validation data", "step", scores}};
}

std::vector<ReportRule> report_rules(const RunDiagnosis& diagnosis) {
  std::vector<ReportRule> rows;
  for (size_t i = 0; i < rules().size(); ++i) {
    const Rule& rule = rules()[i];
    std::string alarms;
    for (const Alarm& a : diagnosis.alarms())
      if (a.rule == rule.name)
        alarms += fmt::format("{}steps {} to {}: {}", alarms.empty() ? "" : "; ", a.first_step,
                              a.last_step, a.text);
    rows.push_back(
        {rule.name, number_text(diagnosis.readings()[i].value), number_text(rule.limit), alarms});
  }
  return rows;
}

}  // namespace

AttentionMap attention_map(const Translation& t) {
  return {t.source_tokens, t.tokens, t.weights, t.source + " → " + t.text};
}

void write_report(const std::string& folder, const RunConfig& config, const Corpus& corpus,
                  const Trainer& trainer, const Evaluation& test, Translator& model,
                  const RunDiagnosis& diagnosis, std::vector<ReportTable> tables) {
  constexpr size_t kMaps = 8, kSamples = 20;
  ReportData data;
  data.title = "Glass: " + config.task;
  data.subtitle = fmt::format(
      "{}, {}, best model from step {} of {}", counted(std::ssize(corpus.train), "training pair"),
      counted(std::ssize(corpus.test), "test source"), trainer.best_step(), trainer.step());
  data.figures = {{"exact match", percent(test.score.exact_match)},
                  {"symbol error rate", percent(test.score.symbol_error_rate)},
                  {"BLEU", fmt::format("{:.4f}", test.score.bleu)},
                  {"loss per token", fmt::format("{:.4f}", test.score.loss)},
                  {"training time", clock_text(trainer.seconds())}};
  if (classifies(config.task))
    data.figures = {{"accuracy in the test", percent(test.score.exact_match)},
                    {"in validation", percent(trainer.best().exact_match)},
                    {"loss per text", fmt::format("{:.4f}", test.score.loss)},
                    {"training time", clock_text(trainer.seconds())}};
  data.tables = std::move(tables);
  data.plots = plots(trainer, classifies(config.task));
  for (const auto& [name, value] : test.more)
    data.figures.push_back({shown_name(name), fmt::format("{:.3f}", value)});
  const size_t n = test.translations.size();
  for (size_t i = 0; i < std::min(kSamples, n); ++i) {
    const size_t k = i * n / std::min(kSamples, n);
    const Translation& t = test.translations[k];
    const auto& targets = corpus.test[k].targets;
    data.samples.push_back({t.source, t.text, targets,
                            std::find(targets.begin(), targets.end(), t.text) != targets.end()});
    if (config.codec.reads_pictures()) {
      ReportSample& sample = data.samples.back();
      sample.source = picture_name(t.source);
      sample.picture = *config.codec.encode_source(t.source).picture;
      if (i < kMaps && model.attends() && !t.tokens.empty()) {
        const AttentionRecording r = record_attention(model, config.codec, t.source, t);
        data.pictures.push_back(look(config.codec, r, r.layer("")));
      }
    }
    if (i < kMaps && !t.weights.empty() && !t.source_tokens.empty())
      data.maps.push_back(attention_map(t));
  }
  data.rules = report_rules(diagnosis);
  for (const auto& [name, json] :
       {std::pair{"model", to_json(config.model)}, std::pair{"training", to_json(config.training)}})
    for (const auto& [key, value] : json.items())
      data.config.push_back({fmt::format("{}: {}", name, key),
                             value.is_string() ? value.get<std::string>() : value.dump()});
  write_file_atomically(folder + "/report.html", report_html(data));
  if (!data.pictures.empty())
    write_png(folder + "/attention.png", overlay_sheet(data.pictures.front()));
}

}  // namespace glass
