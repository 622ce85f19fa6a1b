#include "models/seq2seq/recurrent.h"

namespace glass {
namespace {

std::variant<LSTM, GRU, RNN> make(CellKind kind, int64_t input, int64_t hidden, RnnOptions options,
                                  Generator& generator) {
  options.batch_first = true;
  if (kind == CellKind::lstm) return LSTM(input, hidden, options, generator);
  if (kind == CellKind::gru) return GRU(input, hidden, options, generator);
  return RNN(input, hidden, options, generator);
}

}  // namespace

std::string name(CellKind kind) {
  return kind == CellKind::lstm ? "lstm" : kind == CellKind::gru ? "gru" : "rnn";
}

CellKind cell_named(const std::string& text) {
  for (const CellKind kind : {CellKind::lstm, CellKind::gru, CellKind::rnn})
    if (name(kind) == text) return kind;
  fail("model", "cell must be lstm, gru or rnn", "got ", text);
}

Recurrent::Recurrent(CellKind kind, int64_t input, int64_t hidden, const RnnOptions& options,
                     Generator& generator)
    : layers(make(kind, input, hidden, options, generator)) {}

void Recurrent::visit(Visitor& v) {
  std::visit([&](auto& layer) { layer.visit(v); }, layers);
}

Recurrent::Output Recurrent::operator()(const Var& input, const std::vector<int64_t>& lengths,
                                        const Var& h, const Var& c) {
  // The layer is no member of its own in visit(), so that its names are those of an LSTM: the mode
  // must be handed on.
  std::visit(
      [&](auto& layer) {
        if (layer.is_training() != is_training()) layer.train(is_training());
      },
      layers);
  if (LSTM* lstm = std::get_if<LSTM>(&layers)) {
    const LSTM::Output y = (*lstm)(input, lengths, {h, c});
    return {y.output, y.state.h, y.state.c};
  }
  if (GRU* gru = std::get_if<GRU>(&layers)) {
    const GRU::Output y = (*gru)(input, lengths, h);
    return {y.output, y.state, {}};
  }
  const RNN::Output y = std::get<RNN>(layers)(input, lengths, h);
  return {y.output, y.state, {}};
}

}  // namespace glass
