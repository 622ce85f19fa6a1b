#include "models/diagnosis/collector.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "autograd/tape_watch.h"
#include "models/diagnosis/attention_facts.h"
#include "models/diagnosis/layers.h"
#include "models/diagnosis/units.h"
#include "tensor/kernels.h"
#include "tensor/memory.h"

namespace glass {
namespace {

constexpr size_t kLooks = 16;        // that a record keeps beside the first
constexpr double kWorthNaming = 10;  // a gradient norm whose layer is looked for

using Clock = std::chrono::steady_clock;

// Adds the time of a scope.
struct Stopwatch {
  double& seconds;
  Clock::time_point start = Clock::now();
  ~Stopwatch() { seconds += std::chrono::duration<double>(Clock::now() - start).count(); }
};

// The model in evaluation mode.
struct Evaluating {
  Module& model;
  explicit Evaluating(Module& m) : model(m) { model.eval(); }
  ~Evaluating() { model.train(); }
};

double norm(const Tensor& x) { return std::sqrt(kernels(x).power_sum(x.contiguous(), 2, 1)); }

std::string largest_layer(const std::vector<GradientFact>& gradients) {
  std::map<std::string, double> squares;
  for (const GradientFact& g : gradients) squares[layer_of(g.parameter)] += g.norm * g.norm;
  const auto largest =
      std::max_element(squares.begin(), squares.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return largest == squares.end() ? "" : largest->first;
}

}  // namespace

FactCollector::FactCollector(Trainee& trainee, const TrainOptions& training,
                             CollectorOptions options)
    : trainee_(trainee), training_(training), options_(options) {
  if (options.every < 1 || options.sentences < 1)
    fail("diagnosis", "steps between looks and sentences must be at least 1", options.every, ", ",
         options.sentences);
  record_.steps = training.steps;
  record_.warmup = training.warmup;
  for (const Var& p : trainee.model().parameters())
    parameter_bytes_ += p.numel() * static_cast<int64_t>(size_of(p.dtype()));
}

// Before the first step Adam's moments may be there already or not (they are made as they are
// needed), gradients are not.
int64_t FactCollector::predicted_memory() const {
  const int64_t average = training_.ema > 0 ? 1 : 0, best = 1, moments = 2, gradients = 1;
  return live_before_ + parameter_bytes_ * (gradients + moments + average + best);
}

void FactCollector::look(int64_t step, const Batch& batch) {
  Batch few = batch;
  few.rows.resize(std::min<size_t>(few.rows.size(), static_cast<size_t>(options_.sentences)));
  TrainingFacts facts;
  facts.step = step;
  facts.memory = {predicted_memory(), memory_stats().live};
  Module& model = trainee_.model();
  const Evaluating evaluating(model);
  const EnableGrad recording;  // only recorded ops are seen
  AttentionRecorder recorder(model);
  UnitCounter units(model.named_parameters());
  {
    const WatchTape watch(
        [&](const NodePtr& node, uint32_t, const Tensor& value) { units.see(node, value); });
    trainee_.loss(few, step);
  }
  facts.attention = attention_facts(recorder, trainee_.lengths(few));
  facts.units = units.facts();
  std::vector<TrainingFacts>& looks = record_.looks;
  if (looks.size() > kLooks) looks.erase(looks.begin() + 1);
  looks.push_back(std::move(facts));
}

std::vector<GradientFact> FactCollector::gradients() {
  std::vector<GradientFact> facts;
  for (const auto& [name, value] : trainee_.model().named_parameters()) {
    if (!value.requires_grad() || !value.grad().defined()) continue;
    facts.push_back({name, norm(value.grad().value()), norm(value.value()), value.ndim() >= 2});
  }
  return facts;
}

void FactCollector::before_step(int64_t step, const Batch& batch) {
  const Stopwatch stopwatch{seconds_};
  before_ = trainee_.generator();
  if (live_before_ < 0) live_before_ = memory_stats().live;
  looking_ = step % options_.every == 0;
  if (looking_) look(step, batch);
}

void FactCollector::after_backward(double loss) {
  if (!looking_) return;
  const Stopwatch stopwatch{seconds_};
  record_.looks.back().loss = loss;
  record_.looks.back().gradients = gradients();
}

void FactCollector::after_step(double gradient_norm) {
  if (gradient_norm > largest_norm_) {
    const Stopwatch stopwatch{seconds_};
    largest_norm_ = gradient_norm;
    // Clipped gradients have kept their proportions.
    if (gradient_norm > kWorthNaming || looking_) largest_layer_ = largest_layer(gradients());
  }
  if (!looking_) return;
  TrainingFacts& facts = record_.looks.back();
  facts.gradient_norm = largest_norm_;
  facts.largest_gradient = largest_layer_;
  largest_norm_ = 0;
}

std::string FactCollector::explain_not_finite(int64_t step, const Batch& batch) {
  trainee_.generator() = before_;
  const NamedVars parameters = trainee_.model().named_parameters();
  record_.not_finite = find_not_finite([&] { return trainee_.loss(batch, step).mean; }, parameters);
  return record_.not_finite->text();
}

void FactCollector::set_validations(const std::vector<HistoryEntry>& history) {
  record_.validations = history;
}

}  // namespace glass
