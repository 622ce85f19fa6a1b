#include "autograd/ops/softmax.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

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
    const Var y = saved.output(), shift = with_dim(where(eq(y, -INFINITY), 0.0, y), x);
    b.add(0, with_dim(b.grad(), x) * exp(x - shift));
  }
  Var with_dim(const Var& y, const Var& x) const {
    return keepdim || x.ndim() == 0 ? y : unsqueeze(y, normalize_dim(name, dim, x.ndim()));
  }
};

}  // namespace

Var softmax(In x, int64_t dim) { return record(Softmax{dim}, x); }
Var log_softmax(In x, int64_t dim) { return record(LogSoftmax{dim}, x); }
Var logsumexp(In x, int64_t dim, bool keepdim) { return record(LogSumExp{dim, keepdim}, x); }
Var logsumexp(In x, const Dims& dims, bool keepdim) {
  if (x->ndim() == 0) return logsumexp(x, dims.empty() ? 0 : dims[0], keepdim);
  const Dims axes = normalize_dims("logsumexp", dims, x->ndim());
  Var y = logsumexp(x, axes.back(), keepdim);  // from the last axis on, so that numbers stay right
  for (int i = axes.size() - 2; i >= 0; --i) y = logsumexp(y, axes[i], keepdim);
  return y;
}

namespace {

using Reference = decltype(Sample::reference);

// f of each line of x along dim: the line's numbers in, its new numbers out.
Reference lines(const Shape& shape, int dim, std::function<Numbers(const Numbers&)> f) {
  return [=](const Columns& x) {
    Numbers y(x[0].size());
    for_lines(shape, dim, [&](int64_t first, int64_t step, int64_t n) {
      Numbers line;
      for (int64_t i = 0; i < n; ++i) line.push_back(x[0][static_cast<size_t>(first + i * step)]);
      line = f(line);
      for (int64_t i = 0; i < n; ++i)
        y[static_cast<size_t>(first + i * step)] = line[static_cast<size_t>(i)];
    });
    return y;
  };
}

Numbers shares(const Numbers& line) {
  Numbers y;
  double total = 0;
  for (double v : line) total += std::exp(v);
  for (double v : line) y.push_back(std::exp(v) / total);
  return y;
}

// The same function of a row three ways: last axis, an inner axis, 0-d, and rows without elements.
std::vector<Sample> rows(Var (*f)(In, int64_t), Var (*definition)(const Var&, int64_t),
                         std::function<Numbers(const Numbers&)> reference) {
  std::vector<Sample> samples;
  const auto add = [&](const char* label, const Shape& shape, int64_t dim) {
    samples.push_back(
        {.label = label,
         .inputs = {{shape, -3, 3}},
         .f = [=](const Vars& v) { return Vars{f(v[0], dim)}; },
         .definition = [=](const Vars& v) { return Vars{definition(v[0], dim)}; },
         .reference =
             lines(shape, shape.empty() ? 0 : normalize_dim("row", dim, shape.size()), reference)});
  };
  add("last axis", {3, 5}, -1);
  add("inner axis", {2, 4, 3}, 1);
  add("one class", {3, 1}, 1);
  add("0-d", {}, 0);
  add("no rows", {0, 3}, 1);
  add("rows without elements", {3, 0}, 1);
  for (Sample& sample : samples)  // one number alone is always 1 (or its log)
    if (sample.label == "one class" || sample.label == "0-d") sample.expect = Verdict::vacuous;
  return samples;
}

std::vector<ErrorRow> row_errors(Var (*f)(In, int64_t)) {
  return {{"no such axis",
           [=] {
             f(ones({2, 3}), 2);
           },
           "dim out of range: 2"},
          {"integers",
           [=] {
             f(ones({2, 3}, kInt64), 1);
           },
           "needs float32 or float64: got int64"}};
}

}  // namespace

std::vector<Entry> softmax_ops() {
  const auto along = [](Var (*f)(In, int64_t)) {
    return [f](Replay& r) { return Vars{f(converted_input(r), r.integer("dim"))}; };
  };
  const Sample both_axes{.label = "two axes",
                         .inputs = {{{2, 2, 2}}},
                         .f =
                             [](const Vars& v) {
                               return Vars{logsumexp(v[0], Dims{0, 2})};
                             },
                         .reference = [](const Columns& x) -> Numbers {
                           const auto of = [&](size_t i) {
                             return std::log(std::exp(x[0][i]) + std::exp(x[0][i + 1]) +
                                             std::exp(x[0][i + 4]) + std::exp(x[0][i + 5]));
                           };
                           return {of(0), of(2)};
                         }};
  const auto log_shares = [](const Numbers& line) {
    Numbers y = shares(line);
    for (double& v : y) v = std::log(v);
    return y;
  };
  const auto lse = [](const char* label, const Shape& shape, int64_t dim, bool keepdim) -> Sample {
    return {.label = label,
            .inputs = {{shape, -3, 3}},
            .f = [=](const Vars& v) { return Vars{logsumexp(v[0], dim, keepdim)}; },
            .reference =
                [=](const Columns& x) {
                  Numbers y;
                  const int d = shape.empty() ? 0 : normalize_dim("row", dim, shape.size());
                  for_lines(shape, d, [&](int64_t first, int64_t step, int64_t n) {
                    double total = 0;
                    for (int64_t i = 0; i < n; ++i)
                      total += std::exp(x[0][static_cast<size_t>(first + i * step)]);
                    y.push_back(std::log(total));
                  });
                  return y;
                }};
  };
  const auto logsumexp_last = [](In x, int64_t dim) { return logsumexp(x, dim); };
  return {{.name = "softmax",
           .kind = EntryKind::fused,
           .formula = "y_i = exp(x_i)/Σ_j exp(x_j) along dim",
           .gradient = "dx = y·(dy - Σ dy·y)",
           .notes = "The largest element is subtracted first, so that nothing overflows.",
           .samples = rows(
               softmax, [](const Var& x, int64_t d) { return Softmax{d}.definition(x); }, shares),
           .errors = row_errors(softmax),
           .replay = along(softmax)},
          {.name = "log_softmax",
           .kind = EntryKind::fused,
           .formula = "y_i = x_i - log Σ_j exp(x_j) along dim",
           .gradient = "dx = dy - exp(y)·Σ dy",
           .samples = rows(
               log_softmax, [](const Var& x, int64_t d) { return LogSoftmax{d}.definition(x); },
               log_shares),
           .errors = row_errors(log_softmax),
           .replay = along(log_softmax)},
          {.name = "logsumexp",
           .formula = "y = log Σ_j exp(x_j) along dim",
           .gradient = "dx = dy·exp(x - y)",
           .notes = "No elements, or all of them -∞: y = -∞ with gradient 0.",
           .samples = {lse("last axis", {3, 5}, -1, false), lse("inner axis", {2, 4, 3}, 1, false),
                       lse("keepdim", {2, 4, 3}, 0, true), lse("0-d", {}, 0, false),
                       lse("no rows", {0, 3}, 1, false), both_axes},
           .errors = row_errors(logsumexp_last),
           .replay = [](Replay& r) {
             return Vars{logsumexp(r["input"], dims_argument(r), r.flag("keepdim", false))};
           }}};
}

}  // namespace glass
