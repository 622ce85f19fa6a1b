// Reading and adding at places that an index tensor names.
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {

Axis3 axis_of(const Tensor& x, int dim) {
  Axis3 axis{1, 1, 1};
  for (int i = 0; i < x.ndim(); ++i)
    (i < dim ? axis.outer : i == dim ? axis.length : axis.inner) *= x.shape()[i];
  return axis;
}

namespace {

// The index as a dense int64 tensor whose every value lies in [0, size).
Tensor checked_index(const char* op, const Tensor& index, int64_t size) {
  if (index.dtype() != kInt64) fail(op, "the index must be int64", "got ", name_of(index.dtype()));
  const Tensor dense = index.contiguous();
  const int64_t* ids = dense.data<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i)
    if (ids[i] < 0 || ids[i] >= size)
      fail(op, "index out of range", ids[i], ", should be in [0, ", size - 1, "]");
  return dense;
}

void check_gather(const char* op, const Tensor& x, int dim, const Tensor& index) {
  bool fits = x.ndim() == index.ndim();
  for (int i = 0; fits && i < x.ndim(); ++i) fits = i == dim || index.shape()[i] <= x.shape()[i];
  if (!fits)
    fail(op, "the index does not fit", "index ", index.shape(), ", tensor ", x.shape(), ", dim ",
         dim);
}

}  // namespace

Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  const int d = normalize_dim("index_select", dim, x.ndim());
  if (x.ndim() == 0 || index.ndim() != 1)
    fail("index_select", "needs a 1-d index and at least one dimension", "index ", index.shape(),
         ", tensor ", x.shape());
  const Tensor ids = checked_index("index_select", index, x.shape()[d]);
  Shape shape = x.shape();
  shape[d] = ids.numel();
  Tensor out = Tensor::empty(shape, x.dtype());
  if (out.numel() > 0) kernels(x).index_select(x.contiguous(), axis_of(x, d), ids, out);
  return out;
}

void index_add_(const Tensor& target, int64_t dim, const Tensor& index, const Tensor& src) {
  const int d = normalize_dim("index_add", dim, target.ndim());
  check_same_dtype("index_add", target.dtype(), src.dtype());
  Shape wanted = target.shape();
  if (index.ndim() != 1 || target.ndim() == 0)
    fail("index_add", "needs a 1-d index and at least one dimension", "index ", index.shape());
  wanted[d] = index.numel();
  if (!(src.shape() == wanted))
    fail("index_add", "source has the wrong shape", src.shape(), ", should be ", wanted);
  if (!target.is_contiguous()) fail("index_add", "the target must be contiguous");
  const Tensor ids = checked_index("index_add", index, target.shape()[d]);
  if (src.numel() > 0) kernels(target).index_add(target, axis_of(target, d), ids, src.contiguous());
  target.bump_version();
}

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  const int d = normalize_dim("gather", dim, x.ndim());
  check_gather("gather", x, d, index);
  if (x.ndim() == 0) return gather(x.reshape({1}), 0, index.reshape({1})).reshape({});
  const Tensor ids = checked_index("gather", index, x.shape()[d]);
  Tensor out = Tensor::empty(index.shape(), x.dtype());
  if (out.numel() > 0) kernels(x).gather(x, d, ids, out);
  return out;
}

void scatter_add_(const Tensor& target, int64_t dim, const Tensor& index, const Tensor& src) {
  const int d = normalize_dim("scatter_add", dim, target.ndim());
  check_same_dtype("scatter_add", target.dtype(), src.dtype());
  check_gather("scatter_add", target, d, index);
  bool fits = src.ndim() == index.ndim();
  for (int i = 0; fits && i < src.ndim(); ++i) fits = index.shape()[i] <= src.shape()[i];
  if (!fits)
    fail("scatter_add", "the source is smaller than the index", src.shape(), " and ",
         index.shape());
  if (!target.is_contiguous()) fail("scatter_add", "the target must be contiguous");
  const auto wide = [](const Tensor& x) { return x.ndim() == 0 ? x.reshape({1}) : x; };
  const Tensor ids = checked_index("scatter_add", wide(index), wide(target).shape()[d]);
  if (ids.numel() > 0) kernels(target).scatter_add(wide(target), d, ids, wide(src));
  target.bump_version();
}

Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor out = x.clone();
  scatter_add_(out, dim, index, src);
  return out;
}

}  // namespace glass
