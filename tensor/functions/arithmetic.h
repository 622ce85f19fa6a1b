#pragma once

#include "tensor/functions/math.h"

// Calculus without history: each struct is a function f and its partial derivatives. With inputs x
// (a, b, c) and output y, `df` (one input) or `d0`, `d1`, ... (one per input) take all inputs and
// y. Parameters are members; branches are where(). `integers` marks functions that also take int64.
namespace glass::functions {

struct Add {
  static constexpr const char* name = "add";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return a + b;
  }
  template <class T>
  GLASS_FN static T d0(T, T, T) {
    return T(1);
  }
  template <class T>
  GLASS_FN static T d1(T, T, T) {
    return T(1);
  }
};

struct Sub {
  static constexpr const char* name = "sub";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return a - b;
  }
  template <class T>
  GLASS_FN static T d0(T, T, T) {
    return T(1);
  }
  template <class T>
  GLASS_FN static T d1(T, T, T) {
    return T(-1);
  }
};

struct Mul {
  static constexpr const char* name = "mul";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return a * b;
  }
  template <class T>
  GLASS_FN static T d0(T, T b, T) {
    return b;
  }
  template <class T>
  GLASS_FN static T d1(T a, T, T) {
    return a;
  }
};

struct Div {
  static constexpr const char* name = "div";
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return a / b;
  }
  template <class T>
  GLASS_FN static T d0(T, T b, T) {
    return T(1) / b;
  }
  template <class T>
  GLASS_FN static T d1(T, T b, T y) {  // not -a/b²: b² leaves the type's range early
    return -y / b;
  }
};

// x^0 has slope 0 also at x = 0, where b·x^(b-1) would be 0·inf; the exponent of the branch that is
// not taken is 1, so that its own derivatives are finite. d/db = y·log(a), 0 where a = 0.
struct Pow {
  static constexpr const char* name = "pow";
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return pow(a, b);
  }
  template <class T>
  GLASS_FN static T d0(T a, T b, T) {
    return where(b == T(0), T(0) * b, b * pow(a, where(b == T(0), T(1), b - T(1))));
  }
  template <class T>
  GLASS_FN static T d1(T a, T b, T y) {
    return where(a == T(0), where(b >= T(0), T(0) * b, y), y * log(where(a == T(0), T(1) + a, a)));
  }
};

// Ties split the gradient evenly, as for every function that returns values without an index.
struct Maximum {
  static constexpr const char* name = "maximum";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return where(a != a, a, where(a > b, a, b));
  }
  template <class T>
  GLASS_FN static T d0(T a, T b, T) {
    return where(a == b, T(0.5), where(a > b, T(1), T(0)));
  }
  template <class T>
  GLASS_FN static T d1(T a, T b, T) {
    return where(a == b, T(0.5), where(a > b, T(0), T(1)));
  }
};

struct Minimum {
  static constexpr const char* name = "minimum";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T a, T b) {
    return where(a != a, a, where(a < b, a, b));
  }
  template <class T>
  GLASS_FN static T d0(T a, T b, T) {
    return where(a == b, T(0.5), where(a < b, T(1), T(0)));
  }
  template <class T>
  GLASS_FN static T d1(T a, T b, T) {
    return where(a == b, T(0.5), where(a < b, T(0), T(1)));
  }
};

struct Neg {
  static constexpr const char* name = "neg";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T x) {
    return -x;
  }
  template <class T>
  GLASS_FN static T df(T, T) {
    return T(-1);
  }
};

// Slope 0 at the kink.
struct Abs {
  static constexpr const char* name = "abs";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T x) {
    return abs(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return where(x > T(0), T(1), where(x < T(0), T(-1), T(0) * x));
  }
};

struct Exp {
  static constexpr const char* name = "exp";
  template <class T>
  GLASS_FN static T f(T x) {
    return exp(x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return y;
  }
};

struct Expm1 {
  static constexpr const char* name = "expm1";
  template <class T>
  GLASS_FN static T f(T x) {
    return expm1(x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return y + T(1);
  }
};

struct Log {
  static constexpr const char* name = "log";
  template <class T>
  GLASS_FN static T f(T x) {
    return log(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return T(1) / x;
  }
};

struct Log1p {
  static constexpr const char* name = "log1p";
  template <class T>
  GLASS_FN static T f(T x) {
    return log1p(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return T(1) / (T(1) + x);
  }
};

struct Sqrt {
  static constexpr const char* name = "sqrt";
  template <class T>
  GLASS_FN static T f(T x) {
    return sqrt(x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return T(0.5) / y;
  }
};

struct Rsqrt {
  static constexpr const char* name = "rsqrt";
  template <class T>
  GLASS_FN static T f(T x) {
    return T(1) / sqrt(x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return T(-0.5) * y * y * y;
  }
};

struct Square {
  static constexpr const char* name = "square";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static T f(T x) {
    return x * x;
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return x + x;
  }
};

struct Reciprocal {
  static constexpr const char* name = "reciprocal";
  template <class T>
  GLASS_FN static T f(T x) {
    return T(1) / x;
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return -y * y;
  }
};

struct Sin {
  static constexpr const char* name = "sin";
  template <class T>
  GLASS_FN static T f(T x) {
    return sin(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return cos(x);
  }
};

struct Cos {
  static constexpr const char* name = "cos";
  template <class T>
  GLASS_FN static T f(T x) {
    return cos(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return -sin(x);
  }
};

// d/dx erf(x) = 2/sqrt(pi)·exp(-x²)
struct Erf {
  static constexpr const char* name = "erf";
  template <class T>
  GLASS_FN static T f(T x) {
    return erf(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return T(1.1283791670955126) * exp(-(x * x));
  }
};

// Slope 1 on the bounds themselves and max where min is above it, as in PyTorch.
struct Clamp {
  static constexpr const char* name = "clamp";
  double min = 0, max = 0;
  template <class T>
  GLASS_FN T f(T x) const {
    const T raised = where(x < T(min), T(min), x);
    return where(raised > T(max), T(max), raised);
  }
  template <class T>
  GLASS_FN T df(T x, T) const {
    return where(x < T(min), T(0), where(x > T(max), T(0), T(1)));
  }
};

}  // namespace glass::functions
