#pragma once

#include "tensor/tensor.h"

// One time step of a recurrent layer over a batch, after its matrix products. B rows, H units;
// dense tensors of one floating type; a tensor marked optional may be undefined.
//
// Row b takes part in step t when t < lengths[b] (lengths [B], int64, optional: always). A row that
// does not take part keeps its state, has output 0, and nothing else of it is read.
namespace glass {

struct LstmStep {
  int64_t t = 0;
  Tensor lengths;
  Tensor gates;      // [B, 4H] sums of the products, in the order i, f, g, o
  Tensor bias;       // [4H], optional
  Tensor activated;  // [B, 4H] out; may be gates itself
  Tensor c_before;   // [B, H]
  Tensor c, h;       // [B, H] out: the new state; c may be c_before itself
  Tensor output;     // [B, H] out, optional: h, or 0 for a row that does not take part
  Tensor cells;      // [B, H] out, optional: c once more, to keep
};

struct LstmStepBackward {
  int64_t t = 0;
  bool reverse = false;  // the sequence begins at each row's last step
  Tensor lengths;
  Tensor activated, c;  // what the step made
  Tensor c_start;       // [B, H] the cells before the sequence
  Tensor c_before;      // [B, H] the cells that the step before made, optional at the first step
  Tensor d_output;      // [B, H], optional
  Tensor dh;            // [B, H], optional: gradient of h in; 0 out in rows that take part
  Tensor dc;            // [B, H] gradient of c in, of c_before out
  Tensor d_gates;       // [B, 4H] out; 0 in rows that do not take part
  Tensor d_bias;        // [4H], optional: the sum of d_gates over the rows is added
};

struct GruStep {
  int64_t t = 0;
  Tensor lengths;
  Tensor x_gates;         // [B, 3H] sums of the input's products, in the order r, z, n
  Tensor h_gates;         // [B, 3H] sums of the state's products
  Tensor x_bias, h_bias;  // [3H], optional
  Tensor activated;       // [B, 4H] out: r, z, n, and the state's part of n before r
  Tensor h_before, h;     // [B, H]; h out may be h_before itself
  Tensor output;          // [B, H] out, optional
};

struct GruStepBackward {
  int64_t t = 0;
  bool reverse = false;
  Tensor lengths;
  Tensor activated;
  Tensor h_start, h_before;  // as c_start and c_before above
  Tensor d_output;           // [B, H], optional
  Tensor dh;                 // [B, H] gradient of h in; out the part that goes straight to h_before
  Tensor d_gates;            // [B, 4H] out: of r, z, the state's part of n, the input's part of n
  Tensor d_bias;             // [4H], optional: the sum of d_gates over the rows is added
};

}  // namespace glass
