#include "models/seq2seq/encoder.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "nn/mask.h"
#include "nn/positions.h"

namespace glass {

Encoder::Encoder(const EncoderOptions& options, Generator& init) : options_(options) {
  if (options.picture) {
    picture.emplace(*options.picture, init);
    return;
  }
  embedding.emplace(options.vocabulary, options.embedding, 0, init);
  if (options.convolutional) {
    widen.emplace(options.embedding, options.hidden, true, init);
    for (int64_t i = 0; i < options.layers; ++i)
      convolutions.emplace_back(options.hidden, 2 * options.hidden, Dims{3},
                                ConvOptions{.padding = {1}}, true, init);
    return;
  }
  const RnnOptions layers{.num_layers = options.layers,
                          .dropout = options.layers > 1 ? options.dropout : 0,
                          .bidirectional = options.bidirectional};
  rnn.emplace(options.cell, options.embedding, options.hidden, layers, init);
}

void Encoder::visit(Visitor& v) {
  if (embedding) v("embedding", *embedding);
  if (picture) v("picture", *picture);
  if (rnn) v("rnn", *rnn);
  if (widen) v("widen", *widen);
  for (size_t i = 0; i < convolutions.size(); ++i)
    v("convolutions." + std::to_string(i), convolutions[i]);
}

Var Encoder::embed(const Tensor& source) {
  return picture ? (*picture)(source) : (*embedding)(Var(source));
}

Encoder::Output Encoder::read(const Var& embedded, const std::vector<int64_t>& lengths,
                              Generator& drops) {
  if (picture) return {embedded, mean(embedded, {1}), {}, {}};
  if (options_.convolutional) return convolve(embedded, lengths, drops);
  Output out;
  const auto y = (*rnn)(dropout(embedded, options_.dropout, is_training(), drops), lengths);
  out.states = y.output;
  out.h = y.h;
  out.c = y.c;
  const int64_t directions = options_.bidirectional ? 2 : 1, total = y.h.size(0);
  std::vector<Var> last;
  for (int64_t d = 0; d < directions; ++d) last.push_back(select(y.h, 0, total - directions + d));
  out.last = cat(last, 1);
  return out;
}

// h = √½·(h + glu(convolution(h))), padding kept 0 before each.
Encoder::Output Encoder::convolve(const Var& embedded, const std::vector<int64_t>& lengths,
                                  Generator& drops) {
  const int64_t S = embedded.size(1);
  const Var may(Mask::from_lengths(lengths, S).keys().unsqueeze(2));
  const Var places(sinusoidal_positions(S, embedded.size(2), embedded.dtype()));
  const Var x = dropout(embedded + places, options_.dropout, is_training(), drops);
  Var h = where(may, (*widen)(x), 0.0);
  for (Conv1d& convolution : convolutions) {
    const Var in = dropout(h, options_.dropout, is_training(), drops);
    const Var z = glu(transpose(convolution(transpose(in, 1, 2)), 1, 2), 2);
    h = where(may, (h + z) * std::sqrt(0.5), 0.0);
  }
  Tensor sizes = Tensor::empty({embedded.size(0), 1}, kFloat64);
  for (size_t b = 0; b < lengths.size(); ++b)
    sizes.data<double>()[b] = static_cast<double>(std::max<int64_t>(lengths[b], 1));
  return {h, sum(h, {1}) / Var(sizes.to(h.dtype())), {}, {}};
}

}  // namespace glass
