#include "nn/attention.h"

#include <cmath>

namespace glass {

Var masked_softmax(In scores, const Mask& mask) {
  if (mask.all()) return masked_softmax(scores, Tensor());
  Tensor allowed = mask.allowed();
  while (allowed.ndim() < scores->ndim()) allowed = allowed.unsqueeze(1);
  return masked_softmax(scores, allowed);
}

AdditiveAttention::AdditiveAttention(int64_t query_dim, int64_t key_dim, int64_t attn_dim,
                                     Generator& generator) {
  if (query_dim < 1 || key_dim < 1 || attn_dim < 1)
    fail("AdditiveAttention", "sizes must be positive", query_dim, ", ", key_dim, ", ", attn_dim);
  auto draw = [&](const Shape& shape, int64_t fan_in) {
    const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
    return parameter(uniform(shape, -bound, bound, kFloat32, generator));
  };
  query_proj = draw({attn_dim, query_dim}, query_dim);
  key_proj = draw({attn_dim, key_dim}, key_dim);
  v = draw({attn_dim}, attn_dim);
}

void AdditiveAttention::visit(Visitor& visitor) {
  visitor("query_proj.weight", query_proj);
  visitor("key_proj.weight", key_proj);
  visitor("v", v);
}

Keys AdditiveAttention::prepare(const Var& keys, const Mask& mask, const Var& values) const {
  if (keys.ndim() != 3 || keys.size(2) != key_proj.size(1))
    fail("AdditiveAttention", "keys must be [B, S, key_dim]", keys.shape(), " for key_dim ",
         key_proj.size(1));
  if (mask.all()) return {values.defined() ? values : keys, linear(keys, key_proj), mask};
  if (!(mask.allowed().shape() == Shape{keys.size(0), keys.size(1)}))
    fail("AdditiveAttention", "the mask does not fit the keys", mask.allowed().shape(), " for ",
         keys.shape());
  // Hidden keys become 0: 0 · NaN would reach the weights' gradients.
  const Var may(mask.allowed().unsqueeze(2));
  const Var clean = where(may, keys, 0.0);
  return {values.defined() ? where(may, values, 0.0) : clean, linear(clean, key_proj), mask};
}

Attended AdditiveAttention::operator()(const Var& query, const Keys& keys) const {
  if (query.ndim() < 2 || query.size(-1) != query_proj.size(1))
    fail("AdditiveAttention", "the query has the wrong size", query.shape(), " for query_dim ",
         query_proj.size(1));
  const auto [context, weights] = additive_attention(linear(query, query_proj), keys.projected, v,
                                                     keys.values, keys.mask.allowed());
  return {context, weights};
}

}  // namespace glass
