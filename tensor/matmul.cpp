// Matrix products: shapes and broadcasting; the numbers come from the device's gemm.
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {

void gemm_into(const Tensor& a, const Tensor& b, double beta, const Tensor& c) {
  check_same_dtype("matmul", a.dtype(), b.dtype());
  check_same_dtype("matmul", a.dtype(), c.dtype());
  if (a.ndim() != 2 || b.ndim() != 2 || c.ndim() != 2 || a.shape()[1] != b.shape()[0] ||
      c.shape()[0] != a.shape()[0] || c.shape()[1] != b.shape()[1])
    fail("matmul", "sizes do not fit", a.shape(), " · ", b.shape(), " into ", c.shape());
  kernels(a).gemm(a, b, beta, c);
  c.bump_version();
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  check_same_dtype("matmul", a.dtype(), b.dtype());
  if (!is_floating(a.dtype()))
    fail("matmul", "needs float32 or float64", "got ", name_of(a.dtype()));
  if (a.ndim() == 0 || b.ndim() == 0)
    fail("matmul", "needs at least one dimension each", a.shape(), " · ", b.shape());
  if (a.ndim() == 1) {
    const Tensor y = matmul(a.unsqueeze(0), b);
    return y.squeeze(b.ndim() == 1 ? 0 : -2);
  }
  if (b.ndim() == 1) return matmul(a, b.unsqueeze(1)).squeeze(-1);
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  if (k != b.size(-2))
    fail("matmul", "inner sizes differ", a.shape(), " · ", b.shape(), " (", k, " and ", b.size(-2),
         ")");
  if (b.ndim() == 2) {
    // One product over all leading dims of a.
    Shape shape = a.shape();
    shape[a.ndim() - 1] = n;
    Tensor out = Tensor::empty(shape, a.dtype());
    if (out.numel() > 0) {
      const int64_t rows = out.numel() / n;
      kernels(a).gemm(a.reshape({rows, k}), b, 0, out.reshape({rows, n}));
    }
    return out;
  }
  Shape lead_a(std::span(a.shape().begin(), static_cast<size_t>(a.ndim() - 2)));
  Shape lead_b(std::span(b.shape().begin(), static_cast<size_t>(b.ndim() - 2)));
  const Shape lead = broadcast_shapes("matmul", lead_a, lead_b);
  auto with = [&](int64_t rows, int64_t columns) {
    Shape shape = lead;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  Tensor out = Tensor::empty(with(m, n), a.dtype());
  if (out.numel() == 0) return out;
  const int64_t batch = out.numel() / (m * n);
  kernels(a).gemm_batched(a.expand(with(m, k)).reshape({batch, m, k}),
                          b.expand(with(k, n)).reshape({batch, k, n}), 0,
                          out.reshape({batch, m, n}));
  return out;
}

}  // namespace glass
