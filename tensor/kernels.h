#pragma once

#include "tensor/tensor.h"

namespace glass {

enum class Reduction : uint8_t { sum, prod, max, min };
enum class RowFunction : uint8_t { softmax, log_softmax };

/// A dense array seen as [outer, length, inner], worked on along its middle axis.
struct Axis3 {
  int64_t outer, length, inner;
};

/// What a device must be able to do beside the pointwise loops. One table per device; arguments
/// are already checked. Tensors are dense unless a line says otherwise.
struct Kernels {
  void (*fill)(const Tensor& out, double value);
  void (*copy)(const Tensor& source, const Tensor& target);  // any layout, any types
  void (*reduce)(Reduction kind, const Tensor& x, Axis3 axis, const Tensor& out);
  void (*argmax)(const Tensor& x, Axis3 axis, const Tensor& out);
  bool (*all_finite)(const Tensor& x);
  void (*rows)(RowFunction kind, const Tensor& x, const Tensor& out);  // [rows, length]
  void (*rows_backward)(RowFunction kind, const Tensor& dy, const Tensor& y, const Tensor& dx);
  void (*logsumexp)(const Tensor& x, const Tensor& out);
  // c = a·b + beta·c, 2-d, any strides; and the same for every leading index of 3-d operands.
  void (*gemm)(const Tensor& a, const Tensor& b, double beta, const Tensor& c);
  void (*gemm_batched)(const Tensor& a, const Tensor& b, double beta, const Tensor& c);
  // index: dense int64, checked. x and out: [outer, n, inner] and [outer, index.numel(), inner].
  void (*index_select)(const Tensor& x, Axis3 axis, const Tensor& index, const Tensor& out);
  void (*index_add)(const Tensor& out, Axis3 axis, const Tensor& index, const Tensor& src);
  // index has any shape; x and out may be larger on the other dims.
  void (*gather)(const Tensor& x, int dim, const Tensor& index, const Tensor& out);
  void (*scatter_add)(const Tensor& out, int dim, const Tensor& index, const Tensor& src);
};

const Kernels& cpu_kernels();
const Kernels* cuda_kernels();  ///< null in a build without CUDA

/// The table of the device that x lives on.
const Kernels& kernels(const Tensor& x);

}  // namespace glass
