#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "tensor/error.h"

namespace glass {

enum class DType : uint8_t { float32, float64, int64, boolean };

inline constexpr DType kFloat32 = DType::float32;
inline constexpr DType kFloat64 = DType::float64;
inline constexpr DType kInt64 = DType::int64;
inline constexpr DType kBool = DType::boolean;

constexpr size_t size_of(DType dtype) { return dtype == kFloat32 ? 4 : dtype == kBool ? 1 : 8; }
constexpr bool is_floating(DType dtype) { return dtype == kFloat32 || dtype == kFloat64; }
constexpr std::string_view name_of(DType dtype) {
  switch (dtype) {
    case kFloat32:
      return "float32";
    case kFloat64:
      return "float64";
    case kInt64:
      return "int64";
    default:
      return "bool";
  }
}
std::ostream& operator<<(std::ostream& out, DType dtype);

template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                std::is_same_v<T, int64_t> || std::is_same_v<T, bool>);
  if constexpr (std::is_same_v<T, float>)
    return kFloat32;
  else if constexpr (std::is_same_v<T, double>)
    return kFloat64;
  else if constexpr (std::is_same_v<T, int64_t>)
    return kInt64;
  else
    return kBool;
}

/// Calls f with a value of the C++ type behind dtype: visit(dtype, [&]<class T>(T) { ... }).
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case kFloat32:
      return f(float{});
    case kFloat64:
      return f(double{});
    case kInt64:
      return f(int64_t{});
    default:
      return f(bool{});
  }
}

/// As visit, for float32 and float64; anything else throws Error naming op.
template <class F>
decltype(auto) visit_floating(std::string_view op, DType dtype, F&& f) {
  if (dtype == kFloat32) return f(float{});
  if (dtype != kFloat64) fail(op, "needs float32 or float64", "got ", name_of(dtype));
  return f(double{});
}

/// As visit, for float32, float64 and int64; bool throws Error naming op.
template <class F>
decltype(auto) visit_number(std::string_view op, DType dtype, F&& f) {
  if (dtype == kInt64) return f(int64_t{});
  if (dtype == kBool) fail(op, "needs numbers", "got bool");
  return visit_floating(op, dtype, f);
}

/// Throws Error naming both types unless they are equal: Glass never promotes silently.
inline void check_same_dtype(std::string_view op, DType a, DType b) {
  if (a != b) fail(op, "types differ", name_of(a), " and ", name_of(b), "; convert one with to()");
}

}  // namespace glass
