#include "models/cli/training.h"

#include <fmt/core.h>

#include "models/captioner/picture_encoder.h"
#include "models/cli/report.h"
#include "models/diagnosis/run_diagnosis.h"
#include "models/json.h"
#include "models/names.h"
#include "models/report/label.h"
#include "models/report/terminal.h"
#include "models/seq2seq/alignment_errors.h"
#include "models/train/interrupt.h"
#include "models/train/run_lock.h"
#include "models/trust/bias.h"
#include "tensor/parallel.h"
#include "tensor/precision.h"

namespace glass {
namespace {

void print_start(const RunConfig& config, const Corpus& corpus, Translator& model,
                 const std::string& folder) {
  for (const std::string& warning : corpus.warnings)
    fmt::print(stderr, "warning: {}\n", clean_text(warning));
  fmt::print("{}: {}, {} and {}\n", config.task, counted(std::ssize(corpus.train), "training pair"),
             counted(std::ssize(corpus.valid), "validation source"),
             counted(std::ssize(corpus.test), "test source"));
  if (config.codec.reads_pictures())
    fmt::print("pictures: {0} × {0} pixels; vocabulary: {1} tokens\n",
               config.codec.options.picture_size, config.codec.target.size());
  else
    fmt::print("vocabularies: {} source and {} target tokens\n", config.codec.source.size(),
               config.codec.target.size());
  fmt::print("model: {}; {}; run folder {}\n", counted(model.num_parameters(), "parameter"),
             counted(num_threads(), "thread"), folder);
  if (config.training.matmul_precision != "highest" && !has_bfloat16_units())
    fmt::print("--matmul-precision {} has no effect: there are no units for bfloat16 here\n",
               config.training.matmul_precision);
  std::fflush(stdout);
}

void print_continuing(const TrainOptions& training, int64_t step, const std::string& resume) {
  fmt::print("continuing at step {}\n", step);
  if (step < training.steps) return;
  fmt::print("all {} are done, so only the test is repeated; ", counted(step, "step"));
  if (ends_with_steps(training.schedule))
    fmt::print("the {} schedule has ended, so a longer training is a new run\n", training.schedule);
  else
    fmt::print("to train longer: {} --steps N\n", resume);
}

void print_validation(const HistoryEntry& h, bool best, bool labels) {
  const Score& v = h.valid;
  fmt::print("step {:6}  train loss {:.4f}  valid loss {:.4f}  {}{}\n", h.step, h.train_loss,
             v.loss,
             labels ? fmt::format("accuracy {:.4f}", v.exact_match)
                    : fmt::format("exact match {:.4f}  symbol errors {:.4f}  BLEU {:.4f}",
                                  v.exact_match, v.symbol_error_rate, v.bleu),
             best ? "  *" : "");
  std::fflush(stdout);
}

void print_test(const Evaluation& test, double seconds, bool labels) {
  const Score& s = test.score;
  fmt::print("test: {}, {}, loss {:.4f}; trained {:.0f} s\n",
             counted(std::ssize(test.translations), "source"),
             labels ? fmt::format("accuracy {:.4f}", s.exact_match)
                    : fmt::format("exact match {:.4f}, symbol error rate {:.4f}, BLEU {:.4f} ({})",
                                  s.exact_match, s.symbol_error_rate, s.bleu, test.bleu_signature),
             s.loss, seconds);
}

void print_diagnosis(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("diagnosis: {}\n", clean_text(line));
  std::fflush(stdout);
}

// What a classifier's answers hang on: seen in the run's own report.
std::vector<ReportTable> causes(const std::string& folder, const RunConfig& config,
                                const Corpus& corpus, const Poll& poll) {
  constexpr int64_t kTexts = 500;
  constexpr size_t kWords = 12;
  if (!classifies(config.task)) return {};
  const auto model = load_model(folder, config);
  if (!model->attends()) return {};
  model->to(kFloat64);
  return bias_tables(bias_report(*model, config.codec, corpus.test, {.texts = kTexts}, poll), "",
                     kWords);
}

}  // namespace

Evaluation train_run(RunConfig config, const Corpus& corpus, const std::string& folder,
                     Start start) {
  const std::string resume = "glass train --run " + folder + " --resume";
  const auto made = make_model(config);
  Translator& model = *made;
  if (start != Start::resume && !config.encoder_weights.empty())
    load_picture_encoder(*model.picture_encoder(), config.encoder_weights);
  Seq2SeqTask task(model, config.codec, corpus);
  Trainer trainer(task, task.batches(config.training), config.training, folder);
  RunDiagnosis diagnosis(task, config.training, folder);
  trainer.watch(&diagnosis.watch());
  // All that could be refused was accepted: only now is something written.
  InterruptGuard::check("interrupted before the first step; nothing was written");
  std::vector<std::string> folders;
  if (start != Start::resume) folders = make_folder(folder);
  const RunLock lock(folder);
  remove_leftovers(folder);
  std::optional<NewRun> fresh;
  if (start == Start::resume) {
    trainer.resume();
    diagnosis.resume(trainer);
    if (to_json(load_config(folder).training) != to_json(config.training))
      save_config(folder, config);
  } else {
    fresh.emplace(folder, std::move(folders));
    begin_run(folder, config, start == Start::replace);
  }
  print_start(config, corpus, model, folder);
  if (start == Start::resume) print_continuing(config.training, trainer.step(), resume);
  const bool labels = classifies(config.task);
  const StopReason reason = trainer.run([&](const Trainer& t) {
    const HistoryEntry& last = t.history().back();
    print_validation(last, t.best_step() == last.step, labels);
    save_metrics(folder, config.task, {t.best(), t.step(), t.seconds(), t.step_seconds()});
    print_diagnosis(diagnosis.update(t));
  });
  if (reason == StopReason::interrupted)
    throw Interrupted(
        fmt::format("interrupted at step {}; continue with: {}", trainer.step(), resume));
  fmt::print("stopped at step {} ({}); best model from step {}\n", trainer.step(), name(reason),
             trainer.best_step());
  std::fflush(stdout);
  const auto poll = [&] {
    InterruptGuard::check(
        "interrupted in the final test, the training is done; repeat the test with: " + resume);
  };
  Evaluation test = evaluate(model, config.codec, corpus.test, config.beam, poll);
  RunMetrics metrics{test.score, trainer.step(), trainer.seconds(), trainer.step_seconds()};
  metrics.more = test.more;
  if (model.attends())
    metrics.attention_multiply_adds = attention_multiply_adds(model, config.codec, corpus.test);
  if (model.attends() && !corpus.test_links.empty())
    metrics.alignment_error_rate =
        attention_alignment_error_rate(model, config.codec, corpus.test, corpus.test_links, poll);
  save_metrics(folder, config.task, metrics);
  write_report(folder, config, corpus, trainer, test, model, diagnosis,
               causes(folder, config, corpus, poll));
  print_test(test, trainer.seconds(), labels);
  if (metrics.alignment_error_rate)
    fmt::print("test: alignment error rate of the attention {:.4f}\n",
               *metrics.alignment_error_rate);
  for (const auto& [name, value] : test.more) fmt::print("test: {} {:.4f}\n", name, value);
  return test;
}

void print_samples(const std::vector<Translation>& translations, size_t count) {
  for (size_t i = 0; i < std::min(count, translations.size()); ++i) {
    const Translation& t = translations[i * translations.size() / count];
    constexpr size_t kTallest = 60;  // rows and columns of a map that a terminal shows
    if (t.weights.empty() || t.source_tokens.empty() ||
        std::max(t.tokens.size(), t.source_tokens.size()) > kTallest)
      fmt::print("\n{} → {}\n", clean_text(t.source), clean_text(t.text));
    else
      fmt::print("\n{}", terminal_heat_map(attention_map(t)));
  }
}

}  // namespace glass
