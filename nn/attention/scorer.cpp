#include "nn/attention/scorer.h"

#include <cmath>

#include "autograd/ops/window.h"
#include "nn/init.h"

namespace glass {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

Var uniform_parameter(const Shape& shape, int64_t fan_in, Generator& generator) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  return parameter(uniform(shape, -bound, bound, kFloat32, generator));
}

void check_equal(const char* score, int64_t query, int64_t key) {
  if (query != key)
    fail("Attention", text(score, " needs query and key of one size"), query, " and ", key);
}

void check_size(const char* name, int64_t n) {
  if (n < 1) fail("Attention", text(name, " must be positive"), n);
}

}  // namespace

Scorer::Scorer(const AttentionScore& score, int64_t query, int64_t key, int64_t heads,
               bool coverage, Dialect dialect, Generator& gen)
    : score_(score), query_dim_(query), key_dim_(key), num_heads_(heads) {
  const auto unit_parameters = [&](int64_t A, bool projections) {
    check_size("attn_dim", A);
    if (!projections && (A != query || A != key))
      fail("Attention", "without projections attn_dim is the size of query and key", A, " for ",
           query, " and ", key);
    if (projections) {
      query_weight = uniform_parameter({heads * A, query}, query, gen);
      key_weight = uniform_parameter({heads * A, key}, key, gen);
    }
    v = uniform_parameter({heads * A}, A, gen);
    if (coverage) coverage_weight = uniform_parameter({heads * A}, A, gen);
  };
  const Overload build{
      [&](const DotScore&) { check_equal("dot", query, key); },
      [&](const ScaledDotScore&) { check_equal("scaled dot", query, key); },
      [&](const GeneralScore&) {
        key_weight = uniform_parameter({heads * query, key}, key, gen);
      },
      [&](const ConcatScore& s) {
        const int64_t A = s.attn_dim;
        check_size("attn_dim", A);
        if (dialect == Dialect::authors) {
          if (A != key)
            fail("Attention", "the authors' concat needs attn_dim equal to the size of a key", A,
                 " and ", key);
          query_weight = uniform_parameter({heads * A, query}, query, gen);
        } else {
          query_weight = uniform_parameter({heads * A, query + key}, query + key, gen);
        }
        v = uniform_parameter({heads * A}, A, gen);
        if (coverage) coverage_weight = uniform_parameter({heads * A}, A, gen);
      },
      [&](const AdditiveScore& s) {
        unit_parameters(s.attn_dim, dialect != Dialect::popular);
        squash_ = s.squash;
        if (s.bias) bias = parameter(Tensor::zeros({heads * s.attn_dim}));
        if (s.normed)
          g = parameter(Tensor::full({heads}, 1 / std::sqrt(static_cast<double>(s.attn_dim))));
      },
      [&](const CosineScore& s) {
        check_equal("cosine", query, key);
        if (s.learnable) beta = parameter(Tensor::scalar(1 / s.temperature));
      },
      [&](const LocationScore& s) {
        check_size("max_keys", s.max_keys);
        places = uniform_parameter({heads * s.max_keys, query}, query, gen);
      }};
  std::visit(build, score_);
  if (coverage && !v.defined())
    fail("Attention", "coverage is a part of additive and concat scores",
         "use AdditiveScore or ConcatScore");
}

void Scorer::visit(Visitor& visitor) {
  visitor("query_weight", query_weight);
  visitor("key_weight", key_weight);
  visitor("bias", bias);
  visitor("v", v);
  visitor("g", g);
  visitor("coverage_weight", coverage_weight);
  visitor("beta", beta);
  visitor("places", places);
}

Var Scorer::per_head(const Var& x, const Var& weight) const {
  if (num_heads_ == 1) return linear(x, weight);
  const int64_t H = num_heads_, B = x.size(0) / H, L = x.size(1), in = x.size(2);
  const int64_t out = weight.size(0) / H;
  const Var rows = reshape(permute(reshape(x, {B, H, L, in}), {1, 0, 2, 3}), {H, B * L, in});
  const Var y = matmul_transposed(rows, reshape(weight, {H, out, in}));  // [H, B·L, out]
  return reshape(permute(reshape(y, {H, B, L, out}), {1, 0, 2, 3}), {B * H, L, out});
}

Var Scorer::project_keys(const Var& keys) const {
  const Overload project{
      [&](const GeneralScore&) { return per_head(keys, key_weight); },
      [&](const ConcatScore&) {
        if (query_weight.size(1) == query_dim_) return keys;  // the authors' dialect
        return per_head(keys, narrow(query_weight, 1, query_dim_, key_dim_));
      },
      [&](const AdditiveScore&) {
        return key_weight.defined() ? per_head(keys, key_weight) : keys;
      },
      [&](const CosineScore& s) {
        return keys / where(norm(keys, 2, {-1}, true) < s.eps, s.eps, norm(keys, 2, {-1}, true));
      },
      [&](const LocationScore& s) {
        const int64_t S = keys.size(1), N = keys.size(0), H = num_heads_;
        if (S > s.max_keys)
          fail("Attention", "more keys than max_keys", S, ", at most ", s.max_keys);
        const Var first = narrow(reshape(places, {H, s.max_keys, query_dim_}), 1, 0, S);
        return reshape(expand(unsqueeze(first, 0), {N / H, H, S, query_dim_}), {N, S, query_dim_});
      },
      [&](const auto&) { return keys; }};
  return std::visit(project, score_);
}

Var Scorer::project_query(const Var& query) const {
  const Overload project{
      [&](const ScaledDotScore& s) {
        const double d = static_cast<double>(std::max<int64_t>(query_dim_, 1));
        return query * s.scale.value_or(1 / std::sqrt(d));
      },
      [&](const ConcatScore&) {
        if (query_weight.size(1) == query_dim_) return per_head(query, query_weight);
        return per_head(query, narrow(query_weight, 1, 0, query_dim_));
      },
      [&](const AdditiveScore&) {
        const Var y = query_weight.defined() ? per_head(query, query_weight) : query;
        if (!bias.defined()) return y;
        if (num_heads_ == 1) return y + bias;
        const Var rows = reshape(bias, {num_heads_, 1, y.size(2)});
        return reshape(
            reshape(y, {y.size(0) / num_heads_, num_heads_, y.size(1), y.size(2)}) + rows,
            y.shape());
      },
      [&](const CosineScore& s) {
        const Var size = norm(query, 2, {-1}, true);
        const Var direction = query / where(size < s.eps, s.eps, size);
        return beta.defined() ? direction * beta : direction * (1 / s.temperature);
      },
      [&](const auto&) { return query; }};
  return std::visit(project, score_);
}

Var Scorer::unit() const {
  if (!g.defined()) return v;
  const Var rows = reshape(v, {num_heads_, v.numel() / num_heads_});
  return reshape(rows * (unsqueeze(g, 1) / norm(rows, 2, {-1}, true)), v.shape());
}

Var Scorer::squash(const Var& x) const { return squash_ == Squash::tanh ? tanh(x) : relu(x); }

Var Scorer::against_unit(const Var& x) const {
  if (num_heads_ == 1) return matmul(x, unit());
  const int64_t A = x.size(-1), N = x.size(0);
  const Var rows = reshape(x, {N / num_heads_, num_heads_, x.size(1) * x.size(2), A});
  const Var e = matmul(rows, reshape(unit(), {num_heads_, A, 1}));
  return reshape(e, {N, x.size(1), x.size(2)});
}

Var Scorer::operator()(const Var& query, const Var& keys, const Var& coverage) const {
  if (is_product()) return matmul_transposed(query, keys);
  Var inner = unsqueeze(query, 2) + unsqueeze(keys, 1);  // [N, T, S, A]
  if (coverage.defined()) {
    const Var c = reshape(coverage, {keys.size(0) / num_heads_, num_heads_, 1, keys.size(1), 1});
    const Var term = c * reshape(coverage_weight, {num_heads_, 1, 1, keys.size(2)});
    inner = inner + reshape(term, {keys.size(0), 1, keys.size(1), keys.size(2)});
  }
  return against_unit(squash(inner));
}

Var Scorer::windowed(const Var& query, const Var& keys, const Tensor& start, int64_t window) const {
  if (is_product()) return window_scores(query, keys, start, window);
  return against_unit(squash(unsqueeze(query, 2) + window_gather(keys, start, window)));
}

}  // namespace glass
