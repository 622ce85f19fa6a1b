#include "models/seq2seq/decoder.h"

namespace glass {

Decoder::Decoder(const DecoderOptions& o, Generator& init)
    : embedding(o.vocabulary, o.embedding, 0, init),
      attention({.query_dim = o.hidden, .key_dim = o.keys, .score = AdditiveScore{o.attention}},
                init),
      start_h(o.keys, o.hidden, true, init),
      output(o.hidden + o.keys, o.vocabulary, true, init) {
  const int64_t input = o.embedding + o.keys;
  if (o.cell == CellKind::lstm) {
    lstm.emplace(input, o.hidden, true, init);
    start_c.emplace(o.keys, o.hidden, true, init);
  } else {
    gru.emplace(input, o.hidden, true, init);
  }
}

void Decoder::visit(Visitor& v) {
  v("embedding", embedding);
  v("attention", attention);
  if (lstm) v("cell", *lstm);
  if (gru) v("cell", *gru);
  v("start_h", start_h);
  if (start_c) v("start_c", *start_c);
  v("output", output);
}

Decoder::State Decoder::start(const Var& last) {
  State state{tanh(start_h(last)), Var()};
  if (start_c) state.c = tanh((*start_c)(last));
  return state;
}

Decoder::Step Decoder::step(const Var& embedded, const State& state, const Keys& keys) {
  const AttentionOutput attended = attention(state.h, keys);
  const Var& context = attended.context;
  const Var input = cat({embedded, context}, 1);
  Step next;
  if (lstm) {
    const LstmState s = (*lstm)(input, {state.h, state.c});
    next.state = {s.h, s.c};
  } else {
    next.state.h = (*gru)(input, state.h);
  }
  next.context = context;
  next.weights = select(attended.weights.values, 1, 0);
  return next;
}

Var Decoder::logits(const Var& features) { return output(features); }

}  // namespace glass
