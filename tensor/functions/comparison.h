#pragma once

#include "tensor/functions/math.h"

namespace glass::functions {

struct Equal {
  static constexpr const char* name = "eq";
  static constexpr bool any_type = true;
  template <class T>
  GLASS_FN static bool f(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  static constexpr const char* name = "ne";
  static constexpr bool any_type = true;
  template <class T>
  GLASS_FN static bool f(T a, T b) {
    return a != b;
  }
};
struct Less {
  static constexpr const char* name = "lt";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static bool f(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  static constexpr const char* name = "le";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static bool f(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  static constexpr const char* name = "gt";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static bool f(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  static constexpr const char* name = "ge";
  static constexpr bool integers = true;
  template <class T>
  GLASS_FN static bool f(T a, T b) {
    return a >= b;
  }
};
struct LogicalAnd {
  static constexpr const char* name = "logical_and";
  static constexpr bool booleans = true;
  GLASS_FN static bool f(bool a, bool b) { return a && b; }
};
struct LogicalOr {
  static constexpr const char* name = "logical_or";
  static constexpr bool booleans = true;
  GLASS_FN static bool f(bool a, bool b) { return a || b; }
};
struct LogicalNot {
  static constexpr const char* name = "logical_not";
  static constexpr bool booleans = true;
  GLASS_FN static bool f(bool a) { return !a; }
};

// The condition (bool) chooses; its derivative: autograd/ops/comparison.cpp.
struct Where {
  static constexpr const char* name = "where";
  static constexpr bool any_type = true;
  static constexpr bool first_is_condition = true;
  template <class T>
  GLASS_FN static T f(bool condition, T a, T b) {
    return where(condition, a, b);
  }
};

}  // namespace glass::functions
