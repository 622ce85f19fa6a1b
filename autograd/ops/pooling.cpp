#include "autograd/ops/pooling.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/shape.h"
#include "tensor/kernels.h"

namespace glass {
namespace {

Shape output_shape(const Shape& x, const Pool& pool) {
  return {x[0], pool.axes[0].outputs(), pool.axes[1].outputs()};
}

// dx = dy at the places that were chosen. x [planes, H, W].
struct MaxPool {
  static constexpr const char* name = "max_pool";
  Pool pool;
  Shape from{};
  Tensor places{};
  std::array<Tensor, 2> forward(const Tensor& x) {
    from = x.shape();
    const Tensor y = Tensor::empty(output_shape(from, pool), x.dtype());
    const Tensor indices = Tensor::empty(y.shape(), kInt64);
    kernels(x).max_pool(x.contiguous(), pool, y, indices);
    places = indices.reshape({from[0], y.size(1) * y.size(2)});
    return {y, indices};
  }
  void backward(Backward& b, const Saved&) const {
    const Var zeros(Tensor::zeros({from[0], from[1] * from[2]}, b.grad().dtype()));
    const Var dy = reshape(b.grad(), places.shape());
    b.add(0, reshape(scatter_add(zeros, 1, Var(places), dy), from));
  }
};

// A linear map and its transpose, each the other's derivative.
template <bool transposed>
struct AvgPool {
  static constexpr const char* name = transposed ? "avg_pool_backward" : "avg_pool";
  Pool pool;
  Shape image;
  Tensor forward(const Tensor& x) const {
    const Tensor y = Tensor::empty(transposed ? image : output_shape(image, pool), x.dtype());
    (transposed ? kernels(x).avg_pool_backward : kernels(x).avg_pool)(x.contiguous(), pool, y);
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    b.add(0, record(AvgPool<!transposed>{pool, image}, In(b.grad())));
  }
};

struct WindowSizes {
  int64_t kernel, stride, padding, dilation;
  bool ceil_mode, count_include_pad;
};

PoolAxis sliding(const char* op, int64_t size, const WindowSizes& w) {
  if (w.padding > w.kernel / 2)
    fail(op, "padding must be at most half the kernel", w.padding, " and ", w.kernel);
  const int64_t reach = w.dilation * (w.kernel - 1) + 1, room = size + 2 * w.padding - reach;
  int64_t outputs = room < 0 ? 0 : (w.ceil_mode ? ceil_div(room, w.stride) : room / w.stride) + 1;
  // The last window begins inside the input or the padding in front of it.
  if (w.ceil_mode && (outputs - 1) * w.stride >= size + w.padding) --outputs;
  if (size > 0 && outputs < 1)
    fail(op, "the kernel must fit into the padded input", size, " + ", 2 * w.padding,
         " of padding, kernel ", w.kernel, ", dilation ", w.dilation);
  PoolAxis axis{.step = w.dilation};
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t from = o * w.stride - w.padding, to = from + reach;
    const int64_t begin = from < 0 ? from + ceil_div(-from, w.dilation) * w.dilation : from;
    const int64_t end = std::min(to, size);
    if (begin >= end) fail(op, "a window holds nothing but padding", "number ", o);
    axis.begin.push_back(begin);
    axis.end.push_back(end);
    axis.count.push_back(w.count_include_pad ? std::min(to, size + w.padding) - from : end - begin);
  }
  return axis;
}

PoolAxis adaptive(int64_t size, int64_t outputs) {
  PoolAxis axis;
  for (int64_t o = 0; o < outputs; ++o) {
    axis.begin.push_back(o * size / outputs);
    axis.end.push_back(ceil_div((o + 1) * size, outputs));
    axis.count.push_back(axis.end.back() - axis.begin.back());
  }
  return axis;
}

PoolAxis whole() { return {.begin = {0}, .end = {1}, .count = {1}}; }

void check_input(const char* op, const Var& x, int axes) {
  if (x.ndim() != axes + 1 && x.ndim() != axes + 2)
    fail(op, "input must have a batch, channels and the pool's axes; the batch may be absent",
         x.shape());
  for (int i = 1; i <= axes; ++i)
    if (x.size(-i) == 0) fail(op, "there is nothing to choose from", x.shape());
  if (!is_floating(x.dtype())) fail(op, "needs float32 or float64", "got ", name_of(x.dtype()));
}

Pool sliding_pool(const char* op, const Var& x, const Dims& kernel, const MaxPoolOptions& o,
                  int axes, bool count_include_pad = true) {
  check_input(op, x, axes);
  Pool pool{.axes = {whole(), whole()}};
  for (int i = 0; i < axes; ++i) {
    const int64_t k = number_of_axis(op, "kernel", kernel, i, axes, 1);
    pool.axes[static_cast<size_t>(2 - axes + i)] = sliding(
        op, x.size(i - axes),
        {.kernel = k,
         .stride = o.stride.empty() ? k : number_of_axis(op, "stride", o.stride, i, axes, 1),
         .padding = number_of_axis(op, "padding", o.padding, i, axes, 0),
         .dilation = number_of_axis(op, "dilation", o.dilation, i, axes, 1),
         .ceil_mode = o.ceil_mode,
         .count_include_pad = count_include_pad});
  }
  return pool;
}

Pool adaptive_pool(const char* op, const Var& x, const Dims& output_size, int axes) {
  check_input(op, x, axes);
  Pool pool{.axes = {whole(), whole()}};
  for (int i = 0; i < axes; ++i) {
    const int64_t size = x.size(i - axes),
                  out = number_of_axis(op, "output_size", output_size, i, axes, -1);
    pool.axes[static_cast<size_t>(2 - axes + i)] = adaptive(size, out == -1 ? size : out);
  }
  return pool;
}

// x as planes, and the shape that the planes of a result stand for.
struct Planes {
  Planes(In in, int axes) : x(*in), shape(in->shape()) {
    Shape three{1, axes == 2 ? in->size(-2) : 1, in->size(-1)};
    for (int i = 0; i < in->ndim() - axes; ++i) three[0] *= in->shape()[i];
    x = reshape(in, three);
  }
  Var back(const Var& y, int axes) const {
    Shape full = shape;
    for (int i = 1; i <= axes; ++i) full[full.size() - i] = y.size(-i);
    return reshape(y, full);
  }
  Var x;
  Shape shape;
};

ValueIndex max_pool(In x, Pool pool, int axes) {
  const Planes planes(x, axes);
  const auto [values, indices] =
      record(MaxPool{std::move(pool)}, In(planes.x, x.where.file, x.where.line));
  return {planes.back(values, axes), planes.back(indices, axes)};
}

Var avg_pool(In x, Pool pool, int axes) {
  const Planes planes(x, axes);
  return planes.back(record(AvgPool<false>{std::move(pool), planes.x.shape()},
                            In(planes.x, x.where.file, x.where.line)),
                     axes);
}

Pool averaging(const char* op, const Var& x, const Dims& kernel, const AvgPoolOptions& o,
               int axes) {
  Pool pool = sliding_pool(op, x, kernel,
                           {.stride = o.stride, .padding = o.padding, .ceil_mode = o.ceil_mode},
                           axes, o.count_include_pad);
  if (o.divisor_override == 0) fail(op, "divisor_override must not be 0");
  pool.divisor = o.divisor_override.value_or(0);
  return pool;
}

}  // namespace

ValueIndex max_pool1d(In x, const Dims& kernel, const MaxPoolOptions& o) {
  return max_pool(x, sliding_pool("max_pool1d", *x, kernel, o, 1), 1);
}
ValueIndex max_pool2d(In x, const Dims& kernel, const MaxPoolOptions& o) {
  return max_pool(x, sliding_pool("max_pool2d", *x, kernel, o, 2), 2);
}
Var avg_pool1d(In x, const Dims& kernel, const AvgPoolOptions& o) {
  return avg_pool(x, averaging("avg_pool1d", *x, kernel, o, 1), 1);
}
Var avg_pool2d(In x, const Dims& kernel, const AvgPoolOptions& o) {
  return avg_pool(x, averaging("avg_pool2d", *x, kernel, o, 2), 2);
}
Var adaptive_avg_pool1d(In x, const Dims& output_size) {
  return avg_pool(x, adaptive_pool("adaptive_avg_pool1d", *x, output_size, 1), 1);
}
Var adaptive_avg_pool2d(In x, const Dims& output_size) {
  return avg_pool(x, adaptive_pool("adaptive_avg_pool2d", *x, output_size, 2), 2);
}
ValueIndex adaptive_max_pool2d(In x, const Dims& output_size) {
  return max_pool(x, adaptive_pool("adaptive_max_pool2d", *x, output_size, 2), 2);
}

}  // namespace glass
