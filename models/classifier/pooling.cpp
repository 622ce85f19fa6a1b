#include "models/classifier/pooling.h"

#include "nn/init.h"

namespace glass {

SelfAttentivePooling::SelfAttentivePooling(int64_t state_size, int64_t attention_size, int64_t r,
                                           Generator& generator)
    : squash(state_size, attention_size, false, generator),
      hops(parameter(Tensor::zeros({r, attention_size}))),
      attention({.query_dim = attention_size,
                 .key_dim = attention_size,
                 .value_dim = state_size,
                 .score = DotScore{}},
                generator) {
  xavier_uniform_(hops, generator);
}

void SelfAttentivePooling::visit(Visitor& v) {
  v("squash", squash);
  v("hops", hops);
  v("attention", attention);
}

SelfAttentivePooling::Output SelfAttentivePooling::operator()(const Var& states,
                                                              const Mask& mask) const {
  const int64_t B = states.size(0), r = hops.size(0), D = states.size(2);
  const Var queries = expand(unsqueeze(hops, 0), {B, r, hops.size(1)});
  const AttentionOutput y =
      attention(queries, attention.prepare(tanh(squash(states)), mask, states));
  return {reshape(y.context, {B, r * D}), select(y.weights.dense(), 1, 0)};
}

Var hop_penalty(const Var& weights) {
  const Var both = matmul_transposed(weights, weights);
  const Var unit(Tensor::eye(weights.size(1), weights.dtype()));
  return sum(square(both - unit)) * (1.0 / static_cast<double>(weights.size(0)));
}

}  // namespace glass
