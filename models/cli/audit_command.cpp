#include <fmt/core.h>

#include <memory>

#include "models/cli/commands.h"
#include "models/cli/usage.h"
#include "models/names.h"
#include "models/train/run_folder.h"
#include "nn/attention/audit.h"

namespace glass {
namespace {

struct AuditArguments {
  std::string run;
  int64_t sentences = 4;
};

// Sentences of different lengths, so that there is padding to see.
Seq2SeqBatch audit_batch(const RunConfig& config, int64_t sentences) {
  constexpr size_t kLongest = 12;  // tokens: a derivative is taken for each of the target
  std::vector<Source> sources;
  std::vector<std::vector<int64_t>> targets;
  for (const References& r : load_corpus(config).test) {
    if (static_cast<int64_t>(sources.size()) == sentences) break;
    Source source = config.codec.encode_source(r.source);
    std::vector<int64_t> target = config.codec.encode_target(r.targets[0]);
    source.ids.resize(std::min(source.size(), kLongest - sources.size() % 4));
    target.resize(std::min(target.size(), kLongest - targets.size() % 4));
    sources.push_back(std::move(source));
    targets.push_back(std::move(target));
  }
  if (sources.empty()) fail("audit", "the run has no test data", config.files.test);
  return make_batch(sources, targets);
}

int run_audit(const AuditArguments& a) {
  const RunConfig config = load_config(a.run);
  const auto model = load_model(a.run, config);
  model->to(kFloat64);
  const Seq2SeqBatch batch = audit_batch(config, a.sentences);
  const auto [source, target] = model->embed(batch);
  const AuditReport report =
      audit_mask([&](const std::vector<Var>& in) { return model->logits(in[0], in[1], batch); },
                 {{"source", source.value(), batch.source_lengths},
                  {"target", target.value(), batch.target_lengths, true}},
                 batch.target_lengths);
  fmt::print("{}, source {} and target {} places wide\n{}\n", counted(source.size(0), "sentence"),
             source.size(1), target.size(1), report.text());
  return report.passed() ? 0 : 1;
}

}  // namespace

void add_audit_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "audit",
      "Look for what a trained run must not see: padding, the future, other rows of a batch");
  auto a = std::make_shared<AuditArguments>();
  command->add_option("--run", a->run, "Run folder")->transform(naming("a folder"))->required();
  command->add_option("--sentences", a->sentences, "Sentences of the test data in the batch")
      ->transform(within(kLayersRange))
      ->capture_default_str();
  command->footer("Ends with status 1 when something leaks.");
  command->callback([a] {
    if (run_audit(*a) != 0) throw CLI::RuntimeError(1);
  });
}

}  // namespace glass
