// Running sums and products.
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {
namespace {

Axis3 axis_of(const Tensor& x, int dim) {
  Axis3 axis{1, 1, 1};
  for (int i = 0; i < x.ndim(); ++i)
    (i < dim ? axis.outer : i == dim ? axis.length : axis.inner) *= x.shape()[i];
  return axis;
}

Tensor scan(Scan kind, const char* op, const Tensor& x, int64_t dim, bool reverse) {
  const int d = normalize_dim(op, dim, x.ndim());
  Tensor out = Tensor::empty(x.shape(), x.dtype());
  if (x.numel() > 0) kernels(x).scan(kind, x.contiguous(), axis_of(x, d), reverse, out);
  return out;
}

}  // namespace

Tensor cumsum(const Tensor& x, int64_t dim, bool reverse) {
  return scan(Scan::sum, "cumsum", x, dim, reverse);
}
Tensor cumprod(const Tensor& x, int64_t dim) { return scan(Scan::prod, "cumprod", x, dim, false); }

Tensor cumprod_backward(const Tensor& dy, const Tensor& x, int64_t dim) {
  const int d = normalize_dim("cumprod", dim, x.ndim());
  Tensor dx = Tensor::empty(x.shape(), x.dtype());
  if (x.numel() > 0)
    kernels(x).cumprod_backward(dy.contiguous(), x.contiguous(), axis_of(x, d), dx);
  return dx;
}

}  // namespace glass
