#include "autograd/ops/shape.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/reduction.h"
#include "tensor/ops.h"

namespace glass {
namespace {

struct Alias {
  static constexpr const char* name = "alias";
  Tensor forward(const Tensor& x) const { return x; }
  void backward(Backward& b, const Saved&) const { b.add(0, b.grad()); }
};

// dx = dy in x's shape
struct Reshape {
  static constexpr const char* name = "reshape";
  Shape shape, from{};
  Tensor forward(const Tensor& x) {
    from = x.shape();
    return x.reshape(shape);
  }
  void backward(Backward& b, const Saved&) const { b.add(0, reshape(b.grad(), from)); }
};

struct Permute {
  static constexpr const char* name = "permute";
  Dims dims;
  Tensor forward(const Tensor& x) const { return x.permute(dims); }
  void backward(Backward& b, const Saved&) const {
    Dims inverse = dims;
    for (int i = 0; i < dims.size(); ++i)
      inverse[normalize_dim("permute", dims[i], dims.size())] = i;
    b.add(0, permute(b.grad(), inverse));
  }
};

struct Transpose {
  static constexpr const char* name = "transpose";
  int64_t dim0, dim1;
  Tensor forward(const Tensor& x) const { return x.transpose(dim0, dim1); }
  void backward(Backward& b, const Saved&) const { b.add(0, transpose(b.grad(), dim0, dim1)); }
};

// The engine sums to the input's shape: expanding is broadcasting.
struct Expand {
  static constexpr const char* name = "expand";
  Shape shape;
  Tensor forward(const Tensor& x) const { return x.expand(shape); }
  void backward(Backward& b, const Saved&) const { b.add(0, b.grad()); }
};

// dx is zero but for the slice, which gets dy. A step above 1 spreads dy first.
struct Slice {
  static constexpr const char* name = "slice";
  int64_t dim, start, end, step, size = 0;
  Tensor forward(const Tensor& x) {
    const Tensor y = x.slice(dim, start, end, step);
    size = x.size(dim);
    start = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    const Var& dy = b.grad();
    if (dy.numel() == 0) return;
    if (step == 1) return b.add_slice(0, dim, start, dy);
    // [.., n, ..] -> [.., n, 1, ..] -> padded to [.., n, step, ..] -> [.., n·step, ..]
    const int d = normalize_dim("slice", dim, dy.ndim());
    Shape spread = dy.shape();
    const int64_t n = spread[d];
    spread[d] = n * step;
    const Var wide = reshape(pad_zeros(unsqueeze(dy, d + 1), d + 1, 0, step - 1), spread);
    b.add_slice(0, d, start, narrow(wide, d, 0, std::min(n * step, size - start)));
  }
};

struct PadZeros {
  static constexpr const char* name = "pad_zeros";
  int64_t dim, before, after, size = 0;
  Tensor forward(const Tensor& x) {
    size = x.size(dim);
    Shape shape = x.shape();
    shape[normalize_dim("pad_zeros", dim, x.ndim())] += before + after;
    Tensor y = Tensor::zeros(shape, x.dtype());
    y.narrow(dim, before, size).copy_(x);
    return y;
  }
  void backward(Backward& b, const Saved&) const { b.add(0, narrow(b.grad(), dim, before, size)); }
};

struct Cat {
  static constexpr const char* name = "cat";
  int64_t dim;
  Tensor forward(const std::vector<Tensor>& x) const { return cat(x, dim); }
  void backward(Backward& b, const std::vector<Shape>& shapes) const {
    int64_t start = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const int64_t n = shapes[i][normalize_dim("cat", dim, shapes[i].size())];
      if (b.needs(i)) b.add(i, narrow(b.grad(), dim, start, n));
      start += n;
    }
  }
};

struct SumTo {
  static constexpr const char* name = "sum_to";
  Shape shape, from{};
  Tensor forward(const Tensor& x) {
    from = x.shape();
    return sum_to(x, shape);
  }
  void backward(Backward& b, const Saved&) const { b.add(0, expand(b.grad(), from)); }
};

SourceLine line_of(const std::vector<Var>&, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE()) {
  return {file, line};
}

}  // namespace

Var alias(In x) { return record(Alias{}, x); }
Var reshape(In x, const Shape& shape) { return record(Reshape{shape}, x); }
Var flatten(In x, int64_t start_dim, int64_t end_dim) {
  return record(Reshape{x->value().flatten(start_dim, end_dim).shape()}, x);
}
Var permute(In x, const Dims& dims) { return record(Permute{dims}, x); }
Var transpose(In x, int64_t dim0, int64_t dim1) { return record(Transpose{dim0, dim1}, x); }
Var unsqueeze(In x, int64_t dim) { return record(Reshape{x->value().unsqueeze(dim).shape()}, x); }
Var squeeze(In x, int64_t dim) { return record(Reshape{x->value().squeeze(dim).shape()}, x); }
Var expand(In x, const Shape& shape) { return record(Expand{shape}, x); }
Var slice(In x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  return record(Slice{dim, start, end, step}, x);
}

Var narrow(In x, int64_t dim, int64_t start, int64_t length) {
  static_cast<void>(x->value().narrow(dim, start, length));  // checks the range
  if (start < 0) start += x->size(dim);
  return record(Slice{dim, start, start + length, 1}, x);
}

Var select(In x, int64_t dim, int64_t index) {
  static_cast<void>(x->value().select(dim, index));
  const Var one = narrow(x, dim, index, 1);
  return squeeze(In(one, x.where.file, x.where.line), dim);
}

std::vector<Var> split(In x, int64_t split_size, int64_t dim) {
  if (split_size <= 0) fail("split", "split_size must be positive", split_size);
  const int64_t n = x->size(dim);
  std::vector<Var> parts;
  for (int64_t start = 0; start < n || start == 0; start += split_size)
    parts.push_back(narrow(x, dim, start, std::min(split_size, n - start)));
  return parts;
}

std::vector<Var> chunk(In x, int64_t chunks, int64_t dim) {
  if (chunks <= 0) fail("chunk", "chunks must be positive", chunks);
  return split(x, std::max<int64_t>(1, (x->size(dim) + chunks - 1) / chunks), dim);
}

Var cat(const std::vector<Var>& tensors, int64_t dim) {
  return record_list(Cat{dim}, line_of(tensors), tensors);
}

Var stack(const std::vector<Var>& tensors, int64_t dim) {
  std::vector<Var> wide;
  for (const Var& t : tensors) {
    if (!(t.shape() == tensors[0].shape()))
      fail("stack", "shapes differ", tensors[0].shape(), " and ", t.shape());
    wide.push_back(unsqueeze(t, dim));
  }
  return cat(wide, tensors.empty() ? 0 : normalize_dim("stack", dim, tensors[0].ndim() + 1));
}

Var pad_zeros(In x, int64_t dim, int64_t before, int64_t after) {
  return record(PadZeros{dim, before, after}, x);
}
Var sum_to(In x, const Shape& shape) { return record(SumTo{shape}, x); }

}  // namespace glass
