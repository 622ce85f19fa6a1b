#include "models/seq2seq/encoder.h"

#include "autograd/ops/dropout.h"

namespace glass {

Encoder::Encoder(const EncoderOptions& options, Generator& init)
    : embedding(options.vocabulary, options.embedding, 0, init), options_(options) {
  const RnnOptions rnn{.num_layers = options.layers,
                       .batch_first = true,
                       .dropout = options.layers > 1 ? options.dropout : 0,
                       .bidirectional = options.bidirectional};
  if (options.cell == CellKind::lstm)
    lstm.emplace(options.embedding, options.hidden, rnn, init);
  else
    gru.emplace(options.embedding, options.hidden, rnn, init);
}

void Encoder::visit(Visitor& v) {
  v("embedding", embedding);
  if (lstm) v("rnn", *lstm);
  if (gru) v("rnn", *gru);
}

Encoder::Output Encoder::operator()(const Tensor& tokens, const std::vector<int64_t>& lengths,
                                    Generator& drops) {
  const Var embedded = dropout(embedding(Var(tokens)), options_.dropout, is_training(), drops);
  Output out;
  Var final;  // [layers·directions, B, H]
  if (lstm) {
    auto result = (*lstm)(embedded, lengths);
    out.states = result.output;
    final = result.state.h;
  } else {
    auto result = (*gru)(embedded, lengths);
    out.states = result.output;
    final = result.state;
  }
  const int64_t directions = options_.bidirectional ? 2 : 1, total = final.size(0);
  std::vector<Var> last;
  for (int64_t d = 0; d < directions; ++d) last.push_back(select(final, 0, total - directions + d));
  out.last = cat(last, 1);
  return out;
}

}  // namespace glass
