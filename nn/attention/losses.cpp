#include "nn/attention/losses.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {

MovingBaseline::MovingBaseline(double decay, double value) : decay_(decay), value_(value) {
  if (!(decay >= 0 && decay < 1)) fail("MovingBaseline", "decay must be in [0, 1)", decay);
}

Var reinforce_loss(const Var& log_probability, const Var& reward, const Var& entropy,
                   double baseline, const ReinforceOptions& options) {
  if (!log_probability.defined())
    fail("reinforce_loss", "needs the log-probability of what was drawn",
         "only HardNormalizer gives one, with the estimator reinforce");
  const Var advantage = reward.detach() - baseline;
  Var loss = mean(advantage * log_probability) * -options.reward_weight;
  if (entropy.defined() && options.entropy_weight != 0)
    loss = loss - mean(entropy) * options.entropy_weight;
  return loss;
}

Var coverage_loss(const Var& weights, const std::vector<int64_t>& lengths) {
  if (weights.ndim() < 2) fail("coverage_loss", "weights must be [..., T, S]", weights.shape());
  const Var before = cumsum(weights, -2) - weights;
  Var rows = sum(minimum(weights, before), {-1});  // [..., T]
  if (lengths.empty()) return mean(rows);
  if (weights.ndim() < 3 || static_cast<int64_t>(lengths.size()) != weights.size(0))
    fail("coverage_loss", "one length per row of the batch", lengths.size(), " for ",
         weights.shape());
  const int64_t T = weights.size(-2);
  Tensor counts = Tensor::zeros({weights.size(0), T}, kBool);
  for (int64_t b = 0; b < weights.size(0); ++b) {
    const int64_t n = lengths[static_cast<size_t>(b)];
    if (n < 0 || n > T) fail("coverage_loss", "a length is out of range", n, " of ", T);
    std::fill_n(counts.data<bool>() + b * T, n, true);
  }
  if (rows.ndim() == 3) rows = mean(rows, {1});
  const Var kept = where(Var(counts), rows, 0.0);
  int64_t total = 0;
  for (const int64_t n : lengths) total += n;
  return sum(kept) * (1.0 / static_cast<double>(std::max<int64_t>(total, 1)));
}

Var doubly_stochastic_loss(const Var& weights, double lambda, In target, Dialect dialect) {
  if (weights.ndim() < 2)
    fail("doubly_stochastic_loss", "weights must be [..., T, S]", weights.shape());
  const Var by_key = square(target - sum(weights, {-2}));  // [..., S]
  if (dialect == Dialect::popular) return mean(by_key) * lambda;
  const double S = static_cast<double>(std::max<int64_t>(weights.size(-1), 1));
  if (dialect == Dialect::authors) return sum(by_key) * (lambda / S);
  return mean(sum(by_key, {-1})) * lambda;
}

std::vector<Entry> attention_loss_entries() {
  const auto weights = [](const Shape& shape) { return Input{shape, 0.05, 0.3}; };
  const auto doubly = [&](std::string label, Dialect dialect) {
    Sample sample{};
    sample.label = std::move(label);
    sample.inputs = {weights({2, 3, 4})};
    sample.f = [=](const Vars& in) {
      return Vars{doubly_stochastic_loss(in[0], 0.5, 0.75, dialect)};
    };
    return sample;
  };
  Sample coverage{}, with_lengths{}, reinforce{};
  coverage.label = "all queries";
  coverage.inputs = {weights({2, 3, 4})};
  coverage.f = [](const Vars& in) { return Vars{coverage_loss(in[0])}; };
  with_lengths.label = "heads, lengths";
  with_lengths.inputs = {weights({2, 2, 3, 4})};
  with_lengths.f = [](const Vars& in) { return Vars{coverage_loss(in[0], {2, 3})}; };
  reinforce.label = "rewards";
  reinforce.inputs = {{{2, 1, 3}, -2, -0.1}, {{2, 1, 3}, 0.1, 1}};
  reinforce.f = [](const Vars& in) {
    const Var reward(Tensor::from({1.0, -0.5, 2.0, 0.25, 1.5, -1.0}, {2, 1, 3}).to(in[0].dtype()));
    return Vars{reinforce_loss(in[0], reward, in[1], 0.3)};
  };
  const Var line(Tensor::zeros({3}));
  return {{.name = "coverage_loss",
           .kind = EntryKind::loss,
           .formula = "mean over t of Σ_j min(a_tj, Σ_u<t a_uj)",
           .gradient = "of the smaller one; split evenly where they are equal",
           .samples = {coverage, with_lengths},
           .errors = {{"shape", [=] { coverage_loss(line); }, "[..., T, S]: [3]"},
                      {"lengths",
                       [] {
                         coverage_loss(Var(Tensor::zeros({2, 3, 4})), {1});
                       },
                       "1 for [2, 3, 4]"}}},
          {.name = "doubly_stochastic_loss",
           .kind = EntryKind::loss,
           .formula = "λ·Σ_j (target - Σ_t a_tj)²",
           .gradient = "-2λ·(target - Σ_t a_tj)",
           .samples = {doubly("paper", Dialect::paper), doubly("authors", Dialect::authors),
                       doubly("popular", Dialect::popular)},
           .errors = {{"shape", [=] { doubly_stochastic_loss(line); }, "[..., T, S]: [3]"}}},
          {.name = "reinforce_loss",
           .kind = EntryKind::loss,
           .formula = "mean of -λ_r·(reward - b)·log p - λ_e·H",
           .gradient = "an estimate: its mean over draws is that of the expected reward",
           .samples = {reinforce},
           .errors = {{"decay", [] { MovingBaseline baseline(1); }, "in [0, 1)"}}}};
}

}  // namespace glass
