#include "autograd/ops/scan.h"

#include <vector>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// dx = sums of dy from the other end
struct Cumsum {
  static constexpr const char* name = "cumsum";
  int64_t dim;
  bool reverse = false;
  Tensor forward(const Tensor& x) const { return cumsum(x, dim, reverse); }
  void backward(Backward& b, const Saved&) const {
    b.add(0, record(Cumsum{dim, !reverse}, In(b.grad())));
  }
};

// dx_i = sum over k >= i of dy_k · product of x up to k without x_i
struct Cumprod {
  static constexpr const char* name = "cumprod";
  int64_t dim;
  Tensor forward(const Tensor& x) const { return cumprod(x, dim); }
  void backward(Backward& b, const Saved& saved) const {
    b.add(0, cumprod_backward(b.grad().value(), saved.input(0).value(), dim));
  }
  Var definition(const Var& x) const {
    if (x.numel() == 0 || x.ndim() == 0) return x * 1.0;
    std::vector<Var> parts{select(x, dim, 0)};
    for (int64_t i = 1; i < x.size(dim); ++i) parts.push_back(parts.back() * select(x, dim, i));
    return stack(parts, dim);
  }
};

}  // namespace

Var cumsum(In x, int64_t dim) { return record(Cumsum{dim}, x); }
Var cumprod(In x, int64_t dim) { return record(Cumprod{dim}, x); }

namespace {

Sample running(const char* label, Var (*f)(In, int64_t), Input input, int64_t dim, bool sums) {
  const Shape shape = input.shape;
  Function definition;
  if (!sums) definition = [=](const Vars& v) { return Vars{Cumprod{dim}.definition(v[0])}; };
  return {.label = label,
          .inputs = {std::move(input)},
          .f = [=](const Vars& v) { return Vars{f(v[0], dim)}; },
          .definition = definition,
          .reference =
              [=](const Columns& x) {
                Numbers y = x[0];
                const int d = shape.empty() ? 0 : normalize_dim("scan", dim, shape.size());
                for_lines(shape, d, [&](int64_t first, int64_t step, int64_t n) {
                  for (int64_t i = 0; i < n; ++i) {  // each from scratch
                    double total = sums ? 0 : 1;
                    for (int64_t k = 0; k <= i; ++k) {
                      const double v = x[0][static_cast<size_t>(first + k * step)];
                      total = sums ? total + v : total * v;
                    }
                    y[static_cast<size_t>(first + i * step)] = total;
                  }
                });
                return y;
              }};
}

std::vector<Sample> all_rows(Var (*f)(In, int64_t), bool sums) {
  return {
      running("last axis", f, {{2, 5}}, -1, sums), running("inner axis", f, {{2, 4, 3}}, 1, sums),
      running("first axis", f, {{4, 3}}, 0, sums), running("0-d", f, {{}}, 0, sums),
      running("empty", f, {{0, 3}}, 1, sums),      running("empty axis", f, {{3, 0}}, 1, sums)};
}

std::vector<ErrorRow> errors(Var (*f)(In, int64_t)) {
  return {{"no such axis",
           [=] {
             f(ones({2, 3}), -3);
           },
           "dim out of range: -3"},
          {"bool", [=] { f(ones({2}, kBool), 0); }, "needs numbers: got bool"}};
}

}  // namespace

std::vector<Entry> scan_ops() {
  const auto replay = [](Var (*f)(In, int64_t)) {
    return [f](Replay& r) { return Vars{f(converted_input(r), r.integer("dim"))}; };
  };
  std::vector<Sample> products = all_rows(cumprod, false);
  products.push_back(running("a zero", cumprod, exact({4}, {3, 0, 5, 2}), 0, false));
  products.push_back(running("two zeros", cumprod, exact({4}, {0, 4, 0, 2}), 0, false));
  return {{.name = "cumsum",
           .formula = "y_i = Σ_{k ≤ i} x_k along dim",
           .gradient = "dx_i = Σ_{k ≥ i} dy_k",
           .samples = all_rows(cumsum, true),
           .errors = errors(cumsum),
           .replay = replay(cumsum)},
          {.name = "cumprod",
           .kind = EntryKind::fused,
           .formula = "y_i = Π_{k ≤ i} x_k along dim",
           .gradient = "dx_i = Σ_{k ≥ i} dy_k·Π_{j ≤ k, j ≠ i} x_j",
           .notes = "The gradient is exact where x is 0: nothing is divided.",
           .samples = std::move(products),
           .errors = errors(cumprod),
           .replay = replay(cumprod)}};
}

}  // namespace glass
