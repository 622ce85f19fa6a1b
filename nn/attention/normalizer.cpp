#include "nn/attention/normalizer.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/monotonic.h"

namespace glass {
namespace {

// One 1 in each row of α [N, T, S]: at the key that pick(row, S) gives; none where it gives -1.
template <class Pick>
Tensor one_hot_rows(const Tensor& alpha, const Pick& pick) {
  const Tensor rows = alpha.to(kFloat64).contiguous();
  Tensor hot = Tensor::zeros(alpha.shape(), kFloat64);
  const int64_t S = alpha.size(-1), n = S > 0 ? alpha.numel() / S : 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t j = pick(rows.data<double>() + i * S, S);
    if (j >= 0) hot.data<double>()[i * S + j] = 1;
  }
  return hot.to(alpha.dtype());
}

int64_t likeliest(const double* row, int64_t n) {
  int64_t best = -1;
  for (int64_t j = 0; j < n; ++j)
    if (row[j] > (best < 0 ? 0 : row[best])) best = j;
  return best;
}

// α·log α is 0 at 0, and a weight so small that 1/α overflows counts as 0.
Var safe_log(const Var& alpha) { return log(where(alpha < 1e-30, 1.0, alpha)); }

}  // namespace

Chosen hard_weights(const Var& scores, const Tensor& allowed, const HardNormalizer& hard,
                    bool training, const Tensor& expected, Generator& generator) {
  const Var alpha = masked_softmax(scores * (1 / hard.temperature), allowed);
  Chosen y;
  y.entropy = -sum(alpha * safe_log(alpha), {2});
  if (!training) {
    const Var hot(one_hot_rows(alpha.value(), likeliest));
    return {hot, sum(safe_log(alpha) * hot, {2}), y.entropy};
  }
  if (hard.estimator == Estimator::gumbel) {
    const Tensor u = uniform(scores.shape(), 1e-12, 1, kFloat64, generator);
    const Var noise = -log(-log(Var(u)));
    const Var soft = masked_softmax(
        (safe_log(alpha) + Var(noise.value().to(scores.dtype()))) * (1 / hard.temperature),
        (alpha > 0.0).value());
    const Var hot(one_hot_rows(soft.value(), likeliest));
    return {hot + (soft - soft.detach()), sum(safe_log(alpha) * hot, {2}), y.entropy};
  }
  const Var hot(one_hot_rows(alpha.value(), [&](const double* row, int64_t n) {
    double total = 0;
    for (int64_t j = 0; j < n; ++j) total += row[j];
    double left = generator.draw_uniform() * total;
    for (int64_t j = 0; j < n; ++j)
      if (row[j] > 0 && (left -= row[j]) < 0) return j;
    return likeliest(row, n);
  }));
  y.log_probability = sum(safe_log(alpha) * hot, {2});
  y.weights = hot;
  if (hard.estimator == Estimator::straight_through) y.weights = hot + (alpha - alpha.detach());
  if (hard.estimator == Estimator::reinforce && expected.defined()) {
    const Var whole(expected.reshape({alpha.size(0), 1, 1}));
    y.weights = where(whole, alpha, hot);
    y.log_probability = where(squeeze(whole, 2), 0.0, y.log_probability);
  }
  return y;
}

Var parallel_monotonic_attention(const Var& p, const Var& previous) {
  const Var going_on = cumprod(1.0 - p, 2);  // up to and with key j
  const Var before = cat({Var(Tensor::ones({p.size(0), p.size(1), 1}, p.dtype())),
                          narrow(going_on, 2, 0, std::max<int64_t>(p.size(2) - 1, 0))},
                         2);
  std::vector<Var> rows;
  Var last = previous;
  for (int64_t t = 0; t < p.size(1); ++t) {
    const Var c = select(before, 1, t);
    last = select(p, 1, t) * c * cumsum(last / clamp(c, 1e-10, 1), 1);
    rows.push_back(last);
  }
  return stack(rows, 1);
}

namespace {

// The first allowed key from the last one on with p > ½; a row that has run off the end stays 0.
Tensor first_stops(const Tensor& p, const Tensor& previous) {
  const Tensor chance = p.to(kFloat64).contiguous();
  const Tensor last = previous.to(kFloat64).contiguous();
  Tensor hot = Tensor::zeros(p.shape(), kFloat64);
  const int64_t N = p.size(0), T = p.size(1), S = p.size(2);
  for (int64_t n = 0; n < N; ++n) {
    int64_t at = likeliest(last.data<double>() + n * S, S);
    for (int64_t t = 0; t < T && at >= 0; ++t) {
      const double* row = chance.data<double>() + (n * T + t) * S;
      while (at < S && row[at] <= 0.5) ++at;
      if (at == S) at = -1;
      if (at >= 0) hot.data<double>()[(n * T + t) * S + at] = 1;
    }
  }
  return hot.to(p.dtype());
}

}  // namespace

Var monotonic_weights(const Var& scores, const Tensor& allowed, const Var& previous, const Var& r,
                      const MonotonicNormalizer& options, bool training, Generator& generator) {
  const int64_t N = scores.size(0), T = scores.size(1), S = scores.size(2);
  if (N * T * S == 0) return scores * 1.0;
  const bool hard = options.mode == MonotonicMode::hard || (!training && options.hard_in_eval);
  Var energy = scores + r;
  if (training && !hard && options.noise_std > 0)
    energy = energy + Var(normal(scores.shape(), 0, options.noise_std, scores.dtype(), generator));
  Var p = sigmoid(energy);
  if (allowed.defined()) p = where(Var(allowed), p, 0.0);
  Var start = previous;
  if (!start.defined()) {
    Tensor first = Tensor::zeros({N, S}, scores.dtype());
    first.narrow(1, 0, 1).fill_(1);
    start = Var(first);
  }
  if (hard) return Var(first_stops(p.value(), start.value()));
  if (options.mode == MonotonicMode::parallel) return parallel_monotonic_attention(p, start);
  return monotonic_attention(p, start);
}

Var chunkwise_weights(const Var& alignment, const Var& scores, const Tensor& allowed,
                      int64_t chunk) {
  const int64_t N = scores.size(0), T = scores.size(1), S = scores.size(2);
  const int64_t w = std::min(chunk, S);
  if (N * T * S == 0) return scores * 1.0;
  // Key k's chunk: place m of w is key k - w + 1 + m.
  const auto shifted = [&](const Var& x, int64_t before, int64_t m) {
    return narrow(pad_zeros(x, 2, before, w - 1 - before), 2, m, S);
  };
  const Tensor may =
      (allowed.defined() ? allowed : Tensor::ones({1, 1, 1}, kBool)).expand({N, T, S});
  const Var places(may.to(scores.dtype()));
  std::vector<Var> chunks, seen;
  for (int64_t m = 0; m < w; ++m) {
    chunks.push_back(shifted(where(Var(may), scores, 0.0), w - 1, m));
    seen.push_back(shifted(places, w - 1, m));
  }
  const Var share = masked_softmax(stack(chunks, 3), (stack(seen, 3) > 0.0).value());
  // β_j = Σ_m α_k·share_k,m for k = j + w - 1 - m
  const Var parts = unsqueeze(alignment, 3) * share;  // [N, T, S, w]
  Var beta;
  for (int64_t m = 0; m < w; ++m) {
    const Var part = shifted(select(parts, 3, m), 0, w - 1 - m);
    beta = beta.defined() ? beta + part : part;
  }
  return beta;
}

}  // namespace glass
