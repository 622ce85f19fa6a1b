#pragma once

#include "autograd/op.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "tensor/cpu/loops.h"

// How a function of tensor/functions becomes differentiable. Including this header instantiates the
// loops of the functions you call pointwise() with.
namespace glass {

template <class Op>
concept Differentiable = requires {
  &Op::template df<double>;
}
|| requires { &Op::template d0<double>; };

namespace detail {

/// What the partial derivatives of all inputs read: bit i for input i, bit arity for the output.
template <class Op>
constexpr unsigned pointwise_uses() {
  if constexpr (arity<Op>() == 1)
    return probe_partial<Op, 0>().uses;
  else
    return probe_partial<Op, 0>().uses | probe_partial<Op, 1>().uses;
}

/// Adapts a function to the op kit.
template <class Op>
struct Pointwise {
  static constexpr const char* name = Op::name;
  static constexpr int kArity = arity<Op>();
  static constexpr Keep keep{.inputs = pointwise_uses<Op>() & ((1u << kArity) - 1),
                             .outputs = pointwise_uses<Op>() >> kArity & 1};
  Op op;

  template <class... T>
  Tensor forward(const T&... x) const {
    return map(op, x...);
  }

  // dx_I = dy · partial_I; one pass over plain tensors, or the expression on Vars.
  template <int I>
  void backward_input(Backward& b, const Saved& saved) const {
    if (!b.needs(I)) return;
    constexpr unsigned uses = probe_partial<Op, I>().uses;
    if constexpr (passes_gradient<Op, I>()) {
      b.add(I, b.grad());
    } else if (b.create_graph()) {
      const Var slope = [&]<size_t... A>(std::index_sequence<A...>) {
        return partial<I>(op, operand<static_cast<int>(A), uses>(saved)...);
      }
      (std::make_index_sequence<kArity + 1>{});
      b.add(I, b.grad() * slope);
    } else {
      const Tensor& dy = b.grad().value();
      b.add(
          I, [&]<size_t... A>(std::index_sequence<A...>) {
            return call_slope<I>(dy, std::tuple_cat(value_if<static_cast<int>(A), uses>(saved)...));
          }(std::make_index_sequence<kArity + 1>{}));
    }
  }
  void backward(Backward& b, const Saved& saved) const {
    [&]<size_t... I>(std::index_sequence<I...>) {
      (backward_input<static_cast<int>(I)>(b, saved), ...);
    }
    (std::make_index_sequence<kArity>{});
  }

 private:
  template <int A, unsigned uses>
  static Var operand(const Saved& saved) {
    if constexpr (!(uses & (1u << A)))
      return Var(0.0);  // not read
    else if constexpr (A == kArity)
      return saved.output();
    else
      return saved.input(A);
  }
  template <int A, unsigned uses>
  static auto value_if(const Saved& saved) {
    if constexpr (!(uses & (1u << A)))
      return std::tuple<>();
    else if constexpr (A == kArity)
      return std::tuple<Tensor>(saved.output_value());
    else
      return std::tuple<Tensor>(saved.input(A).value());
  }
  template <int I, class Operands>
  Tensor call_slope(const Tensor& dy, const Operands& operands) const {
    return std::apply([&](const auto&... x) { return map_slope<I>(op, dy, x...); }, operands);
  }
};

/// The same without derivatives: comparisons and logic.
template <class Op, class... T>
Var pointwise_value(const Op& op, const T&... x) {
  const DType dtype = number_dtype(x...);
  return Var(map(op, x.as_var(dtype).value()...));
}

}  // namespace detail

namespace detail {

template <class Op, class... T>
Var pointwise(const Op& op, const T&... x) {
  if constexpr (Differentiable<Op>) {
    Var y = record(Pointwise<Op>{op}, x...);
    const bool number = (... && (!x.var || x.var->is_number() || x.var->dtype() == kBool));
    if (number && !y.requires_grad()) y.mark_number();
    return y;
  } else {
    return pointwise_value(op, x...);
  }
}

}  // namespace detail

/// y = op(x...), elementwise with broadcasting. A number takes the type of the tensor it meets.
template <Unary Op>
Var pointwise(const Op& op, In x) {
  return detail::pointwise(op, x);
}
template <Binary Op>
Var pointwise(const Op& op, In a, In b) {
  return detail::pointwise(op, a, b);
}
template <Ternary Op>
Var pointwise(const Op& op, In a, In b, In c) {
  return detail::pointwise(op, a, b, c);
}

}  // namespace glass
