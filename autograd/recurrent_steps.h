#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <vector>

#include "autograd/engine.h"
#include "autograd/var.h"

// What the recurrent ops share: the order of the steps, and how padding is kept out.
namespace glass {

/// The steps of a batch of sequences in one direction.
struct Steps {
  /// Throws Error unless lengths is empty or holds one number in 0 … T per row.
  Steps(const char* op, const std::vector<int64_t>& lengths, int64_t T, int64_t B, bool reverse);

  Tensor lengths;  // [B] int64; undefined when every row is full
  bool reverse;

  /// The k-th time step to be done.
  int64_t at(int64_t k, int64_t T) const { return reverse ? T - 1 - k : k; }
  /// x [T, B, ...] with zeros in the padding: there 0 · NaN would reach a weight's gradient.
  Tensor without_padding(const Tensor& x) const;
  /// Adds the gradient of a recurrent weight [G, H] (input i): the sum over all steps of d_gatesᵀ ·
  /// (the state before the step); d_gates [T, B, >= G] of which the first G columns count, output
  /// [T, B, H], h0 [B, H] or undefined.
  void add_recurrent_product(Backward& b, size_t i, int64_t G, const Tensor& d_gates,
                             const Tensor& output, const Tensor& h0) const;

  using Step = std::function<std::array<Var, 2>(const Var& x, const Var& h, const Var& c)>;
  /// The definition of a recurrent layer: step makes the new state, {h, c}. Returns output, h_n,
  /// c_n.
  std::array<Var, 3> run(const Var& x, const Var& h0, const Var& c0, int64_t hidden,
                         const Step& step) const;
};

/// [T, B, N] as [T·B, N].
Tensor as_rows(const Tensor& x);

/// Throws Error unless x is [T, B, I], weight_ih [gates·H, I], weight_hh [gates·H, H], each bias
/// [gates·H] or undefined, all of one floating type. Returns H.
int64_t check_recurrent(const char* op, int64_t gates, const Var& x, const Var& weight_ih,
                        const Var& weight_hh, std::initializer_list<const Var*> biases);
/// Throws Error unless the state is undefined or [B, H].
void check_state(const char* op, const char* name, const Var& x, const Var& state, int64_t H);

}  // namespace glass
