#include "autograd/ops/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/ops/indexing.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

// The first k places of every line along dim in sorted order.
Tensor sorted_places(const char* op, const Tensor& x, int64_t dim, int64_t k, bool descending) {
  const Tensor lines = x.ndim() == 0 ? x.reshape({1, 1}) : x.transpose(dim, -1).contiguous();
  const int64_t n = lines.size(-1);
  if (k < 0 || k > n) fail(op, "k is not in the axis", k, " of ", n);
  Shape shape = lines.shape();
  shape[lines.ndim() - 1] = k;
  const Tensor places = Tensor::empty(shape, kInt64);
  std::vector<int64_t> order(static_cast<size_t>(n));
  visit_number(op, x.dtype(), [&]<class T>(T) {
    const T* line = lines.data<T>();
    const auto less = [&](int64_t a, int64_t b) {  // NaN above all
      return line[a] < line[b] || (line[a] == line[a] && line[b] != line[b]);
    };
    int64_t* out = places.data<int64_t>();
    for (int64_t left = n == 0 ? 0 : lines.numel() / n; left > 0; --left, line += n) {
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return descending ? less(b, a) : less(a, b); });
      out = std::copy_n(order.begin(), k, out);
    }
  });
  return x.ndim() == 0 ? places.reshape({}) : places.transpose(dim, -1).contiguous();
}

}  // namespace

ValueIndex sort(In x, int64_t dim, bool descending) {
  const int d = normalize_dim("sort", dim, x->ndim());
  const int64_t n = x->ndim() == 0 ? 1 : x->size(d);
  const Var places(sorted_places("sort", x->value(), d, n, descending));
  return {gather(x, d, places), places};
}

ValueIndex topk(In x, int64_t k, int64_t dim, bool largest) {
  const int d = normalize_dim("topk", dim, x->ndim());
  if (x->ndim() == 0 && k != 1) fail("topk", "k is not in the axis", k, " of a number");
  const Var places(sorted_places("topk", x->value(), d, k, largest));
  return {gather(x, d, places), places};
}

namespace {

using Ordering = std::function<ValueIndex(const Var&)>;

Sample at(const char* label, Input x, Ordering f, std::vector<size_t> places) {
  return {.label = label,
          .inputs = {std::move(x)},
          .f = [f = std::move(f)](const Vars& v) { return Vars{f(v[0]).values}; },
          .reference =
              [places = std::move(places)](const Columns& x) {
                Numbers y;
                for (size_t i : places) y.push_back(x[0][i]);
                return y;
              }};
}

Sample indices(const char* label, Input x, Ordering f, Numbers want) {
  return {.label = label,
          .inputs = {std::move(x)},
          .f = [f = std::move(f)](const Vars& v) { return Vars{f(v[0]).indices}; },
          .reference = [want = std::move(want)](const Columns&) { return want; }};
}

}  // namespace

std::vector<Entry> order_ops() {
  const Input mixed = exact({2, 3}, {1, -2, 0.5, 4, 7, 6});
  const Input ties = exact_constant({6}, {2, 1, NAN, 2, 1, 3});
  const auto up = [](const Var& x) { return sort(x); };
  const auto down = [](const Var& x) { return sort(x, -1, true); };
  return {{.name = "sort",
           .formula = "y = x in ascending (descending) order along dim, and the places",
           .gradient = "dx = dy at the places",
           .notes = "Equal ones keep their order; NaN counts as largest.",
           .samples = {at("rows", mixed, up, {1, 2, 0, 3, 5, 4}),
                       at("rows, descending", mixed, down, {0, 2, 1, 4, 5, 3}),
                       at("columns", mixed, [](const Var& x) { return sort(x, 0); },
                          {0, 1, 2, 3, 4, 5}),
                       indices("ties", ties, up, {1, 4, 0, 3, 5, 2}),
                       indices("ties, descending", ties, down, {2, 5, 0, 3, 1, 4}),
                       at("0-d", {{}}, up, {0}), at("empty", {{2, 0}}, up, {})},
           .errors = {{"no such axis", [] { sort(ones({2}), 1); }, "dim out of range: 1"},
                      {"bool", [] { sort(ones({2}, kBool)); }, "got bool"}},
           .replay =
               [](Replay& r) {
                 r.flag("stable", false);  // always
                 const auto y = sort(r["input"], r.integer("dim", -1), r.flag("descending", false));
                 return Vars{y.values, y.indices};
               }},
          {.name = "topk",
           .formula = "y = the k largest (smallest) x along dim, sorted, and the places",
           .gradient = "dx = dy at the places",
           .notes = "Of equal ones the first; NaN counts as largest.",
           .samples = {at("largest", mixed, [](const Var& x) { return topk(x, 2); }, {0, 2, 4, 5}),
                       at("smallest, columns", mixed,
                          [](const Var& x) { return topk(x, 1, 0, false); }, {0, 1, 2}),
                       indices("ties", ties, [](const Var& x) { return topk(x, 4, 0, false); },
                               {1, 4, 0, 3}),
                       at("0-d", {{}}, [](const Var& x) { return topk(x, 1); }, {0}),
                       at("none", {{3}}, [](const Var& x) { return topk(x, 0); }, {})},
           .errors = {{"too many", [] { topk(ones({2}), 3); }, "k is not in the axis: 3 of 2"},
                      {"two of a number", [] { topk(ones({}), 2); }, "2 of a number"}},
           .replay = [](Replay& r) {
             r.flag("sorted", true);  // always
             const auto y =
                 topk(r["input"], r.integer("k"), r.integer("dim", -1), r.flag("largest", true));
             return Vars{y.values, y.indices};
           }}};
}

}  // namespace glass
