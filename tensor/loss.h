#pragma once

#include "tensor/tensor.h"

// Softmax and cross-entropy in one, row by row. N rows, C classes; dense tensors of one floating
// type. With p = softmax(x) and weights q_c = w_c·((1 - ε)·[c = target] + ε / C):
//   loss = -Σ_c q_c·log p_c,   dx_c = g·(p_c·Σ_k q_k - q_c).
// Rows whose target is ignore_index have loss and gradient 0.
namespace glass {

struct CrossEntropyRows {
  Tensor x;       // [N, C]
  Tensor target;  // [N] int64: ignore_index, or in [0, C)
  Tensor weight;  // [C], or undefined: all 1
  int64_t ignore_index;
  double label_smoothing;  // ε
  Tensor top, total;       // [N]: largest of a row, and Σ exp(x - top); forward writes them
};

}  // namespace glass
