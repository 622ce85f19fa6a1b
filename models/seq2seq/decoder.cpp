#include "models/seq2seq/decoder.h"

namespace glass {
namespace {

bool needs_bridge(const DecoderOptions& o) {
  return o.place != AttentionPlace::none && (needs_equal_sizes(o.attention) || o.sentinel) &&
         o.keys != o.hidden;
}

int64_t key_size(const DecoderOptions& o) { return needs_bridge(o) ? o.hidden : o.keys; }

int64_t context_size(const DecoderOptions& o) {
  if (o.place == AttentionPlace::none) return o.keys;
  return o.attention.heads > 1 ? o.hidden : key_size(o);
}

void check_sentinel(const DecoderOptions& o) {
  if (!o.sentinel) return;
  if (o.place != AttentionPlace::after || o.cell != CellKind::lstm)
    fail("model", "a sentinel needs attention after the step of an LSTM", "got ", name(o.place),
         " and ", name(o.cell));
  if (needs_order(o.attention) || o.attention.score == "location" || o.attention.coverage)
    fail("model", "a sentinel has no place among the keys, which these attentions need",
         o.attention.score, ", ", o.attention.scope, ", ", o.attention.normalizer);
}

std::optional<Attention> make_attention(const DecoderOptions& o, Generator& init) {
  if (o.place == AttentionPlace::none) return std::nullopt;
  AttentionOptions options = attention_options(o.attention, o.hidden, key_size(o));
  if (o.place == AttentionPlace::after && o.attention.gate != "none")
    fail("model", "a gate needs attention before the step", "got ", name(o.place));
  if (o.place == AttentionPlace::after) options.after = AttentionalState{o.hidden};
  return Attention(options, init);
}

int64_t input_size(const DecoderOptions& o) {
  if (o.place == AttentionPlace::after) return o.embedding + (o.input_feeding ? o.hidden : 0);
  return o.embedding + context_size(o);
}

}  // namespace

std::string name(AttentionPlace place) {
  return place == AttentionPlace::none     ? "none"
         : place == AttentionPlace::before ? "before"
                                           : "after";
}

AttentionPlace place_named(const std::string& text) {
  for (const auto place : {AttentionPlace::none, AttentionPlace::before, AttentionPlace::after})
    if (name(place) == text) return place;
  fail("model", "attention must be none, before or after", "got ", text);
}

std::string name(Bridge bridge) {
  return bridge == Bridge::none ? "none" : bridge == Bridge::copy ? "copy" : "dense";
}

Bridge bridge_named(const std::string& text) {
  for (const auto bridge : {Bridge::none, Bridge::copy, Bridge::dense})
    if (name(bridge) == text) return bridge;
  fail("model", "bridge must be none, copy or dense", "got ", text);
}

Decoder::Decoder(const DecoderOptions& o, Generator& init)
    : embedding(o.vocabulary, o.embedding, 0, init),
      attention(make_attention(o, init)),
      start_h(o.start == Bridge::dense
                  ? std::optional<Linear>(std::in_place, o.keys, o.layers * o.hidden, true, init)
                  : std::nullopt),
      rnn(o.cell, input_size(o), o.hidden,
          {.num_layers = o.layers, .dropout = o.layers > 1 ? o.dropout : 0}, init),
      output(o.place == AttentionPlace::after ? o.hidden : o.hidden + context_size(o),
             o.tied ? o.embedding : o.vocabulary, true, init),
      options_(o) {
  if (start_h && rnn.has_cell()) start_c.emplace(o.keys, o.layers * o.hidden, true, init);
  if (needs_bridge(o)) bridge.emplace(o.keys, o.hidden, false, init);
  check_sentinel(o);
  if (!o.sentinel) return;
  sentinel_input.emplace(input_size(o), o.hidden, false, init);
  sentinel_state.emplace(o.hidden, o.hidden, false, init);
  sentinel_key.emplace(o.hidden, o.hidden, false, init);
}

void Decoder::visit(Visitor& v) {
  v("embedding", embedding);
  if (attention) v("attention", *attention);
  if (start_h) v("start_h", *start_h);
  if (start_c) v("start_c", *start_c);
  if (bridge) v("bridge", *bridge);
  if (sentinel_input) v("sentinel_input", *sentinel_input);
  if (sentinel_state) v("sentinel_state", *sentinel_state);
  if (sentinel_key) v("sentinel_key", *sentinel_key);
  v("rnn", rnn);
  v("output", output);
}

Decoder::Memory Decoder::read(const Var& states, const Var& last, const Mask& mask) const {
  if (!attends()) return {{}, last};
  return {attention->prepare(bridge ? (*bridge)(states) : states, mask), last};
}

Decoder::State Decoder::start(const Var& last, const Var& h, const Var& c) const {
  const int64_t B = last.size(0);
  const auto layers = [&](const Linear& from) {
    const Var all = tanh(from(last));  // [B, layers·H]
    if (options_.layers == 1) return unsqueeze(all, 0);
    return transpose(reshape(all, {B, options_.layers, options_.hidden}), 0, 1);
  };
  const auto zeros = [&] {
    return Var(Tensor::zeros({options_.layers, B, options_.hidden}, last.dtype()));
  };
  State state{h, c, {}, {}};
  if (options_.start == Bridge::none) state = {zeros(), rnn.has_cell() ? zeros() : Var(), {}, {}};
  if (options_.start == Bridge::dense)
    state = {layers(*start_h), start_c ? layers(*start_c) : Var(), {}, {}};
  if (options_.place == AttentionPlace::after && options_.input_feeding)
    state.feed = Var(Tensor::zeros({B, options_.hidden}, last.dtype()));
  return state;
}

Decoder::Written Decoder::step(const Var& embedded, const State& state, const Memory& memory) {
  Written y;
  Var input = embedded, context = memory.last;
  if (options_.place == AttentionPlace::before) {
    y.seen.push_back(
        (*attention)(select(state.h, 0, options_.layers - 1), memory.keys, state.attention));
    context = y.seen[0].output;
  }
  if (options_.place != AttentionPlace::after)
    input = cat({embedded, context}, 1);
  else if (options_.input_feeding)
    input = cat({embedded, state.feed}, 1);
  const Recurrent::Output run = rnn(unsqueeze(input, 1), {}, state.h, state.c);
  const Var top = squeeze(run.output, 1);
  y.state = {run.h, run.c, {}, {}};
  if (options_.place == AttentionPlace::after) {
    const Keys keys =
        options_.sentinel ? with_sentinel(memory.keys, input, state.h, run.c) : memory.keys;
    y.seen.push_back((*attention)(top, keys, state.attention));
    y.features = unsqueeze(y.seen[0].output, 1);
    if (options_.input_feeding) y.state.feed = y.seen[0].output;
  } else {
    y.features = unsqueeze(cat({top, context}, 1), 1);
  }
  if (attends()) y.state.attention = y.seen[0].next;
  return y;
}

// before and cell: [layers, B, H].
Keys Decoder::with_sentinel(const Keys& keys, const Var& input, const Var& before,
                            const Var& cell) const {
  const int64_t top = options_.layers - 1;
  const Var gate = sigmoid((*sentinel_input)(input) + (*sentinel_state)(select(before, 0, top)));
  const Var sentinel = unsqueeze(gate * tanh(select(cell, 0, top)), 1);
  return keys.followed_by(attention->prepare((*sentinel_key)(sentinel), {}, sentinel));
}

Var Decoder::places(const AttentionOutput& seen) const {
  const Var all = seen.weights.dense();
  return options_.sentinel ? narrow(all, 3, 0, all.size(3) - 1) : all;
}

bool Decoder::goes_at_once() const {
  return options_.place == AttentionPlace::none ||
         (options_.place == AttentionPlace::after && !options_.input_feeding && !options_.sentinel);
}

Decoder::Written Decoder::all(const Var& embedded, const State& start, const Memory& memory) {
  const int64_t B = embedded.size(0), T = embedded.size(1);
  if (!goes_at_once()) {
    std::vector<Var> features;
    Written y{start, {}, {}};
    for (int64_t t = 0; t < T; ++t) {
      Written one = step(select(embedded, 1, t), y.state, memory);
      y.state = one.state;
      features.push_back(one.features);
      y.seen.push_back(std::move(one.seen[0]));
    }
    y.features = cat(features, 1);
    return y;
  }
  Written y;
  Var input = embedded, context;
  if (!attends()) {
    context = expand(unsqueeze(memory.last, 1), {B, T, memory.last.size(1)});
    input = cat({embedded, context}, 2);
  }
  const Recurrent::Output run = rnn(input, {}, start.h, start.c);
  y.state = {run.h, run.c, {}, {}};
  if (!attends()) {
    y.features = cat({run.output, context}, 2);
    return y;
  }
  y.seen.push_back((*attention)(run.output, memory.keys, start.attention));
  y.features = y.seen[0].output;
  y.state.attention = y.seen[0].next;
  return y;
}

Var Decoder::logits(const Var& features) {
  const Var y = output(features);
  return options_.tied ? linear(y, embedding.weight) : y;
}

Decoder::Memory Decoder::rows(const Memory& memory, const Tensor& index) {
  Memory y{{}, index_select(memory.last, 0, Var(index))};
  if (memory.keys.values.defined()) y.keys = memory.keys.rows(index);
  return y;
}

Decoder::State Decoder::rows(const State& state, const Tensor& index) {
  const auto take = [&](const Var& x, int64_t dim) {
    return x.defined() ? index_select(x, dim, Var(index)) : x;
  };
  return {take(state.h, 1), take(state.c, 1), take(state.feed, 0), state.attention.rows(index)};
}

}  // namespace glass
