#pragma once

#include <bit>
#include <tuple>

#include "tensor/pointwise.h"

// The CPU loops over a function's values and derivatives: plain scalar code, compiled for several
// instruction sets at once and vectorised by the compiler.

// Clang cannot clone templates; sanitizers must not run the resolvers before they have started.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GLASS_CLONES \
  [[gnu::noinline, gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#define GLASS_CLONES_FEW [[gnu::noinline, gnu::target_clones("arch=x86-64-v3", "default")]]
#else
#define GLASS_CLONES
#define GLASS_CLONES_FEW
#endif

namespace glass::cpu {

/// How far each input moves from one element to the next: 1, or 0 for one value throughout.
template <int... Step>
struct Steps {};

template <class F, int... Step, class Out, class... In>
[[gnu::always_inline]] inline void simd_loop(const F& function, int64_t n, Steps<Step...>, Out* out,
                                             const In*... in) {
  const F f = function;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = f(in[i * Step]...);
}

template <class F, int... Step, class Out, class... In>
GLASS_CLONES void dense(const F& f, int64_t n, Steps<Step...> steps, Out* out, const In*... in) {
  simd_loop(f, n, steps, out, in...);
}

// Compile time is dear: fewer instruction sets for double, which is for checking more than for
// speed, and for the layouts with one value throughout.
template <class F, int... Step, class Out, class... In>
GLASS_CLONES_FEW void dense_few(const F& f, int64_t n, Steps<Step...> steps, Out* out,
                                const In*... in) {
  simd_loop(f, n, steps, out, in...);
}

/// The layouts of float inputs (bit i: input i is one value throughout) that have loops of their
/// own: one number beside arrays, and derivatives whose upstream gradient comes from a sum.
template <class F, size_t inputs>
constexpr auto fast_layouts() {
  if constexpr (inputs == 2)
    return std::integer_sequence<unsigned, 0, 1, 2>();
  else if constexpr (inputs == 3 && requires { F::kUses; })
    return std::integer_sequence<unsigned, 0, 1>();
  else if constexpr (inputs == 3)
    return std::integer_sequence<unsigned, 0, 2, 4>();
  else
    return std::integer_sequence<unsigned, 0>();
}

/// The first floating type among them; void where there is none.
template <class... In>
struct FirstFloating {
  using Type = void;
};
template <class First, class... Rest>
struct FirstFloating<First, Rest...> {
  using Type = std::conditional_t<std::is_floating_point_v<First>, First,
                                  typename FirstFloating<Rest...>::Type>;
};

// Loops over bools are not vectorised, over bytes they are.
template <class T>
const T* readable(const T* x) {
  return x;
}
inline const uint8_t* readable(const bool* x) { return reinterpret_cast<const uint8_t*>(x); }

/// Row of any function object over any strides; dense rows have loops of their own.
template <class F, class Out, class... In>
void row(const void* op, int64_t n, std::byte* const* data, const int64_t* strides) {
  using T = typename FirstFloating<In...>::Type;
  const F& f = *static_cast<const F*>(op);
  [&]<size_t... I>(std::index_sequence<I...>) {
    auto* out = reinterpret_cast<Out*>(data[0]);
    const std::tuple<const In*...> in{reinterpret_cast<const In*>(data[I + 1])...};
    if constexpr (std::is_floating_point_v<T>) {
      const bool simple = strides[0] == 1 && (... && (strides[I + 1] == 1 || strides[I + 1] == 0));
      const unsigned repeated = (0u | ... | (strides[I + 1] == 0 ? 1u << I : 0u));
      if constexpr (std::is_same_v<T, double>) {
        if (simple && repeated == 0)
          return dense_few(f, n, Steps<(static_cast<void>(I), 1)...>(), out,
                           readable(std::get<I>(in))...);
      } else if (simple) {
        const auto run = [&]<unsigned R>(std::integral_constant<unsigned, R>) {
          if (repeated != R) return false;
          constexpr Steps<(R >> I & 1 ? 0 : 1)...> steps;
          if constexpr (R == 0)
            dense(f, n, steps, out, readable(std::get<I>(in))...);
          else
            dense_few(f, n, steps, out, readable(std::get<I>(in))...);
          return true;
        };
        const bool done = [&]<unsigned... R>(std::integer_sequence<unsigned, R...>) {
          return (... || run(std::integral_constant<unsigned, R>()));
        }
        (fast_layouts<F, sizeof...(In)>());
        if (done) return;
      }
    }
    for (int64_t i = 0; i < n; ++i) out[i * strides[0]] = f(std::get<I>(in)[i * strides[I + 1]]...);
  }
  (std::index_sequence_for<In...>{});
}

/// Op::f as a function object.
template <class Op>
struct Value {
  Op op;
  template <class... T>
  GLASS_FN auto operator()(T... x) const {
    return op.f(x...);
  }
};

/// dy * partial_I(x..., y), taking only the operands that the partial depends on, in their order.
template <class Op, int I>
struct Slope {
  Op op;
  static constexpr unsigned kUses = probe_partial<Op, I>().uses;
  template <int Argument, class T, class... Used>
  GLASS_FN static auto pick(Used... used) {
    constexpr int position = std::popcount(kUses & ((1u << Argument) - 1));
    if constexpr (kUses & (1u << Argument))
      return std::get<position>(std::tuple<Used...>(used...));
    else
      return T(0);
  }
  template <class T, class... Used>
  GLASS_FN T operator()(T dy, Used... used) const {
    return [&]<size_t... A>(std::index_sequence<A...>) __attribute__((always_inline)) {
      return dy * partial<I>(op, pick<static_cast<int>(A), T>(used...)...);
    }
    (std::make_index_sequence<arity<Op>() + 1>{});
  }
};

}  // namespace glass::cpu

namespace glass {

namespace detail {

template <class Op, class T>
RowFn value_row() {
  if constexpr (first_is_condition<Op>())
    return cpu::row<cpu::Value<Op>, T, bool, T, T>;
  else if constexpr (arity<Op>() == 1)
    return cpu::row<cpu::Value<Op>, decltype(Op{}.f(T{})), T>;
  else
    return cpu::row<cpu::Value<Op>, decltype(Op{}.f(T{}, T{})), T, T>;
}

template <class Op, class T>
constexpr DType value_dtype() {
  if constexpr (first_is_condition<Op>())
    return dtype_of<T>();
  else if constexpr (arity<Op>() == 1)
    return dtype_of<decltype(Op{}.f(T{}))>();
  else
    return dtype_of<decltype(Op{}.f(T{}, T{}))>();
}

struct Kernel {
  RowFn row;
  DType out;
};

template <class Op>
Kernel value_kernel(DType dtype) {
  auto kernel = []<class T>(T) { return Kernel{value_row<Op, T>(), value_dtype<Op, T>()}; };
  if (dtype == kBool) {
    if constexpr (takes_bools<Op>()) return kernel(bool{});
  } else if (dtype == kInt64) {
    if constexpr (takes_integers<Op>()) return kernel(int64_t{});
  } else if constexpr (!requires { Op::booleans; }) {
    return dtype == kFloat32 ? kernel(float{}) : kernel(double{});
  }
  fail(Op::name, "does not take this type", "got ", name_of(dtype));
}

template <class T, size_t>
using Repeat = T;

template <class Op, int I, class T>
RowFn slope_row() {
  constexpr unsigned uses = probe_partial<Op, I>().uses;
  return []<size_t... K>(std::index_sequence<K...>)->RowFn {
    return cpu::row<cpu::Slope<Op, I>, T, T, Repeat<T, K>...>;
  }
  (std::make_index_sequence<std::popcount(uses)>{});
}

}  // namespace detail

/// y = op.f(x) elementwise. The type follows op: comparisons give bool.
template <class Op>
Tensor map(const Op& op, const Tensor& x) {
  const auto kernel = detail::value_kernel<Op>(x.dtype());
  Tensor out = Tensor::empty(x.shape(), kernel.out);
  const cpu::Value<Op> f{op};
  run_rows(out, {&x}, kernel.row, &f);
  return out;
}

/// y = op.f(a, b), broadcast; the types must be equal.
template <class Op>
Tensor map(const Op& op, const Tensor& a, const Tensor& b) {
  check_same_dtype(Op::name, a.dtype(), b.dtype());
  const auto kernel = detail::value_kernel<Op>(a.dtype());
  const cpu::Value<Op> f{op};
  if (a.shape() == b.shape()) {
    Tensor out = Tensor::empty(a.shape(), kernel.out);
    run_rows(out, {&a, &b}, kernel.row, &f);
    return out;
  }
  Tensor out = Tensor::empty(broadcast_shapes(Op::name, a.shape(), b.shape()), kernel.out);
  const Tensor wide_a = a.expand(out.shape()), wide_b = b.expand(out.shape());
  run_rows(out, {&wide_a, &wide_b}, kernel.row, &f);
  return out;
}

/// y = op.f(condition, a, b), broadcast; condition is bool, a and b have one type.
template <class Op>
Tensor map(const Op& op, const Tensor& condition, const Tensor& a, const Tensor& b) {
  if (condition.dtype() != kBool)
    fail(Op::name, "the condition must be bool", "got ", name_of(condition.dtype()));
  check_same_dtype(Op::name, a.dtype(), b.dtype());
  const auto kernel = detail::value_kernel<Op>(a.dtype());
  const Shape shape = broadcast_shapes(Op::name, condition.shape(),
                                       broadcast_shapes(Op::name, a.shape(), b.shape()));
  Tensor out = Tensor::empty(shape, kernel.out);
  const Tensor c = condition.expand(shape), wide_a = a.expand(shape), wide_b = b.expand(shape);
  const cpu::Value<Op> f{op};
  run_rows(out, {&c, &wide_a, &wide_b}, kernel.row, &f);
  return out;
}

/// dy * (partial of op by input I), in one pass. used: the operands the partial depends on (inputs,
/// then output), broadcast to dy's shape.
template <int I, class Op, class... Used>
Tensor map_slope(const Op& op, const Tensor& dy, const Used&... used) {
  static_assert(sizeof...(Used) == std::popcount(probe_partial<Op, I>().uses));
  Tensor out = Tensor::empty(dy.shape(), dy.dtype());
  const RowFn row = visit_floating(Op::name, dy.dtype(),
                                   []<class T>(T) { return detail::slope_row<Op, I, T>(); });
  [[maybe_unused]] auto wide = [&](const Tensor& x) {
    return x.shape() == dy.shape() ? x : x.expand(dy.shape());
  };
  [&](const auto&... operand) {
    const cpu::Slope<Op, I> f{op};
    run_rows(out, {&dy, &operand...}, row, &f);
  }(wide(used)...);
  return out;
}

}  // namespace glass
