#include "autograd/ops/reduction.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/shape.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// A reduced gradient with its dims of size 1 back in place.
Var with_dims(const Var& dy, const Shape& from, const Dims& dims) {
  Shape shape = from;
  for (int64_t d : normalize_dims("reduction", dims, from.size())) shape[static_cast<int>(d)] = 1;
  return reshape(dy, shape);
}

int64_t count(const Shape& shape, const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : normalize_dims("reduction", dims, shape.size())) n *= shape[static_cast<int>(d)];
  return n;
}

// dx = dy, spread
struct Sum {
  static constexpr const char* name = "sum";
  Dims dims;
  bool keepdim;
  Shape from{};
  Tensor forward(const Tensor& x) {
    from = x.shape();
    return sum(x, dims, keepdim);
  }
  void backward(Backward& b, const Saved&) const {
    b.add(0, expand(with_dims(b.grad(), from, dims), from));
  }
};

// dx = dy · [x = y] / number of ties
struct Extreme {
  static constexpr const char* name = "amax";
  static constexpr Keep keep{.inputs = 1, .outputs = 1};
  Dims dims;
  bool keepdim, largest;
  Tensor forward(const Tensor& x) const {
    return largest ? amax(x, dims, keepdim) : amin(x, dims, keepdim);
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var& x = saved.input(0);
    const Var y = with_dims(saved.output(), x.shape(), dims);
    const Var tie =
        where(eq(x, y), Var(Tensor::ones({}, x.dtype())), Var(Tensor::zeros({}, x.dtype())));
    const Var share = tie / sum(tie, dims, true);
    b.add(0, with_dims(b.grad(), x.shape(), dims) * share);
  }
};

// dx = y·(dy - sum(dy·y))
struct Softmax {
  static constexpr const char* name = "softmax";
  static constexpr Keep keep{.inputs = 0, .outputs = 1};
  int64_t dim;
  Tensor forward(const Tensor& x) const { return softmax(x, dim); }
  void backward(Backward& b, const Saved& saved) const {
    b.add(0, softmax_backward(b.grad().value(), saved.output_value(), dim));
  }
  // The largest element is a constant here: it cancels.
  Var definition(const Var& x) const {
    if (x.numel() == 0) return x * 1.0;
    const Var e = exp(x - amax(x.detach(), {dim}, true));
    return e / sum(e, {dim}, true);
  }
};

// dx = dy - exp(y)·sum(dy)
struct LogSoftmax {
  static constexpr const char* name = "log_softmax";
  static constexpr Keep keep{.inputs = 0, .outputs = 1};
  int64_t dim;
  Tensor forward(const Tensor& x) const { return log_softmax(x, dim); }
  void backward(Backward& b, const Saved& saved) const {
    b.add(0, log_softmax_backward(b.grad().value(), saved.output_value(), dim));
  }
  Var definition(const Var& x) const {
    if (x.numel() == 0) return x * 1.0;
    const Var z = x - amax(x.detach(), {dim}, true);
    return z - log(sum(exp(z), {dim}, true));
  }
};

// dx = dy·exp(x - y); a row of -infinity has y = -infinity and slope 0.
struct LogSumExp {
  static constexpr const char* name = "logsumexp";
  static constexpr Keep keep{.inputs = 1, .outputs = 1};
  int64_t dim;
  bool keepdim;
  Tensor forward(const Tensor& x) const { return logsumexp(x, dim, keepdim); }
  void backward(Backward& b, const Saved& saved) const {
    const Var& x = saved.input(0);
    const Var y = with_dims(saved.output(), x.shape(), {dim});
    const Var shift = where(eq(y, -INFINITY), 0.0, y);
    b.add(0, with_dims(b.grad(), x.shape(), {dim}) * exp(x - shift));
  }
};

}  // namespace

Var sum(In x, const Dims& dims, bool keepdim) { return record(Sum{dims, keepdim}, x); }

Var mean(In x, const Dims& dims, bool keepdim) {
  if (!is_floating(x->dtype()))
    fail("mean", "needs float32 or float64", "got ", name_of(x->dtype()));
  const Var total = sum(x, dims, keepdim);
  const double n = static_cast<double>(count(x->shape(), dims));
  return mul(In(total, x.where.file, x.where.line), n > 0 ? 1 / n : std::nan(""));
}

Var amax(In x, const Dims& dims, bool keepdim) { return record(Extreme{dims, keepdim, true}, x); }
Var amin(In x, const Dims& dims, bool keepdim) { return record(Extreme{dims, keepdim, false}, x); }

ValueIndex max(In x, int64_t dim, bool keepdim) {
  const Var indices(glass::argmax(x->value(), dim, true));
  Var values = gather(x, dim, indices);
  if (keepdim) return {values, indices};
  return {squeeze(values, dim), Var(indices.value().squeeze(dim))};
}

Var argmax(In x, int64_t dim, bool keepdim) { return Var(glass::argmax(x->value(), dim, keepdim)); }

Var softmax(In x, int64_t dim) { return record(Softmax{dim}, x); }
Var log_softmax(In x, int64_t dim) { return record(LogSoftmax{dim}, x); }
Var logsumexp(In x, int64_t dim, bool keepdim) { return record(LogSumExp{dim, keepdim}, x); }

}  // namespace glass
