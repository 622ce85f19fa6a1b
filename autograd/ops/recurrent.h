#pragma once

#include <array>
#include <vector>

#include "autograd/var.h"

// Recurrent layers as single ops. T time steps, B batch rows, I inputs, H units.
//
// lengths (empty: all T) counts the valid steps of each row, 0 … T. Beyond them nothing is read,
// the output is 0 and no gradient goes in; the reverse direction begins at each row's last valid
// step; the final state is the state after the valid steps, for length 0 the initial one.
namespace glass {

/// An LSTM over a sequence: output [T, B, H], h_n [B, H], c_n [B, H]. x [T, B, I]; h0, c0 [B, H]
/// (may be undefined: zeros); weight_ih [4H, I]; weight_hh [4H, H]; bias [4H] (may be undefined).
/// Rows of the weights in the order i, f, g, o. Equations: nn/lstm.h.
std::array<Var, 3> lstm_sequence(In x, const Var& h0, const Var& c0, In weight_ih, In weight_hh,
                                 const Var& bias, const std::vector<int64_t>& lengths = {},
                                 bool reverse = false);

/// One LSTM step after its products: gates [B, 4H] in the order i, f, g, o, c [B, H] -> {h, c}.
std::array<Var, 2> lstm_cell(In gates, In c);

/// A GRU over a sequence: output [T, B, H], h_n [B, H]. Weights [3H, I] and [3H, H], biases [3H]
/// (both or none), rows in the order r, z, n. Equations: nn/gru.h.
std::array<Var, 2> gru_sequence(In x, const Var& h0, In weight_ih, In weight_hh, const Var& bias_ih,
                                const Var& bias_hh, const std::vector<int64_t>& lengths = {},
                                bool reverse = false);

/// One GRU step after its products: x_gates and h_gates [B, 3H] in the order r, z, n; h [B, H].
Var gru_cell(In x_gates, In h_gates, In h);

}  // namespace glass
