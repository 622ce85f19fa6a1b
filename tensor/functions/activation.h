#pragma once

#include "tensor/functions/math.h"

namespace glass::functions {

struct Tanh {
  static constexpr const char* name = "tanh";
  template <class T>
  GLASS_FN static T f(T x) {
    return tanh(x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return T(1) - y * y;
  }
};

struct Sigmoid {
  static constexpr const char* name = "sigmoid";
  template <class T>
  GLASS_FN static T f(T x) {
    return sigmoid(x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return y * (T(1) - y);
  }
};

// Slope 0 at the kink; NaN stays NaN.
struct Relu {
  static constexpr const char* name = "relu";
  template <class T>
  GLASS_FN static T f(T x) {
    return where(x <= T(0), T(0), x);
  }
  template <class T>
  GLASS_FN static T df(T, T y) {
    return where(y > T(0), T(1), T(0));
  }
};

struct LeakyRelu {
  static constexpr const char* name = "leaky_relu";
  double negative_slope = 0.01;
  template <class T>
  GLASS_FN T f(T x) const {
    return where(x > T(0), x, T(negative_slope) * x);
  }
  template <class T>
  GLASS_FN T df(T x, T) const {
    return where(x > T(0), T(1), T(negative_slope));
  }
};

// y = alpha·(exp(x) - 1) below 0, so dy/dx = y + alpha there.
struct Elu {
  static constexpr const char* name = "elu";
  double alpha = 1;
  template <class T>
  GLASS_FN T f(T x) const {
    return where(x > T(0), x, T(alpha) * expm1(where(x > T(0), T(0), x)));
  }
  template <class T>
  GLASS_FN T df(T x, T) const {
    return where(x > T(0), T(1), T(alpha) * exp(where(x > T(0), T(0), x)));
  }
};

// x·Φ(x) with the exact normal distribution (Hendrycks & Gimpel 2016).
struct Gelu {
  static constexpr const char* name = "gelu";
  template <class T>
  GLASS_FN static T f(T x) {
    return T(0.5) * x * (T(1) + erf(x * T(0.7071067811865476)));
  }
  // Φ(x) + x·φ(x)
  template <class T>
  GLASS_FN static T df(T x, T) {
    return T(0.5) * (T(1) + erf(x * T(0.7071067811865476))) +
           x * exp(T(-0.5) * x * x) * T(0.3989422804014327);
  }
};

// The tanh form of the same paper: 0.5·x·(1 + tanh(u)), u = sqrt(2/π)·(x + 0.044715·x³).
struct GeluTanh {
  static constexpr const char* name = "gelu_tanh";
  template <class T>
  GLASS_FN static T u(T x) {
    return T(0.7978845608028654) * (x + T(0.044715) * x * x * x);
  }
  template <class T>
  GLASS_FN static T f(T x) {
    return T(0.5) * x * (T(1) + tanh(u(x)));
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    const T t = tanh(u(x));
    const T du = T(0.7978845608028654) * (T(1) + T(0.134145) * x * x);
    return T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * du;
  }
};

struct Silu {
  static constexpr const char* name = "silu";
  template <class T>
  GLASS_FN static T f(T x) {
    return x * sigmoid(x);
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    const T s = sigmoid(x);
    return s * (T(1) + x * (T(1) - s));
  }
};

// log(1 + exp(beta·x))/beta; linear above threshold/beta, as in PyTorch.
struct Softplus {
  static constexpr const char* name = "softplus";
  double beta = 1, threshold = 20;
  template <class T>
  GLASS_FN T f(T x) const {
    const T z = T(beta) * x;
    return where(z > T(threshold), x, log1p(exp(where(z > T(threshold), T(0), z))) / T(beta));
  }
  template <class T>
  GLASS_FN T df(T x, T) const {
    const T z = T(beta) * x;
    return where(z > T(threshold), T(1), sigmoid(z));
  }
};

// log σ(x) = min(x, 0) - log(1 + exp(-|x|))
struct LogSigmoid {
  static constexpr const char* name = "logsigmoid";
  template <class T>
  GLASS_FN static T f(T x) {
    return where(x < T(0), x, T(0)) - log1p(exp(-abs(x)));
  }
  template <class T>
  GLASS_FN static T df(T x, T) {
    return sigmoid(-x);
  }
};

}  // namespace glass::functions
