#include "nn/attention/scope.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"

namespace glass {

ScopePart::ScopePart(const AttentionScope& scope, int64_t query_dim, int64_t num_heads,
                     Dialect dialect, Generator& generator)
    : scope_(scope), num_heads_(num_heads), dialect_(dialect) {
  const auto* p = std::get_if<LocalPScope>(&scope);
  if (!p) return;
  const int64_t A = p->attn_dim > 0 ? p->attn_dim : query_dim;
  const auto draw = [&](const Shape& shape, int64_t fan_in) {
    const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
    return parameter(uniform(shape, -bound, bound, kFloat32, generator));
  };
  predictor = draw({num_heads * A, query_dim}, query_dim);
  unit = draw({num_heads * A}, A);
}

void ScopePart::visit(Visitor& v) {
  v("predictor", predictor);
  v("unit", unit);
}

bool ScopePart::is_local() const {
  return std::holds_alternative<LocalMScope>(scope_) || std::holds_alternative<LocalPScope>(scope_);
}

bool ScopePart::needs_previous() const {
  const auto* prior = std::get_if<PriorScope>(&scope_);
  return prior && prior->centre == PriorCentre::previous;
}

// p = S·σ(v_pᵀ·tanh(W_p·s)), or (S - 1)·σ(…) in the authors' dialect
Var ScopePart::predict(const Var& query, const std::vector<int64_t>& counts) const {
  const int64_t N = query.size(0), T = query.size(1), H = num_heads_, B = N / H;
  const int64_t A = unit.numel() / H;
  Var inner;  // v_pᵀ·tanh(W_p·s): [N, T]
  if (H == 1) {
    inner = matmul(tanh(linear(query, predictor)), unit);
  } else {
    const Var x = reshape(permute(reshape(query, {B, H, T, query.size(2)}), {1, 0, 2, 3}),
                          {H, B * T, query.size(2)});
    const Var h = tanh(matmul_transposed(x, reshape(predictor, {H, A, query.size(2)})));
    const Var y = matmul(h, reshape(unit, {H, A, 1}));  // [H, B·T, 1]
    inner = reshape(permute(reshape(y, {H, B, T}), {1, 0, 2}), {N, T});
  }
  Tensor sizes = Tensor::empty({N, 1}, kFloat64);
  const int64_t less = dialect_ == Dialect::authors ? 1 : 0;
  for (int64_t n = 0; n < N; ++n)
    sizes.data<double>()[n] =
        static_cast<double>(std::max<int64_t>(counts[static_cast<size_t>(n)] - less, 0));
  return sigmoid(inner) * Var(sizes.to(query.dtype()));
}

KeyWindow ScopePart::window(const Var& query, int64_t step, int64_t keys, const Tensor& seen,
                            const std::vector<int64_t>& counts) const {
  const int64_t N = query.size(0), T = query.size(1);
  const auto* p = std::get_if<LocalPScope>(&scope_);
  const int64_t D = p ? p->D : std::get<LocalMScope>(scope_).D;
  KeyWindow w;
  const bool whole = D >= keys || 2 * D + 1 >= keys;  // as wide as all keys: begins at the first
  w.size = whole ? keys : 2 * D + 1;
  w.start = Tensor::empty({N, T}, kInt64);
  w.allowed = Tensor::zeros({N, T, w.size}, kBool);
  Tensor centres;  // [N, T] float64
  if (p) {
    w.position = predict(query, counts);
    centres = w.position.value().to(kFloat64).contiguous();
  }
  const Tensor may = seen.defined() ? seen.expand({N, T, keys}) : Tensor();
  const auto sees = [&](int64_t n, int64_t t, int64_t j) {
    if (!may.defined()) return true;
    const Strides& by = may.strides();
    return may.data<bool>()[n * by[0] + t * by[1] + j * by[2]];
  };
  for (int64_t n = 0; n < N; ++n)
    for (int64_t t = 0; t < T; ++t) {
      double centre = static_cast<double>(step + t);
      if (p) centre = centres.data<double>()[n * T + t];
      if (p && dialect_ == Dialect::authors) centre = std::floor(centre);
      const double reach = std::min(static_cast<double>(D), 1e15);
      const auto first = static_cast<int64_t>(std::ceil(centre - reach));
      const auto last = static_cast<int64_t>(std::floor(centre + reach));
      const int64_t start = whole ? 0 : first;
      w.start.data<int64_t>()[n * T + t] = start;
      bool* row = w.allowed.data<bool>() + (n * T + t) * w.size;
      for (int64_t j = std::max<int64_t>(first, 0); j <= std::min(last, keys - 1); ++j)
        row[j - start] = sees(n, t, j);
    }
  if (!p || dialect_ == Dialect::popular) return w;
  // exp(-(j - p)²/(2σ²))
  Tensor places = Tensor::empty({N, T, w.size}, kFloat64);
  for (int64_t i = 0; i < places.numel(); ++i)
    places.data<double>()[i] =
        static_cast<double>(w.start.data<int64_t>()[i / w.size] + i % w.size);
  const double sigma = p->sigma.value_or(static_cast<double>(D) / 2);
  w.factor = exp(square(Var(places.to(query.dtype())) - unsqueeze(w.position, 2)) *
                 (-1 / (2 * sigma * sigma)));
  return w;
}

Tensor ScopePart::allowed(const Tensor& seen, int64_t T, int64_t S, int64_t step) const {
  if (!std::holds_alternative<CausalScope>(scope_)) return seen;
  Tensor past = Tensor::empty({1, T, S}, kBool);
  for (int64_t i = 0; i < T * S; ++i) past.data<bool>()[i] = i % S <= step + i / S;
  return seen.defined() ? logical_and(Var(seen), Var(past)).value() : past;
}

Var ScopePart::prior(int64_t N, int64_t T, int64_t S, int64_t step, const Var& previous,
                     DType dtype) const {
  const auto* prior = std::get_if<PriorScope>(&scope_);
  if (!prior || prior->strength == 0) return {};
  Tensor by_key = Tensor::empty({N, T, S}, kFloat64);
  Tensor last;  // [N], the key with the largest weight so far
  if (prior->centre == PriorCentre::previous && previous.defined() && S > 0)
    last = argmax(previous.detach(), 1).value();
  double* out = by_key.data<double>();
  for (int64_t n = 0; n < N; ++n) {
    const double h = static_cast<double>(n % num_heads_ + 1), H = static_cast<double>(num_heads_);
    const double strength = prior->kind == PriorKind::linear
                                ? prior->strength * std::exp2(-8 * h / H)
                                : prior->strength;
    for (int64_t t = 0; t < T; ++t) {
      double centre = prior->ratio * static_cast<double>(step + t);
      if (prior->centre == PriorCentre::previous)
        centre = last.defined() ? static_cast<double>(last.data<int64_t>()[n]) : 0;
      for (int64_t j = 0; j < S; ++j, ++out) {
        const double away = std::abs(static_cast<double>(j) - centre);
        *out = -strength * (prior->kind == PriorKind::gaussian ? away * away / 2 : away);
      }
    }
  }
  return Var(by_key.to(dtype));
}

}  // namespace glass
