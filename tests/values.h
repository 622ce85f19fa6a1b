#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "autograd/var.h"
#include "tests/catch.h"

namespace glass::tests {

/// Leaves that want a gradient, of float64 unless told otherwise.
inline Var leaf(std::initializer_list<double> values) { return Var(Tensor::from(values), true); }
inline Var leaf(double value) { return Var(Tensor::scalar(value, kFloat64), true); }
inline Var leaf(const std::vector<double>& values, const Shape& shape, DType dtype = kFloat64) {
  return Var(Tensor::from(values, shape).to(dtype), true);
}

/// The elements in order.
inline std::vector<double> numbers(const Var& v) {
  return v.value().to(kFloat64).to_vector<double>();
}

/// Every element within 1e-7: for numbers worked out by hand.
inline void check_close(const Var& got, const std::vector<double>& want) {
  const std::vector<double> values = numbers(got);
  REQUIRE(values.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) CHECK(values[i] == Approx(want[i]).margin(1e-7));
}

/// What the call's Error says, or "no error".
inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace glass::tests
