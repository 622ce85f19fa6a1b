#include "autograd/ops/linalg.h"

#include <algorithm>
#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

Var product(const char* op, In a, In b, int ndim_a, int ndim_b) {
  if (a->ndim() != ndim_a || b->ndim() != ndim_b)
    fail(op, "wrong number of axes", a->shape(), " · ", b->shape(), "; needs ", ndim_a, " and ",
         ndim_b);
  return matmul(a, b);
}

// 1 and -1 by the sign of x, 0 at 0: numbers, without gradient.
Var sign(const Var& x) { return where(gt(x, 0.0), 1.0, where(lt(x, 0.0), -1.0, 0.0)); }

// dx = dy·sign(x)·(|x|/y)^(p - 1); 0 where y is 0, and where x is 0 below p = 1.
struct Norm {
  static constexpr const char* name = "norm";
  static constexpr Keep keep{.inputs = 1, .outputs = 1};
  double p;
  Dims dims;
  bool keepdim;

  // Scaled by the largest |x|, so that no power overflows; by the smallest below p = 0.
  double of_row(std::vector<double>& row) const {
    double scale = p < 0 ? INFINITY : 0, total = 0;
    for (double& v : row) {
      v = std::fabs(v);
      if (std::isnan(v)) return v;
      scale = p < 0 ? std::min(scale, v) : std::max(scale, v);
    }
    if (std::isinf(p) || scale == 0 || std::isinf(scale)) return scale;
    for (double v : row) total += p == 2 ? v / scale * (v / scale) : std::pow(v / scale, p);
    return p == 2 ? scale * std::sqrt(total) : scale * std::pow(total, 1 / p);
  }
  Tensor forward(const Tensor& x) const {
    const Dims reduced = normalize_dims(name, dims, x.ndim());
    Dims order;
    Shape kept = x.shape(), squeezed;
    for (int i = 0; i < x.ndim(); ++i)
      if (std::find(reduced.begin(), reduced.end(), i) == reduced.end()) {
        order.push_back(i);
        squeezed.push_back(x.shape()[i]);
      }
    int64_t n = 1;
    for (int64_t d : reduced) {
      order.push_back(d);
      n *= x.shape()[static_cast<int>(d)];
      kept[static_cast<int>(d)] = 1;
    }
    const Tensor y = Tensor::empty(keepdim ? kept : squeezed, x.dtype());
    if (n == 0 && y.numel() > 0 && (p < 0 || std::isinf(p)))
      fail(name, "no elements to choose from", "shape ", x.shape(), ", order ", p);
    const Tensor rows = x.permute(order).contiguous();
    visit_floating(name, x.dtype(), [&]<class T>(T) {
      std::vector<double> row;
      const T* from = rows.data<T>();
      for (int64_t i = 0; i < y.numel(); ++i, from += n) {
        row.assign(from, from + n);
        const double value =
            p == 0 ? static_cast<double>(n - std::count(from, from + n, T(0))) : of_row(row);
        y.data<T>()[i] = static_cast<T>(value);
      }
    });
    return y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var& x = saved.input(0);
    Shape wide = x.shape();
    for (int64_t d : normalize_dims(name, dims, x.ndim())) wide[static_cast<int>(d)] = 1;
    const Var dy = reshape(b.grad(), wide), y = reshape(saved.output(), wide);
    if (p == 0) return;
    if (p == 1) return b.add(0, dy * sign(x));
    if (std::isinf(p)) {
      const Var ties(eq(abs(x), y).value().to(x.dtype()));
      return b.add(0, dy / sum(ties, dims, true) * ties * sign(x));
    }
    const Var none = eq(y, 0.0), safe_y = where(none, 1.0, y);
    if (p == 2) return b.add(0, dy * where(none, 0.0, x / safe_y));
    const Var zero = eq(x, 0.0), safe_x = where(zero, 1.0, abs(x));
    const Var slope = sign(x) * where(zero, 0.0, pow(safe_x, p - 1));
    b.add(0, where(none, 0.0, dy * pow(safe_y, 1 - p)) * slope);
  }
};

}  // namespace

Var mm(In a, In b) { return product("mm", a, b, 2, 2); }
Var mv(In a, In b) { return product("mv", a, b, 2, 1); }
Var dot(In a, In b) { return product("dot", a, b, 1, 1); }
Var bmm(In a, In b) {
  if (a->ndim() == 3 && b->ndim() == 3 && a->size(0) != b->size(0))
    fail("bmm", "batch sizes differ", a->shape(), " · ", b->shape());
  return product("bmm", a, b, 3, 3);
}

Var addmm(In input, In a, In b, double beta, double alpha) {
  const Var y = alpha == 1 ? product("addmm", a, b, 2, 2) : product("addmm", a, b, 2, 2) * alpha;
  if (!(broadcast_shapes("addmm", input->shape(), y.shape()) == y.shape()))
    fail("addmm", "input must broadcast to the product", input->shape(), " to ", y.shape());
  if (beta == 0) return y;
  return add(beta == 1 ? *input : *input * beta, In(y, input.where.file, input.where.line));
}

Var norm(In x, double p, const Dims& dims, bool keepdim) {
  if (std::isnan(p)) fail("norm", "the order is no number", p);
  return record(Norm{p, dims, keepdim}, x);
}

Var linalg::norm(In x, double order, const Dims& dims, bool keepdim) {
  const Dims axes = dims.empty() ? normalize_dims("linalg.norm", {}, x->ndim()) : dims;
  if (axes.size() < 2) return glass::norm(x, order, dims, keepdim);
  const bool rows = std::isinf(order);
  if (axes.size() > 2 || !(rows || std::fabs(order) == 1))
    fail("linalg.norm", "over two axes the order must be 1, -1, inf or -inf", "order ", order,
         " over ", axes.size(), " axes");
  const int first = normalize_dim("linalg.norm", axes[0], x->ndim()),
            second = normalize_dim("linalg.norm", axes[1], x->ndim());
  if (first == second) fail("linalg.norm", "dim given twice", dims);
  const int inner = rows ? second : first, outer = rows ? first : second;
  const Var sums = glass::norm(x, 1, {inner}, true);
  const Var y = order > 0 ? amax(sums, {outer}, true) : amin(sums, {outer}, true);
  if (keepdim) return y;
  return squeeze(squeeze(y, std::max(inner, outer)), std::min(inner, outer));
}

namespace {

Sample times(const char* label, Shape a, Shape b, Var (*f)(In, In), size_t n, size_t k, size_t m,
             size_t batch = 1) {
  return {.label = label,
          .inputs = {{a}, {b}},
          .f = [=](const Vars& v) { return Vars{f(v[0], v[1])}; },
          .reference =
              [=](const Columns& x) {
                Numbers y(batch * n * m);
                for (size_t i = 0; i < y.size(); ++i)
                  for (size_t c = 0; c < k; ++c)
                    y[i] += x[0][i / m * k + c] * x[1][(i / (n * m) * k + c) * m + i % m];
                return y;
              }};
}

Sample normed(const char* label, Input x, double p, const Dims& dims, bool keepdim,
              std::vector<std::vector<size_t>> groups) {
  return {.label = label,
          .inputs = {std::move(x)},
          .f = [=](const Vars& v) { return Vars{norm(v[0], p, dims, keepdim)}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (const auto& group : groups) {
                  double total = 0, top = 0;
                  for (size_t i : group) {
                    total += std::pow(std::fabs(x[0][i]), p);
                    top = std::max(top, std::fabs(x[0][i]));
                  }
                  y.push_back(std::isinf(p) ? top : p == 0 ? total : std::pow(total, 1 / p));
                }
                return y;
              }};
}

Sample matrix(const char* label, double order, const Dims& dims, bool keepdim,
              std::function<double(const Numbers&)> f) {
  return {.label = label,
          .inputs = {exact({2, 3}, {1, -2, 3, 4.5, 0.5, -1.25})},
          .f = [=](const Vars& v) { return Vars{linalg::norm(v[0], order, dims, keepdim)}; },
          .reference = [=](const Columns& x) { return Numbers{f(x[0])}; }};
}

std::function<Vars(Replay&)> two(Var (*f)(In, In), const char* second) {
  return [=](Replay& r) { return Vars{f(r["input"], r[second])}; };
}

// p or ord: a number or "fro", which is 2 over all the axes at once.
bool is_frobenius(Replay& r, const char* name) {
  if (!r.has(name)) return r.real(name, 2) == 2;
  const auto* word = std::get_if<std::string>(&r.argument(name).value);
  return word && *word == "fro";
}

[[gnu::cold]] std::vector<Entry> product_entries() {
  const char* gradient = "da = dy·bᵀ, db = aᵀ·dy";
  const auto sum_of = [](const Vars& v) { return Vars{addmm(v[0], v[1], v[2], 0.5, 2)}; };
  return {{.name = "mm",
           .formula = "y = a·b, matrices",
           .gradient = gradient,
           .samples = {times("matrices", {2, 3}, {3, 4}, mm, 2, 3, 4),
                       times("nothing between", {2, 0}, {0, 3}, mm, 2, 0, 3)},
           .errors = {{"vector",
                       [] {
                         mm(ones({2, 3}), ones({3}));
                       },
                       "[2, 3] · [3]; needs 2 and 2"},
                      {"inner sizes",
                       [] {
                         mm(ones({2, 3}), ones({2, 3}));
                       },
                       "(3 and 2)"}},
           .replay = two(mm, "mat2")},
          {.name = "bmm",
           .formula = "y_i = a_i·b_i for every matrix of the batch",
           .gradient = gradient,
           .samples = {times("batch", {3, 2, 3}, {3, 3, 2}, bmm, 2, 3, 2, 3),
                       times("no batch", {0, 2, 3}, {0, 3, 2}, bmm, 2, 3, 2, 0)},
           .errors = {{"batch sizes",
                       [] {
                         bmm(ones({2, 2, 3}), ones({1, 3, 2}));
                       },
                       "sizes differ"},
                      {"matrices",
                       [] {
                         bmm(ones({2, 3}), ones({3, 2}));
                       },
                       "needs 3 and 3"}},
           .replay = two(bmm, "mat2")},
          {.name = "mv",
           .formula = "y = a·b, matrix and vector",
           .gradient = "da = dy·bᵀ, db = aᵀ·dy",
           .samples = {times("matrix and vector", {2, 3}, {3}, mv, 2, 3, 1),
                       times("no columns", {2, 0}, {0}, mv, 2, 0, 1)},
           .errors = {{"matrices",
                       [] {
                         mv(ones({2, 3}), ones({3, 2}));
                       },
                       "needs 2 and 1"}},
           .replay = two(mv, "vec")},
          {.name = "dot",
           .formula = "y = Σ a_i·b_i",
           .gradient = "da = dy·b, db = dy·a",
           .notes = "No elements: 0.",
           .samples = {times("vectors", {4}, {4}, dot, 1, 4, 1),
                       times("no elements", {0}, {0}, dot, 1, 0, 1)},
           .errors = {{"matrix",
                       [] {
                         dot(ones({2, 3}), ones({3}));
                       },
                       "needs 1 and 1"},
                      {"sizes", [] { dot(ones({2}), ones({3})); }, "(2 and 3)"}},
           .replay = two(dot, "other")},
          {.name = "addmm",
           .formula = "y = beta·input + alpha·a·b",
           .gradient = "dinput = beta·dy, da = alpha·dy·bᵀ, db = alpha·aᵀ·dy",
           .notes = "With beta 0 input does not count, whatever it holds.",
           .samples = {{.label = "row added",
                        .inputs = {{{2}}, {{2, 1}}, {{1, 2}}},
                        .f = sum_of,
                        .reference =
                            [](const Columns& x) {
                              Numbers y;
                              for (size_t i = 0; i < 4; ++i)
                                y.push_back(x[0][i % 2] / 2 + 2 * x[1][i / 2] * x[2][i % 2]);
                              return y;
                            }},
                       {.label = "NaN that does not count",
                        .inputs = {exact_constant({1}, {NAN}), {{2, 1}}, {{1, 1}}},
                        .f = [](const Vars& v) { return Vars{addmm(v[0], v[1], v[2], 0)}; },
                        .reference =
                            [](const Columns& x) {
                              return Numbers{x[1][0] * x[2][0], x[1][1] * x[2][0]};
                            }}},
           .errors = {{"input",
                       [] {
                         addmm(ones({3, 2}), ones({1, 3}), ones({3, 2}));
                       },
                       "[3, 2] to [1, 2]"},
                      {"vector",
                       [] {
                         addmm(ones({2}), ones({3}), ones({3, 2}));
                       },
                       "needs 2 and 2"}},
           .replay = [](Replay& r) {
             return Vars{
                 addmm(r["input"], r["mat1"], r["mat2"], r.real("beta", 1), r.real("alpha", 1))};
           }}};
}

[[gnu::cold]] Entry norm_entry() {
  const Input signs = exact({4}, {1.5, -2, 0.25, -0.75});
  return {
      .name = "norm",
      .formula = "y = (Σ |x|^p)^(1/p) over dims; infinite p: the largest |x|, the smallest for -∞",
      .gradient = "dx = dy·sign(x)·(|x|/y)^(p - 1)",
      .notes = "Slope 0 where y is 0. Infinite p: ties split dy evenly. p = 0 counts; slope 0.",
      .samples = {normed("all", {{2, 2}}, 2, {}, false, {{0, 1, 2, 3}}),
                  normed("rows", {{2, 3}}, 2, {1}, true, {{0, 1, 2}, {3, 4, 5}}),
                  normed("columns, p = 3", signs, 3, {-1}, false, {{0, 1, 2, 3}}),
                  normed("p = 1.5", signs, 1.5, {}, false, {{0, 1, 2, 3}}),
                  normed("p = 1", signs, 1, {}, false, {{0, 1, 2, 3}}),
                  normed("p = 0.5", signs, 0.5, {}, false, {{0, 1, 2, 3}}),
                  normed("p = -2", signs, -2, {}, false, {{0, 1, 2, 3}}),
                  normed("largest", signs, INFINITY, {}, false, {{0, 1, 2, 3}}),
                  normed("count", exact_constant({3}, {2, 0, -1}), 0, {}, false, {{0, 2}}),
                  normed("0-d", {{}}, 2, {}, false, {{0}}),
                  normed("no elements", constant({2, 0}), 2, {1}, false, {{}, {}}),
                  normed("no rows", {{0, 2}}, INFINITY, {1}, false, {})},
      .errors = {{"largest of nothing",
                  [] {
                    norm(ones({2, 0}), INFINITY, {1});
                  },
                  "no elements to choose from"},
                 {"integers", [] { norm(ones({2}, kInt64)); }, "got int64"},
                 {"no order", [] { norm(ones({2}), NAN); }, "the order is no number"}},
      .replay = [](Replay& r) {
        const Dims dims = dims_argument(r);
        const double p = is_frobenius(r, "p") ? 2 : r.real("p");
        return Vars{norm(converted_input(r), p, dims, r.flag("keepdim", false))};
      }};
}

[[gnu::cold]] Entry matrix_norm_entry() {
  return {.name = "linalg.norm",
          .formula = "y = max (min for negative orders) of Σ |x|: of columns for 1, of rows for ∞",
          .gradient = "dx = dy·sign(x) in the chosen column or row",
          .notes = "Over one axis as norm. Ties split dy evenly.",
          .samples = {matrix("columns", 1, {}, false, [](const Numbers& x) { return x[0] + x[3]; }),
                      matrix("smallest column", -1, {0, 1}, true,
                             [](const Numbers& x) { return x[4] - x[1]; }),
                      matrix("rows", INFINITY, {-2, -1}, false,
                             [](const Numbers& x) { return x[3] + x[4] - x[5]; }),
                      matrix("smallest row", -INFINITY, {0, 1}, false,
                             [](const Numbers& x) { return x[0] - x[1] + x[2]; }),
                      matrix("axes exchanged", 1, {1, 0}, false,
                             [](const Numbers& x) { return x[3] + x[4] - x[5]; })},
          .errors = {{"spectral",
                      [] {
                        linalg::norm(ones({2, 3}), 2);
                      },
                      "order 2 over 2 axes"},
                     {"three axes",
                      [] {
                        linalg::norm(ones({2, 3, 1}), 1);
                      },
                      "over 3 axes"}},
          .replay = [](Replay& r) {
            const Dims dims = dims_argument(r);
            const bool keepdim = r.flag("keepdim", false);
            const Var x = converted_input(r);
            if (is_frobenius(r, "ord")) return Vars{norm(x, 2, dims, keepdim)};
            return Vars{linalg::norm(x, r.real("ord"), dims, keepdim)};
          }};
}

}  // namespace

std::vector<Entry> linalg_ops() {
  std::vector<Entry> all = product_entries();
  all.push_back(norm_entry());
  all.push_back(matrix_norm_entry());
  return all;
}

}  // namespace glass
