#pragma once

#include "nn/module.h"

// Weight and bias start from U(-1/√n, 1/√n), n = weight.size(1) · the kernel's size. Of the kernel
// one number per axis, or one for all.
namespace glass {

/// x [N, C, L] or [C, L]: [N, O, L'].
class Conv1d : public Module {
 public:
  Conv1d(int64_t in_channels, int64_t out_channels, const Dims& kernel_size,
         const ConvOptions& options, bool bias, Generator& generator);
  void visit(Visitor& v) override;

  Var operator()(In x) const { return conv1d(x, weight, bias, options); }

  Var weight;  ///< [O, C / groups, K]
  Var bias;    ///< [O], or undefined
  ConvOptions options;
};

/// x [N, C, H, W] or [C, H, W]: [N, O, H', W'].
class Conv2d : public Module {
 public:
  Conv2d(int64_t in_channels, int64_t out_channels, const Dims& kernel_size,
         const ConvOptions& options, bool bias, Generator& generator);
  void visit(Visitor& v) override;

  Var operator()(In x) const { return conv2d(x, weight, bias, options); }

  Var weight;  ///< [O, C / groups, K, K']
  Var bias;    ///< [O], or undefined
  ConvOptions options;
};

/// x [N, C, H, W] or [C, H, W]: [N, O, H', W'].
class ConvTranspose2d : public Module {
 public:
  ConvTranspose2d(int64_t in_channels, int64_t out_channels, const Dims& kernel_size,
                  const ConvTransposeOptions& options, bool bias, Generator& generator);
  void visit(Visitor& v) override;

  Var operator()(In x) const { return conv_transpose2d(x, weight, bias, options); }

  Var weight;  ///< [C, O / groups, K, K']
  Var bias;    ///< [O], or undefined
  ConvTransposeOptions options;
};

}  // namespace glass
