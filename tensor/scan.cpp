// Running sums and products.
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {
namespace {

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
