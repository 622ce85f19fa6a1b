#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "tensor/functions/probe.h"
#include "tensor/tensor.h"

// How a function of tensor/functions runs on tensors. The loops are instantiated by whoever calls
// map() with a new function (tensor/cpu/loops.h).
namespace glass {

template <class Op>
concept Unary = requires(const Op op, float x) {
  op.f(x);
}
|| requires(const Op op, bool x) { op.f(x); };
template <class Op>
concept Binary = requires(const Op op, float x) {
  op.f(x, x);
}
|| requires(const Op op, bool x) { op.f(x, x); };
template <class Op>
concept Ternary = requires(const Op op, bool c, float x) {
  op.f(c, x, x);
};

template <class Op>
constexpr int arity() {
  return Unary<Op> ? 1 : Binary<Op> ? 2 : 3;
}
template <class Op>
constexpr bool takes_integers() {
  if constexpr (requires { Op::any_type; })
    return true;
  else
    return requires { Op::integers; };
}
template <class Op>
constexpr bool takes_bools() {
  return requires { Op::any_type; }
  || requires { Op::booleans; };
}
template <class Op>
constexpr bool first_is_condition() {
  return requires { Op::first_is_condition; };
}

/// The partial derivative of op by input I at inputs x and output y.
template <int I, class Op, class T>
GLASS_FN T partial(const Op& op, T x, T y) {
  return op.df(x, y);
}
template <int I, class Op, class A, class T>
GLASS_FN T partial(const Op& op, A a, T b, T y) {
  if constexpr (I == 0)
    return op.d0(a, b, y);
  else
    return op.d1(a, b, y);
}

/// What the partial derivative by input I depends on: bit i for input i, bit arity for the output.
template <class Op, int I>
constexpr Probe probe_partial() {
  constexpr auto arg = [](int i) { return Probe::argument(i); };
  if constexpr (arity<Op>() == 1)
    return partial<I>(Op{}, arg(0), arg(1));
  else
    return partial<I>(Op{}, arg(0), arg(1), arg(2));
}
/// True when the partial is the constant 1, so that the upstream gradient passes unchanged.
/// A parameter may stand behind a constant, so only functions without any qualify.
template <class Op, int I>
constexpr bool passes_gradient() {
  constexpr Probe p = probe_partial<Op, I>();
  return std::is_empty_v<Op> && p.constant && p.value == 1;
}

/// One row: n elements, one base pointer and one stride (in elements) per operand, output first.
using RowFn = void (*)(const void* op, int64_t n, std::byte* const* data, const int64_t* strides);

/// Runs row over all elements of out; the inputs must have out's shape (expanded views are fine).
void run_rows(const Tensor& out, std::initializer_list<const Tensor*> inputs, RowFn row,
              const void* op);

}  // namespace glass
