#pragma once

#include "nn/module.h"

// Layers without parameters; the functions are in autograd/ops/pooling.h.
namespace glass {

struct MaxPool1d : Module {
  explicit MaxPool1d(const Dims& kernel, const MaxPoolOptions& chosen = {})
      : kernel_size(kernel), options(chosen) {}
  void visit(Visitor&) override {}
  ValueIndex operator()(In x) const { return max_pool1d(x, kernel_size, options); }

  Dims kernel_size;
  MaxPoolOptions options;
};

struct MaxPool2d : Module {
  explicit MaxPool2d(const Dims& kernel, const MaxPoolOptions& chosen = {})
      : kernel_size(kernel), options(chosen) {}
  void visit(Visitor&) override {}
  ValueIndex operator()(In x) const { return max_pool2d(x, kernel_size, options); }

  Dims kernel_size;
  MaxPoolOptions options;
};

struct AvgPool1d : Module {
  explicit AvgPool1d(const Dims& kernel, const AvgPoolOptions& chosen = {})
      : kernel_size(kernel), options(chosen) {}
  void visit(Visitor&) override {}
  Var operator()(In x) const { return avg_pool1d(x, kernel_size, options); }

  Dims kernel_size;
  AvgPoolOptions options;
};

struct AvgPool2d : Module {
  explicit AvgPool2d(const Dims& kernel, const AvgPoolOptions& chosen = {})
      : kernel_size(kernel), options(chosen) {}
  void visit(Visitor&) override {}
  Var operator()(In x) const { return avg_pool2d(x, kernel_size, options); }

  Dims kernel_size;
  AvgPoolOptions options;
};

struct AdaptiveAvgPool1d : Module {
  explicit AdaptiveAvgPool1d(const Dims& size) : output_size(size) {}
  void visit(Visitor&) override {}
  Var operator()(In x) const { return adaptive_avg_pool1d(x, output_size); }

  Dims output_size;  ///< -1: the input's
};

struct AdaptiveAvgPool2d : Module {
  explicit AdaptiveAvgPool2d(const Dims& size) : output_size(size) {}
  void visit(Visitor&) override {}
  Var operator()(In x) const { return adaptive_avg_pool2d(x, output_size); }

  Dims output_size;  ///< -1: the input's
};

struct AdaptiveMaxPool2d : Module {
  explicit AdaptiveMaxPool2d(const Dims& size) : output_size(size) {}
  void visit(Visitor&) override {}
  ValueIndex operator()(In x) const { return adaptive_max_pool2d(x, output_size); }

  Dims output_size;  ///< -1: the input's
};

}  // namespace glass
