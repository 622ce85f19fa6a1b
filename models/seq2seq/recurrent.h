#pragma once

#include <string>
#include <variant>

#include "nn/elman.h"
#include "nn/gru.h"
#include "nn/lstm.h"

namespace glass {

enum class CellKind : uint8_t { lstm, gru, rnn };
std::string name(CellKind kind);
/// Throws Error for another name.
CellKind cell_named(const std::string& name);

/// An LSTM, GRU or simple recurrent network behind one call; batch first.
class Recurrent : public Module {
 public:
  Recurrent(CellKind kind, int64_t input, int64_t hidden, const RnnOptions& options,
            Generator& generator);
  void visit(Visitor& v) override;

  struct Output {
    Var output;  ///< [B, T, directions·H]
    Var h, c;    ///< [layers·directions, B, H]; c of an LSTM only
  };
  Output operator()(const Var& input, const std::vector<int64_t>& lengths = {}, const Var& h = {},
                    const Var& c = {});
  bool has_cell() const { return std::holds_alternative<LSTM>(layers); }

  std::variant<LSTM, GRU, RNN> layers;
};

}  // namespace glass
