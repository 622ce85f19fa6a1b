#include "models/decode/sampling.h"

#include <algorithm>
#include <cmath>

#include "models/decode/trail.h"

namespace glass {
namespace {

void check_sampling(const SamplingOptions& o, int64_t batch) {
  if (!(o.temperature > 0) || !std::isfinite(o.temperature))
    fail("sample_search", "temperature must be positive", o.temperature);
  if (o.top_k < 0) fail("sample_search", "top_k must be 0 or more", o.top_k);
  if (o.samples < 1) fail("sample_search", "samples must be at least 1", o.samples);
  if (o.max_length < 1) fail("sample_search", "max_length must be at least 1", o.max_length);
  if (batch < 0) fail("sample_search", "batch must not be negative", batch);
  if (!o.max_lengths.empty() && static_cast<int64_t>(o.max_lengths.size()) != batch)
    fail("sample_search", "needs one of max_lengths per input", o.max_lengths.size(), " for ",
         batch);
}

// A token of probability ∝ p^(1/temperature) among the top_k likeliest; the lower id wins a tie.
// -1: every token is impossible.
int64_t draw(const double* log_probs, int64_t vocabulary, const SamplingOptions& o,
             Generator& generator) {
  std::vector<int64_t> tokens;
  for (int64_t v = 0; v < vocabulary; ++v)
    if (std::isfinite(log_probs[v])) tokens.push_back(v);
  if (tokens.empty()) return -1;
  std::stable_sort(tokens.begin(), tokens.end(),
                   [&](int64_t a, int64_t b) { return log_probs[a] > log_probs[b]; });
  if (o.top_k > 0 && static_cast<int64_t>(tokens.size()) > o.top_k)
    tokens.resize(static_cast<size_t>(o.top_k));
  std::vector<double> shares;
  double total = 0;
  for (const int64_t v : tokens) {
    shares.push_back(std::exp((log_probs[v] - log_probs[tokens[0]]) / o.temperature));
    total += shares.back();
  }
  double left = generator.draw_uniform() * total;
  for (size_t i = 0; i < tokens.size(); ++i)
    if ((left -= shares[i]) < 0) return tokens[i];
  return tokens[0];
}

struct Draw {
  int64_t input;
  Trail trail = {};
  double log_prob = 0;
  int64_t length = 0;
  bool finished = false;
  Generator generator = Generator();
};

}  // namespace

std::vector<std::vector<Hypothesis>> sample_search(StepModel& model, int64_t batch,
                                                   const SamplingOptions& o) {
  check_sampling(o, batch);
  std::vector<Draw> all;
  std::vector<int64_t> live, rows;  // numbers of draws, and the model's row of each
  for (int64_t input = 0; input < batch; ++input) {
    Generator streams(o.seed);
    for (int64_t k = 0; k < o.samples; ++k) {
      Draw one{.input = input,
               .generator = Generator(static_cast<uint64_t>(streams.draw_int(INT64_MAX)))};
      live.push_back(static_cast<int64_t>(all.size()));
      rows.push_back(input);
      all.push_back(one);
    }
  }
  if (o.samples > 1) model.reorder(Tensor::from(rows, {static_cast<int64_t>(rows.size())}));
  while (!live.empty()) {
    std::vector<int64_t> tokens;
    for (const int64_t i : live) tokens.push_back(all[static_cast<size_t>(i)].trail.last_or(o.bos));
    const StepModel::Step step =
        model.step(Tensor::from(tokens, {static_cast<int64_t>(tokens.size())}));
    const Tensor log_probs = step.log_probs.to(kFloat64).contiguous();
    const bool attends = o.keep_weights && step.weights.defined();
    const Tensor weights = attends ? step.weights.to(kFloat64).contiguous() : Tensor();
    const int64_t V = log_probs.size(1);
    std::vector<int64_t> still, kept;
    for (size_t row = 0; row < live.size(); ++row) {
      Draw& d = all[static_cast<size_t>(live[row])];
      const double* p = log_probs.data<double>() + static_cast<int64_t>(row) * V;
      const int64_t token = draw(p, V, o, d.generator);
      if (token < 0) continue;
      d.log_prob += p[token];
      ++d.length;
      d.finished = token == o.eos;
      if (d.finished) continue;
      std::vector<double> row_weights;
      if (attends) {
        const double* w = weights.data<double>() + static_cast<int64_t>(row) * weights.size(1);
        row_weights.assign(w, w + weights.size(1));
      }
      d.trail = d.trail.extended(token, std::move(row_weights));
      const int64_t most =
          o.max_lengths.empty() ? o.max_length : o.max_lengths[static_cast<size_t>(d.input)];
      if (d.length >= most) continue;
      still.push_back(live[row]);
      kept.push_back(static_cast<int64_t>(row));
    }
    if (!kept.empty() && kept.size() < live.size())
      model.reorder(Tensor::from(kept, {static_cast<int64_t>(kept.size())}));
    live = std::move(still);
  }
  std::vector<std::vector<Hypothesis>> results(static_cast<size_t>(batch));
  for (const Draw& d : all)
    results[static_cast<size_t>(d.input)].push_back(
        {d.trail.ids(), d.log_prob,
         d.log_prob / static_cast<double>(std::max<int64_t>(d.length, 1)), d.finished,
         d.trail.weights()});
  return results;
}

}  // namespace glass
