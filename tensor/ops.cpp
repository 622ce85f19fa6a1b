#include "tensor/ops.h"

#include <algorithm>
#include <cmath>

#include "tensor/cpu/loops.h"
#include "tensor/functions/arithmetic.h"
#include "tensor/kernels.h"

namespace glass {

const Kernels& kernels(const Tensor& x) {
  if (!x.defined()) fail("tensor", "an argument is undefined");
  if (x.device() == Device::cpu) return cpu_kernels();
  const Kernels* cuda = cuda_kernels();
  if (!cuda) fail_environment("cuda", "this build of Glass has no CUDA");
  return *cuda;
}

void fill_contiguous(const Tensor& out, double value) {
  if (out.dtype() == kInt64 && !(value >= -0x1p63 && value < 0x1p63))
    fail("fill", "the value does not fit int64", value);
  kernels(out).fill(out, value);
}
void copy_elements(const Tensor& source, const Tensor& target) {
  kernels(target).copy(source, target);
}

Tensor operator+(const Tensor& a, const Tensor& b) { return map(functions::Add{}, a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return map(functions::Sub{}, a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return map(functions::Mul{}, a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return map(functions::Div{}, a, b); }
Tensor operator*(const Tensor& a, double b) { return a * Tensor::scalar(b, a.dtype()); }
Tensor sqrt(const Tensor& x) { return map(functions::Sqrt{}, x); }
Tensor abs(const Tensor& x) { return map(functions::Abs{}, x); }

// target += alpha · other as one pass over the row.
struct AddScaled {
  double alpha;
  template <class T>
  GLASS_FN T operator()(T a, T b) const {
    return a + T(alpha) * b;
  }
};

const Tensor& Tensor::add_(const Tensor& other, double alpha) const {
  check_same_dtype("add_", dtype_, other.dtype());
  if (dtype_ == kInt64 && !(std::abs(alpha) < 0x1p63 && alpha == std::trunc(alpha)))
    fail("add_", "alpha must be whole for int64", alpha);
  const Tensor wide = other.shape() == shape_ ? other : other.expand(shape_);
  const AddScaled f{alpha};
  const RowFn row = visit_number("add_", dtype_,
                                 []<class T>(T) -> RowFn { return cpu::row<AddScaled, T, T, T>; });
  run_rows(*this, {this, &wide}, row, &f);
  bump_version();
  return *this;
}

struct Scale {
  double factor;
  template <class T>
  GLASS_FN T operator()(T a) const {
    return a * T(factor);
  }
};

const Tensor& Tensor::mul_(double factor) const {
  const Scale f{factor};
  const RowFn row =
      visit_floating("mul_", dtype_, []<class T>(T) -> RowFn { return cpu::row<Scale, T, T>; });
  run_rows(*this, {this}, row, &f);
  bump_version();
  return *this;
}

namespace {

struct Reduced {
  Tensor x;  // dense, the reduced axes adjacent
  Axis3 axis;
  Shape out;
};

// Brings x to [outer, length, inner] with the reduced dims in the middle; copies only when they are
// not adjacent or x is not dense.
Reduced prepare_reduction(const char* op, const Tensor& x, const Dims& wanted, bool keepdim) {
  const Dims dims = normalize_dims(op, wanted, x.ndim());
  Reduced r{x, {1, 1, 1}, {}};
  Dims order;  // kept axes, then reduced ones
  int next = 0;
  for (int i = 0; i < x.ndim(); ++i) {
    if (next < dims.size() && dims[next] == i) {
      ++next;
      if (keepdim) r.out.push_back(1);
    } else {
      order.push_back(i);
      r.out.push_back(x.shape()[i]);
    }
  }
  const bool adjacent = dims.empty() || dims.back() - dims[0] == dims.size() - 1;
  if (!adjacent) {
    for (int64_t d : dims) order.push_back(d);
    r.x = x.permute(order);
    for (int i = 0; i < x.ndim(); ++i)
      (i < x.ndim() - dims.size() ? r.axis.outer : r.axis.length) *= r.x.shape()[i];
  } else {
    for (int i = 0; i < x.ndim(); ++i) {
      const bool before = !dims.empty() && i < dims[0], after = dims.empty() || i > dims.back();
      (before ? r.axis.outer : after ? r.axis.inner : r.axis.length) *= x.shape()[i];
    }
  }
  r.x = r.x.contiguous();
  return r;
}

Tensor reduce(Reduction kind, const char* op, const Tensor& x, const Dims& dims, bool keepdim) {
  const Reduced r = prepare_reduction(op, x, dims, keepdim);
  Tensor out = Tensor::empty(r.out, x.dtype());
  if ((kind == Reduction::max || kind == Reduction::min) && r.axis.length == 0 && out.numel() > 0)
    fail(op, "no elements to choose from", "shape ", x.shape());
  if (out.numel() > 0) kernels(x).reduce(kind, r.x, r.axis, out);
  return out;
}

// x with dim moved to the end and dense, as [rows, length].
Tensor as_rows(const char* op, const Tensor& x, int64_t dim) {
  const int d = normalize_dim(op, dim, x.ndim());
  if (x.ndim() == 0) return x.reshape({1, 1});
  const Tensor last = (d == x.ndim() - 1 ? x : x.transpose(d, -1)).contiguous();
  return last.numel() == 0 ? last : last.reshape({-1, last.size(-1)});
}

// Undoes as_rows for a result of x's shape.
Tensor from_rows(const Tensor& rows, const Tensor& x, int64_t dim) {
  if (x.ndim() == 0) return rows.reshape({});
  Shape shape = x.shape();
  const int d = normalize_dim("softmax", dim, x.ndim());
  std::swap(shape[d], shape[x.ndim() - 1]);
  return rows.reshape(shape).transpose(d, -1).contiguous();
}

Tensor row_function(RowFunction kind, const char* op, const Tensor& x, int64_t dim) {
  const Tensor rows = as_rows(op, x, dim);
  Tensor out = Tensor::empty(rows.shape(), x.dtype());
  if (x.numel() > 0) kernels(x).rows(kind, rows, out);
  return from_rows(out, x, dim);
}

Tensor row_backward(RowFunction kind, const char* op, const Tensor& dy, const Tensor& y,
                    int64_t dim) {
  const Tensor dy_rows = as_rows(op, dy, dim);
  Tensor out = Tensor::empty(dy_rows.shape(), dy.dtype());
  if (dy.numel() > 0) kernels(dy).rows_backward(kind, dy_rows, as_rows(op, y, dim), out);
  return from_rows(out, dy, dim);
}

}  // namespace

Tensor sum(const Tensor& x, const Dims& dims, bool keepdim) {
  return reduce(Reduction::sum, "sum", x, dims, keepdim);
}
Tensor prod(const Tensor& x, const Dims& dims, bool keepdim) {
  return reduce(Reduction::prod, "prod", x, dims, keepdim);
}
Tensor amax(const Tensor& x, const Dims& dims, bool keepdim) {
  return reduce(Reduction::max, "amax", x, dims, keepdim);
}
Tensor amin(const Tensor& x, const Dims& dims, bool keepdim) {
  return reduce(Reduction::min, "amin", x, dims, keepdim);
}

static Tensor arg_extreme(bool largest, const char* op, const Tensor& x, int64_t dim,
                          bool keepdim) {
  const int d = normalize_dim(op, dim, x.ndim());
  const Reduced r = prepare_reduction(op, x, {d}, keepdim);
  Tensor out = Tensor::empty(r.out, kInt64);
  if (r.axis.length == 0 && out.numel() > 0)
    fail(op, "no elements to choose from", "shape ", x.shape());
  if (out.numel() > 0) kernels(x).arg_extreme(largest, r.x, r.axis, out);
  return out;
}
Tensor argmax(const Tensor& x, int64_t dim, bool keepdim) {
  return arg_extreme(true, "argmax", x, dim, keepdim);
}
Tensor argmin(const Tensor& x, int64_t dim, bool keepdim) {
  return arg_extreme(false, "argmin", x, dim, keepdim);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  Dims dims;
  const int shift = x.ndim() - shape.size();
  bool fits = shift >= 0;
  for (int i = 0; fits && i < shape.size(); ++i)
    fits = shape[i] == 1 || shape[i] == x.shape()[i + shift];
  if (!fits)
    fail("sum_to", "this shape does not broadcast to the tensor's", shape, " and ", x.shape());
  for (int i = 0; i < x.ndim(); ++i)
    if (i < shift || (shape[i - shift] == 1 && x.shape()[i] != 1)) dims.push_back(i);
  return (dims.empty() ? x : sum(x, dims)).reshape(shape);
}

bool all_finite(const Tensor& x) {
  if (!is_floating(x.dtype())) return true;
  const Tensor dense = x.contiguous();
  return kernels(x).all_finite(dense);
}

Tensor softmax(const Tensor& x, int64_t dim) {
  return row_function(RowFunction::softmax, "softmax", x, dim);
}
Tensor log_softmax(const Tensor& x, int64_t dim) {
  return row_function(RowFunction::log_softmax, "log_softmax", x, dim);
}
Tensor softmax_backward(const Tensor& dy, const Tensor& y, int64_t dim) {
  return row_backward(RowFunction::softmax, "softmax", dy, y, dim);
}
Tensor log_softmax_backward(const Tensor& dy, const Tensor& y, int64_t dim) {
  return row_backward(RowFunction::log_softmax, "log_softmax", dy, y, dim);
}

Tensor logsumexp(const Tensor& x, int64_t dim, bool keepdim) {
  if (!is_floating(x.dtype()))
    fail("logsumexp", "needs float32 or float64", "got ", name_of(x.dtype()));
  const Tensor rows = as_rows("logsumexp", x, dim);
  Shape shape = x.shape();
  if (x.ndim() > 0) shape[normalize_dim("logsumexp", dim, x.ndim())] = 1;
  Tensor out = Tensor::full(shape, -INFINITY, x.dtype());
  if (x.numel() > 0) {
    // Row order is that of x with dim swapped to the end: swap it back for the result.
    Shape swapped = shape;
    const int d = x.ndim() > 0 ? normalize_dim("logsumexp", dim, x.ndim()) : 0;
    if (x.ndim() > 0) std::swap(swapped[d], swapped[x.ndim() - 1]);
    Tensor values = Tensor::empty(swapped, x.dtype());
    kernels(x).logsumexp(rows, values);
    out = x.ndim() > 0 ? values.transpose(d, -1).contiguous() : values;
  }
  return keepdim || x.ndim() == 0 ? out : out.squeeze(dim);
}

Tensor cat(std::span<const Tensor> tensors, int64_t dim) {
  if (tensors.empty()) fail("cat", "needs at least one tensor");
  const Tensor& first = tensors[0];
  if (first.ndim() == 0) fail("cat", "0-d tensors cannot be joined; use stack");
  const int d = normalize_dim("cat", dim, first.ndim());
  Shape shape = first.shape();
  shape[d] = 0;
  for (const Tensor& t : tensors) {
    check_same_dtype("cat", first.dtype(), t.dtype());
    bool fits = t.ndim() == first.ndim();
    for (int i = 0; fits && i < t.ndim(); ++i) fits = i == d || t.shape()[i] == shape[i];
    if (!fits)
      fail("cat", "sizes differ beside dim", first.shape(), " and ", t.shape(), ", dim ", d);
    shape[d] += t.shape()[d];
  }
  Tensor out = Tensor::empty(shape, first.dtype());
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    if (t.numel() > 0) copy_elements(t, out.slice(d, start, start + t.shape()[d]));
    start += t.shape()[d];
  }
  return out;
}

Tensor stack(std::span<const Tensor> tensors, int64_t dim) {
  if (tensors.empty()) fail("stack", "needs at least one tensor");
  std::vector<Tensor> wide;
  for (const Tensor& t : tensors) {
    if (!(t.shape() == tensors[0].shape()))
      fail("stack", "shapes differ", tensors[0].shape(), " and ", t.shape());
    wide.push_back(t.unsqueeze(dim));
  }
  return cat(wide, normalize_dim("stack", dim, tensors[0].ndim() + 1));
}

}  // namespace glass
