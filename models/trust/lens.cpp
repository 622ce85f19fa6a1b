#include "models/trust/lens.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "models/metrics/rank_correlation.h"
#include "models/text/draws.h"
#include "nn/attention/intervention.h"
#include "tensor/ops.h"

namespace glass {
namespace {

constexpr int64_t kLensRows = 64, kNumbers = 1 << 20;  // of a batch, at most

void check(const TrustQuestion& q) {
  const size_t S = q.source.size(), T = q.answer.size();
  if (S == 0 || T == 0) fail("trust", "there is nothing to explain", S, " places, ", T, " tokens");
  bool fits = q.ids.size() == T && q.weights.size() == T && q.input.ndim() == 3 &&
              q.input.size(0) == 1 && q.input.size(1) == static_cast<int64_t>(S);
  for (const auto& row : q.weights) fits = fits && row.size() == S;
  if (fits && q.blank.defined()) fits = q.blank.shape() == Shape{q.input.size(2)};
  if (!fits)
    fail("trust", "ids, weights, input and blank must be of the answer's and the source's sizes",
         q.ids.size(), " ids, ", q.weights.size(), " rows of weights, input ", q.input.shape(),
         " for ", T, " tokens and ", S, " places");
  if (q.model && q.model->is_training())
    fail("trust", "the model is in training mode", "call eval() first, or dropout disturbs it");
}

int64_t places(const TrustQuestion& q) { return static_cast<int64_t>(q.source.size()); }
int64_t tokens(const TrustQuestion& q) { return static_cast<int64_t>(q.answer.size()); }
int64_t batch_rows(const TrustQuestion& q) {
  return std::clamp<int64_t>(kNumbers / std::max<int64_t>(1, q.input.numel()), 1, kLensRows);
}

std::vector<double> numbers(const Tensor& x) { return x.to(kFloat64).to_vector<double>(); }

// The input again and again, [n, S, E].
Tensor copies(const TrustQuestion& q, int64_t n) { return q.input.expand({n, -1, -1}).clone(); }

// Row t of the batch asks for token t: one backward for all of them.
void add_gradients(const TrustQuestion& q, std::vector<TokenTrust>& found) {
  const int64_t E = q.input.size(2), rows = batch_rows(q);
  const Tensor from_blank = q.blank.defined() ? q.input - q.blank : q.input;
  for (int64_t first = 0; first < tokens(q); first += rows) {
    const int64_t n = std::min(rows, tokens(q) - first);
    const Var x(copies(q, n), true);
    const Var logits = q.logits(x);
    std::vector<Var> chosen;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t id = q.ids[static_cast<size_t>(first + i)];
      chosen.push_back(select(select(select(logits, 0, i), 0, first + i), 0, id));
    }
    const Var gradient = grad({sum(stack(chosen))}, {x})[0];
    for (int64_t i = 0; i < n; ++i) {
      TokenTrust& token = found[static_cast<size_t>(first + i)];
      for (int64_t s = 0; s < places(q); ++s) {
        double norm = 0, product = 0;
        for (int64_t e = 0; gradient.defined() && e < E; ++e) {
          const double g = gradient.value().at({i, s, e});
          norm += g * g;
          product += g * from_blank.at({0, s, e});
        }
        token.gradient.push_back(std::sqrt(norm));
        token.input_gradient.push_back(product);
      }
    }
  }
}

// The input without place s: [S - 1, E], or blank there.
Tensor without(const TrustQuestion& q, int64_t s, Erasure how) {
  const Tensor input = q.input.select(0, 0);
  if (how == Erasure::drop && q.columns == 0 && places(q) > 1) {
    const Tensor parts[] = {input.narrow(0, 0, s), input.narrow(0, s + 1, places(q) - s - 1)};
    return cat(parts, 0);
  }
  Tensor blank = input.clone();
  if (q.blank.defined())
    blank.select(0, s).copy_(q.blank);
  else
    blank.select(0, s).zero_();
  return blank;
}

void add_erasure(const TrustQuestion& q, Erasure how, std::vector<TokenTrust>& found) {
  const NoGrad quiet;
  const Tensor whole = log_softmax(q.logits(Var(q.input)).value(), -1);
  const auto log_p = [&](const Tensor& all, int64_t row, int64_t t) {
    return all.at({row, t, q.ids[static_cast<size_t>(t)]});
  };
  for (int64_t t = 0; t < tokens(q); ++t)
    found[static_cast<size_t>(t)].log_probability = log_p(whole, 0, t);
  const int64_t rows = batch_rows(q);
  for (int64_t first = 0; first < places(q); first += rows) {
    const int64_t n = std::min(rows, places(q) - first);
    std::vector<Tensor> inputs;
    for (int64_t i = 0; i < n; ++i) inputs.push_back(without(q, first + i, how));
    const Tensor erased = log_softmax(q.logits(Var(stack(inputs, 0))).value(), -1);
    for (int64_t t = 0; t < tokens(q); ++t)
      for (int64_t i = 0; i < n; ++i)
        found[static_cast<size_t>(t)].erasure.push_back(log_p(whole, 0, t) - log_p(erased, i, t));
  }
}

// Each row of weights [B, H, T, S] in an order of its own, the same in all heads; what stands
// behind the places (a sentinel) stays.
Tensor shuffled(const Tensor& weights, int64_t places, std::mt19937_64& random) {
  const int64_t H = weights.size(1), S = weights.size(3);
  std::vector<Tensor> rows;
  for (int64_t b = 0; b < weights.size(0); ++b)
    for (int64_t t = 0; t < weights.size(2); ++t) {
      std::vector<int64_t> order(static_cast<size_t>(S));
      std::iota(order.begin(), order.end(), int64_t{0});
      std::vector<int64_t> own(order.begin(), order.begin() + std::min(S, places));
      shuffle(own, random);
      std::copy(own.begin(), own.end(), order.begin());
      rows.push_back(index_select(weights.select(0, b).select(1, t).contiguous(), 1,
                                  Tensor::from(order, {S})));
    }
  return stack(rows, 0)
      .reshape({weights.size(0), weights.size(2), H, S})
      .transpose(1, 2)
      .contiguous();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void add_shuffles(const TrustQuestion& q, const TrustOptions& options,
                  std::vector<TokenTrust>& found) {
  if (!q.model || options.shuffles < 1) return;
  const NoGrad quiet;
  std::mt19937_64 random(mix64(options.seed));
  const Tensor whole = softmax(q.logits(Var(q.input)).value(), -1);
  std::vector<std::vector<double>> distances(q.answer.size());
  std::vector<double> changes(q.answer.size());
  const int64_t rows = batch_rows(q);
  for (int64_t first = 0; first < options.shuffles; first += rows) {
    const int64_t n = std::min(rows, options.shuffles - first);
    const AttentionIntervention elsewhere(
        *q.model, q.layer, [&](const Tensor& w) { return shuffled(w, places(q), random); });
    const Tensor other = softmax(q.logits(Var(copies(q, n))).value(), -1);
    if (elsewhere.calls() == 0) fail("trust", "this layer did not take part", q.layer);
    for (size_t t = 0; t < q.answer.size(); ++t) {
      const auto row = static_cast<int64_t>(t);
      const std::vector<double> before = numbers(whole.select(0, 0).select(0, row));
      for (int64_t i = 0; i < n; ++i) {
        const std::vector<double> after = numbers(other.select(0, i).select(0, row));
        double distance = 0;
        for (size_t v = 0; v < before.size(); ++v) distance += std::abs(before[v] - after[v]) / 2;
        distances[t].push_back(distance);
        if (largest(after) != largest(before)) changes[t] += 1;
      }
    }
  }
  for (size_t t = 0; t < q.answer.size(); ++t) {
    found[t].shuffled_distance = median(distances[t]);
    found[t].shuffled_changed = changes[t] / static_cast<double>(options.shuffles);
  }
}

}  // namespace

std::vector<double> sizes(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) out.push_back(std::abs(value));
  return out;
}

size_t largest(const std::vector<double>& values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

TrustReport examine(const TrustQuestion& q, const TrustOptions& options) {
  check(q);
  TrustReport y{q.source, q.layer, {}, q.columns};
  for (size_t t = 0; t < q.answer.size(); ++t)
    y.tokens.push_back({.token = q.answer[t], .weights = q.weights[t]});
  add_gradients(q, y.tokens);
  add_erasure(q, options.erasure, y.tokens);
  add_shuffles(q, options, y.tokens);
  for (TokenTrust& token : y.tokens) {
    token.rho_gradient = spearman(token.weights, token.gradient);
    token.rho_input_gradient = spearman(token.weights, sizes(token.input_gradient));
    token.rho_erasure = spearman(token.weights, sizes(token.erasure));
  }
  return y;
}

}  // namespace glass
