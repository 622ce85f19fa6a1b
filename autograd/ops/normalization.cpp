#include "autograd/ops/normalization.h"

#include <algorithm>

#include "autograd/normalization_definition.h"
#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "tensor/kernels.h"
#include "tensor/ops.h"

namespace glass {

Var normalize_by_definition(const Var& x, const NormView& view, const Var& weight, const Var& bias,
                            double eps) {
  const Var v = reshape(x, view.shape), centred = v - mean(v, view.over, true);
  Var y = centred / sqrt(mean(square(centred), view.over, true) + eps);
  if (weight.defined()) y = y * reshape(weight, view.affine);
  if (bias.defined()) y = y + reshape(bias, view.affine);
  return reshape(y, x.shape());
}

namespace {

// The channels' weights stand beside the batch: [C, 1] for a view [N, C, S].
NormView layer_view(int64_t rows, int64_t n) { return {{rows, n}, {1}, {n}}; }
NormView group_view(int64_t N, int64_t G, int64_t C, int64_t S) {
  return {{N, G, C, S}, {2, 3}, {G, C, 1}};
}
NormView batch_view(int64_t N, int64_t C, int64_t S) { return {{N, C, S}, {0, 2}, {C, 1}}; }

enum class Kind : uint8_t { layer, group, batch, instance };

constexpr const char* name_of(Kind kind) {
  return kind == Kind::layer   ? "layer_norm"
         : kind == Kind::group ? "group_norm"
         : kind == Kind::batch ? "batch_norm"
                               : "instance_norm";
}

// With x̂ = (x - mean) / √(variance + eps) and g = dy·weight:
// dx = (g - mean of g - x̂·mean of g·x̂) / √(variance + eps), dweight = Σ dy·x̂, dbias = Σ dy
template <Kind kind>
struct Normalize {
  static constexpr const char* name = name_of(kind);
  NormSets sets;
  NormView view;
  double eps;
  RunningStats running{};
  Tensor mean{}, variance{};

  Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const auto dense = [](const Tensor& t) { return t.defined() ? t.contiguous() : t; };
    Normalization n{.sets = sets, .eps = eps, .x = x.contiguous(), .weight = dense(weight)};
    n.bias = dense(bias);
    n.y = Tensor::empty(x.shape(), x.dtype());
    mean = n.mean = Tensor::empty({sets.sets}, x.dtype());
    variance = n.variance = Tensor::empty({sets.sets}, x.dtype());
    if (x.numel() > 0) kernels(x).normalize(n);
    if (running.mean.defined()) update(running);
    return n.y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor &x = saved.input(0).value(), &weight = saved.input(1).value();
    NormalizationBackward n{.sets = sets, .eps = eps, .x = x.contiguous()};
    if (weight.defined()) n.weight = weight.contiguous();
    n.mean = mean;
    n.variance = variance;
    n.dy = b.grad().value().contiguous();
    if (b.needs(0)) n.dx = Tensor::empty(x.shape(), x.dtype());
    if (b.needs(1)) n.dweight = Tensor::zeros(weight.shape(), x.dtype());
    if (b.needs(2)) n.dbias = Tensor::zeros(saved.input(2).shape(), x.dtype());
    if (x.numel() > 0) kernels(x).normalize_backward(n);
    if (b.needs(0)) b.add(0, n.dx);
    if (b.needs(1)) b.add(1, n.dweight);
    if (b.needs(2)) b.add(2, n.dbias);
  }
  Var definition(const Var& x, const Var& weight, const Var& bias) const {
    return normalize_by_definition(x, view, weight, bias, eps);
  }

  // Of an instance norm the average over the rows of the batch counts.
  void update(const RunningStats& r) const {
    const int64_t n = sets.count(), C = r.mean.numel();
    if (mean.numel() == 0 || n == 0) return;
    const double unbiased = static_cast<double>(n) / static_cast<double>(n - 1);
    const auto per_channel = [&](const Tensor& t) {
      const Tensor rows = t.reshape({-1, C});
      return sum(rows, {0}) * (1.0 / static_cast<double>(rows.size(0)));
    };
    r.mean.mul_(1 - r.momentum).add_(per_channel(mean), r.momentum);
    r.variance.mul_(1 - r.momentum).add_(per_channel(variance), r.momentum * unbiased);
  }
};

void check_affine(const char* op, const Var& x, const Shape& shape,
                  std::initializer_list<const Var*> given) {
  if (!is_floating(x.dtype())) fail(op, "needs float32 or float64", "got ", name_of(x.dtype()));
  for (const Var* v : given) {
    if (!v->defined()) continue;
    check_same_dtype(op, x.dtype(), v->dtype());
    if (!(v->shape() == shape))
      fail(op, "weight and bias must have the normalised shape", v->shape(), ", need ", shape);
  }
}

// Elements behind the channels, and the number of channels. x [N, C, ...]
int64_t check_channels(const char* op, const Var& x, const Var& weight, const Var& bias) {
  if (x.ndim() < 2) fail(op, "input must be [N, C, ...]", x.shape());
  check_affine(op, x, {x.size(1)}, {&weight, &bias});
  int64_t inner = 1;
  for (int i = 2; i < x.ndim(); ++i) inner *= x.size(i);
  return inner;
}

void check_running(const char* op, const Var& x, const RunningStats& r) {
  for (const Tensor* t : {&r.mean, &r.variance}) {
    if (!t->defined()) continue;
    check_same_dtype(op, x.dtype(), t->dtype());
    if (!(t->shape() == Shape{x.size(1)}))
      fail(op, "running mean and variance must have one entry per channel", t->shape(), " for ",
           x.shape());
  }
  if (r.mean.defined() != r.variance.defined())
    fail(op, "needs both running mean and variance, or none");
}

void check_enough(const char* op, const Var& x, int64_t count) {
  if (count == 1) fail(op, "one element a channel has no variance to train with", x.shape());
}

Var by_running(const char* op, In x, const RunningStats& r, const Var& weight, const Var& bias,
               double eps) {
  if (!r.mean.defined()) fail(op, "needs running mean and variance when not training");
  Shape shape{x->size(1)};
  for (int i = 2; i < x->ndim(); ++i) shape.push_back(1);
  Var scale = rsqrt(Var(r.variance.clone()) + eps);
  if (weight.defined()) scale = scale * weight;
  const Var y = (*x - reshape(Var(r.mean.clone()), shape)) * reshape(scale, shape);
  return bias.defined() ? y + reshape(bias, shape) : y;
}

In beside(const Var& v, In x) { return In(v, x.where.file, x.where.line); }

template <Kind kind>
Var over_groups(In x, int64_t N, int64_t G, int64_t C, int64_t S, const Var& weight,
                const Var& bias, double eps, const RunningStats& running = {}) {
  const NormSets sets{.sets = N * G,
                      .blocks = C,
                      .inner = S,
                      .set_step = C * S,
                      .block_step = S,
                      .groups = std::max<int64_t>(G, 1),
                      .group_step = C,
                      .run_step = 1};
  return record(Normalize<kind>{sets, group_view(N, G, C, S), eps, running}, x, beside(weight, x),
                beside(bias, x));
}

}  // namespace

Var layer_norm(In x, const Shape& normalized, const Var& weight, const Var& bias, double eps) {
  const int first = x->ndim() - normalized.size();
  int64_t rows = 1, n = 1;
  bool fits = first >= 0 && !normalized.empty();
  for (int i = 0; fits && i < x->ndim(); ++i) {
    fits = i < first || x->shape()[i] == normalized[i - first];
    (i < first ? rows : n) *= x->shape()[i];
  }
  if (!fits)
    fail("layer_norm", "the input must end with the normalised shape", x->shape(), " and ",
         normalized);
  check_affine("layer_norm", *x, normalized, {&weight, &bias});
  const NormSets sets{.sets = rows,
                      .blocks = n,
                      .inner = 1,
                      .set_step = n,
                      .block_step = 1,
                      .groups = 1,
                      .group_step = 0,
                      .run_step = 1};
  return record(Normalize<Kind::layer>{sets, layer_view(rows, n), eps}, x, beside(weight, x),
                beside(bias, x));
}

Var group_norm(In x, int64_t num_groups, const Var& weight, const Var& bias, double eps) {
  const int64_t inner = check_channels("group_norm", *x, weight, bias);
  if (num_groups < 1 || x->size(1) % num_groups != 0)
    fail("group_norm", "the number of groups must divide the channels", num_groups, " and ",
         x->shape());
  return over_groups<Kind::group>(x, x->size(0), num_groups, x->size(1) / num_groups, inner, weight,
                                  bias, eps);
}

Var batch_norm(In x, const RunningStats& running, const Var& weight, const Var& bias, bool training,
               double eps) {
  const char* op = "batch_norm";
  if (x->ndim() == 1 && x->numel() == 0) return *x * 1.0;
  const int64_t inner = check_channels(op, *x, weight, bias), N = x->size(0), C = x->size(1);
  check_running(op, *x, running);
  if (!training) return by_running(op, x, running, weight, bias, eps);
  check_enough(op, *x, N * inner);
  const NormSets sets{.sets = C,
                      .blocks = N,
                      .inner = inner,
                      .set_step = inner,
                      .block_step = C * inner,
                      .groups = std::max<int64_t>(C, 1),
                      .group_step = 1,
                      .run_step = 0};
  return record(Normalize<Kind::batch>{sets, batch_view(N, C, inner), eps, running}, x,
                beside(weight, x), beside(bias, x));
}

Var instance_norm(In x, const Var& weight, const Var& bias, double eps, const RunningStats& running,
                  bool use_input_stats) {
  const char* op = "instance_norm";
  const int64_t inner = check_channels(op, *x, weight, bias);
  if (x->ndim() < 3) fail(op, "input must be [N, C, ...] with something to normalise", x->shape());
  check_running(op, *x, running);
  if (!use_input_stats) return by_running(op, x, running, weight, bias, eps);
  check_enough(op, *x, inner);
  return over_groups<Kind::instance>(x, x->size(0), x->size(1), 1, inner, weight, bias, eps,
                                     running);
}

}  // namespace glass
