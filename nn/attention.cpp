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
                                     Generator& generator)
    : query_proj(query_dim, attn_dim, false, generator),
      key_proj(key_dim, attn_dim, false, generator) {
  if (attn_dim < 1) fail("AdditiveAttention", "attn_dim must be positive", attn_dim);
  const double bound = 1 / std::sqrt(static_cast<double>(attn_dim));
  v = parameter(uniform({attn_dim}, -bound, bound, kFloat32, generator));
}

void AdditiveAttention::visit(Visitor& visitor) {
  visitor("query_proj", query_proj);
  visitor("key_proj", key_proj);
  visitor("v", v);
}

Keys AdditiveAttention::prepare(const Var& keys, const Mask& mask, const Var& values) const {
  if (keys.ndim() != 3 || keys.size(2) != key_proj.weight.size(1))
    fail("AdditiveAttention", "keys must be [B, S, key_dim]", keys.shape(), " for key_dim ",
         key_proj.weight.size(1));
  if (mask.all()) return {values.defined() ? values : keys, key_proj(keys), mask};
  if (!(mask.allowed().shape() == Shape{keys.size(0), keys.size(1)}))
    fail("AdditiveAttention", "the mask does not fit the keys", mask.allowed().shape(), " for ",
         keys.shape());
  // Hidden keys become 0: 0 · NaN would reach the weights' gradients.
  const Var may(mask.allowed().unsqueeze(2));
  const Var clean = where(may, keys, 0.0);
  return {values.defined() ? where(may, values, 0.0) : clean, key_proj(clean), mask};
}

Attended AdditiveAttention::operator()(const Var& query, const Keys& keys) const {
  if (query.ndim() < 2 || query.size(-1) != query_proj.weight.size(1))
    fail("AdditiveAttention", "the query has the wrong size", query.shape(), " for query_dim ",
         query_proj.weight.size(1));
  const auto [context, weights] =
      additive_attention(query_proj(query), keys.projected, v, keys.values, keys.mask.allowed());
  return {context, weights};
}

}  // namespace glass
