#pragma once

#include <concepts>

#include "tensor/functions/math.h"

namespace glass {

/// Stands for a number in an expression and remembers which arguments it depends on. Evaluated by
/// the compiler: a derivative called with Probes tells which inputs must be saved for it, and
/// whether it is the constant 1.
struct Probe {
  unsigned uses = 0;  // bit i: depends on argument i
  bool constant = false;
  double value = 0;

  constexpr Probe() = default;
  constexpr explicit Probe(double number) : constant(true), value(number) {}
  static constexpr Probe argument(int i) {
    Probe p;
    p.uses = 1u << i;
    return p;
  }
};

constexpr Probe join(const Probe& a) {
  Probe p;
  p.uses = a.uses;
  return p;
}
template <class... Rest>
constexpr Probe join(const Probe& a, const Rest&... rest) {
  Probe p;
  p.uses = (a.uses | ... | rest.uses);
  return p;
}

constexpr Probe operator+(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator-(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator*(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator/(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator-(Probe a) { return join(a); }
constexpr Probe operator<(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator<=(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator>(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator>=(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator==(Probe a, Probe b) { return join(a, b); }
constexpr Probe operator!=(Probe a, Probe b) { return join(a, b); }
constexpr Probe where(Probe condition, Probe a, Probe b) { return join(condition, a, b); }
constexpr Probe exp(Probe a) { return join(a); }
constexpr Probe log(Probe a) { return join(a); }
constexpr Probe log1p(Probe a) { return join(a); }
constexpr Probe expm1(Probe a) { return join(a); }
constexpr Probe tanh(Probe a) { return join(a); }
constexpr Probe erf(Probe a) { return join(a); }
constexpr Probe sin(Probe a) { return join(a); }
constexpr Probe cos(Probe a) { return join(a); }
constexpr Probe sqrt(Probe a) { return join(a); }
constexpr Probe abs(Probe a) { return join(a); }
constexpr Probe sigmoid(Probe a) { return join(a); }
constexpr Probe pow(Probe a, Probe b) { return join(a, b); }

}  // namespace glass
