#include "autograd/ops/reduction.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
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
template <bool largest>
struct Extreme {
  static constexpr const char* name = largest ? "amax" : "amin";
  static constexpr Keep keep{.inputs = 1, .outputs = 1};
  Dims dims;
  bool keepdim;
  Tensor forward(const Tensor& x) const {
    return largest ? amax(x, dims, keepdim) : amin(x, dims, keepdim);
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var& x = saved.input(0);
    const Var tie(eq(x, with_dims(saved.output(), x.shape(), dims)).value().to(x.dtype()));
    b.add(0, with_dims(b.grad(), x.shape(), dims) / sum(tie, dims, true) * tie);
  }
};

// dx_i = dy · product of the others, which is exact where x is 0.
struct Prod {
  static constexpr const char* name = "prod";
  Dims dims;
  bool keepdim;
  // Axes kept, then those reduced.
  Dims order(int ndim) const {
    const Dims reduced = normalize_dims("prod", dims, ndim);
    Dims order;
    for (int i = 0; i < ndim; ++i)
      if (std::find(reduced.begin(), reduced.end(), i) == reduced.end()) order.push_back(i);
    for (int64_t d : reduced) order.push_back(d);
    return order;
  }
  Tensor forward(const Tensor& x) const { return prod(x, dims, keepdim); }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor& x = saved.input(0).value();
    if (x.numel() == 0) return b.add(0, Tensor::zeros(x.shape(), x.dtype()));
    const Dims axes = order(x.ndim());
    const Tensor moved = x.permute(axes);
    const int64_t rows = b.grad().numel(), n = x.numel() / rows;
    const Tensor dy = Tensor::zeros({rows, n}, x.dtype());
    dy.select(1, n - 1).copy_(b.grad().value().reshape({rows}));
    const Tensor dx = cumprod_backward(dy, moved.reshape({rows, n}), 1).reshape(moved.shape());
    Dims back = axes;
    for (int i = 0; i < axes.size(); ++i) back[static_cast<int>(axes[i])] = i;
    b.add(0, dx.permute(back));
  }
  Var definition(const Var& x) const {
    if (x.numel() == 0) return sum(x, dims, keepdim) + 1.0;  // of no elements
    const Shape shape = prod(x.value(), dims, keepdim).shape();
    const int64_t rows = numel(shape), n = x.numel() / rows;
    const Var flat = reshape(permute(x, order(x.ndim())), {rows, n});
    Var y = select(flat, 1, 0);
    for (int64_t i = 1; i < n; ++i) y = y * select(flat, 1, i);
    return reshape(y, shape);
  }
};

}  // namespace

Var sum(In x, const Dims& dims, bool keepdim) { return record(Sum{dims, keepdim}, x); }

Var mean(In x, const Dims& dims, bool keepdim) {
  if (!is_floating(x->dtype()))
    fail("mean", "needs float32 or float64", "got ", name_of(x->dtype()));
  const Var total = sum(x, dims, keepdim);
  const auto n = static_cast<double>(count(x->shape(), dims));
  return div(In(total, x.where.file, x.where.line), n);
}

Var amax(In x, const Dims& dims, bool keepdim) { return record(Extreme<true>{dims, keepdim}, x); }
Var amin(In x, const Dims& dims, bool keepdim) { return record(Extreme<false>{dims, keepdim}, x); }

Var prod(In x, const Dims& dims, bool keepdim) { return record(Prod{dims, keepdim}, x); }

namespace {

ValueIndex values_at(In x, int64_t dim, bool keepdim, const Tensor& place) {
  const Var indices(place);
  Var values = gather(x, dim, indices);
  if (keepdim) return {values, indices};
  return {squeeze(In(values, x.where.file, x.where.line), dim), Var(place.squeeze(dim))};
}

}  // namespace

ValueIndex max(In x, int64_t dim, bool keepdim) {
  return values_at(x, dim, keepdim, glass::argmax(x->value(), dim, true));
}
ValueIndex min(In x, int64_t dim, bool keepdim) {
  return values_at(x, dim, keepdim, glass::argmin(x->value(), dim, true));
}

Var argmax(In x, int64_t dim, bool keepdim) { return Var(glass::argmax(x->value(), dim, keepdim)); }
Var argmin(In x, int64_t dim, bool keepdim) { return Var(glass::argmin(x->value(), dim, keepdim)); }

namespace {

using Reference = decltype(Sample::reference);
using Reducer = Var (*)(In, const Dims&, bool);

// For each element of the result the elements of x that fall on it, as numbers to f.
Reference groups(const Shape& shape, const Dims& dims, std::function<double(const Numbers&)> f) {
  return [=](const Columns& x) {
    const Dims gone = normalize_dims("reduction", dims, shape.size());
    Shape kept = shape;
    for (int64_t d : gone) kept[static_cast<int>(d)] = 1;
    Columns members(static_cast<size_t>(numel(kept)));
    for (int64_t i = 0; i < numel(shape); ++i)
      members[static_cast<size_t>(broadcast_index(i, kept, shape))].push_back(
          x[0][static_cast<size_t>(i)]);
    Numbers y;
    for (const Numbers& group : members) y.push_back(f(group));
    return y;
  };
}

struct Row {
  const char* label;
  Shape shape;
  Dims dims;
  bool keepdim;
};

Sample reduced(const Row& row, Reducer f, std::function<double(const Numbers&)> reference) {
  return {.label = row.label,
          .inputs = {{row.shape}},
          .f = [=](const Vars& v) { return Vars{f(v[0], row.dims, row.keepdim)}; },
          .reference = groups(row.shape, row.dims, std::move(reference))};
}

Entry reduction(std::string name, Reducer f, const std::function<double(const Numbers&)>& reference,
                bool needs_elements) {
  const Row rows[] = {{"all", {3, 4}, {}, false},
                      {"last axis", {3, 4}, {-1}, false},
                      {"first axis", {3, 4}, {0}, true},
                      {"inner axis", {2, 3, 2}, {1}, false},
                      {"axes apart", {2, 3, 2}, {0, 2}, false},
                      {"axes apart, kept", {2, 3, 2}, {2, 0}, true},
                      {"one element", {1, 1}, {}, false},
                      {"0-d", {}, {}, false},
                      {"no rows", {0, 3}, {1}, false}};
  Entry entry{.name = std::move(name)};
  for (const Row& row : rows) entry.samples.push_back(reduced(row, f, reference));
  if (!needs_elements) {
    entry.samples.push_back(reduced({"empty axis", {3, 0}, {1}, false}, f, reference));
    entry.samples.push_back(reduced({"nothing at all", {0, 3}, {}, false}, f, reference));
  }
  entry.errors = {{"no such axis",
                   [=] {
                     f(ones({2, 3}), {2}, false);
                   },
                   "dim out of range: 2"},
                  {"axis twice",
                   [=] {
                     f(ones({2, 3}), {1, -1}, false);
                   },
                   "dim given twice: -1"},
                  {"bool", [=] { f(ones({2}, kBool), {}, false); }, "bool"}};
  if (needs_elements)
    entry.errors.push_back({"no elements",
                            [=] {
                              f(ones({0, 3}), {}, false);
                            },
                            "no elements to choose from: shape [0, 3]"});
  return entry;
}

size_t first_largest(const Numbers& x) {
  return static_cast<size_t>(std::max_element(x.begin(), x.end()) - x.begin());
}
size_t first_smallest(const Numbers& x) {
  return static_cast<size_t>(std::min_element(x.begin(), x.end()) - x.begin());
}

using Choice = ValueIndex (*)(In, int64_t, bool);
using Place = size_t (*)(const Numbers&);

Entry choice(std::string name, Choice f, Place place) {
  const auto sample = [=](const char* label, Input input, int64_t dim, bool keepdim) -> Sample {
    const Shape shape = input.shape;
    return {.label = label,
            .inputs = {std::move(input)},
            .f = [=](const Vars& v) { return Vars{f(v[0], dim, keepdim).values}; },
            .reference = groups(shape, {dim}, [=](const Numbers& x) { return x[place(x)]; })};
  };
  Sample indices = sample("indices", exact_constant({2, 3}, {2, 5, 5, -1, -1, -3}), 1, false);
  indices.f = [=](const Vars& v) { return Vars{f(v[0], 1, false).indices}; };
  indices.reference = groups({2, 3}, {1}, [=](const Numbers& x) -> double { return place(x); });
  return {.name = std::move(name),
          .samples = {sample("last axis", {{3, 4}}, -1, false),
                      sample("inner axis", {{2, 3, 2}}, 1, true), sample("0-d", {{}}, 0, false),
                      sample("no rows", {{0, 3}}, 1, false), std::move(indices)},
          .errors = {{"no elements",
                      [=] {
                        f(ones({3, 0}), 1, false);
                      },
                      "no elements to choose from: shape [3, 0]"},
                     {"no such axis", [=] { f(ones({3}), 1, false); }, "dim out of range: 1"}}};
}

Entry place_of(std::string name, Var (*f)(In, int64_t, bool), Place place) {
  const auto sample = [=](const char* label, Input input, int64_t dim, bool keepdim) -> Sample {
    const Shape shape = input.shape;
    return {
        .label = label,
        .inputs = {std::move(input)},
        .f = [=](const Vars& v) { return Vars{f(v[0], dim, keepdim)}; },
        .reference = groups(shape, {dim}, [=](const Numbers& x) -> double { return place(x); })};
  };
  return {.name = std::move(name),
          .gradient = "none",
          .notes = "The first of equals; a NaN before all numbers.",
          .samples = {sample("rows", constant({3, 4}), 1, false),
                      sample("columns", constant({3, 4}), 0, true),
                      sample("ties", exact_constant({2, 3}, {2, 5, 5, -1, -1, -3}), 1, false),
                      sample("integers", exact_ints({4}, {3, -2, 7, -2}), 0, false),
                      sample("0-d", constant({}), 0, false),
                      sample("no rows", constant({0, 3}), 1, false)},
          .errors = {{"no elements",
                      [=] {
                        f(ones({3, 0}), 1, false);
                      },
                      "no elements to choose from: shape [3, 0]"},
                     {"no such axis", [=] { f(ones({3}), 1, false); }, "dim out of range: 1"}},
          .differentiable = false};
}

}  // namespace

namespace {

std::function<Vars(Replay&)> over_dims(Reducer f) {
  return [f](Replay& r) {
    const Dims dims = dims_argument(r);
    return Vars{f(converted_input(r), dims, r.flag("keepdim", false))};
  };
}

// Of all elements, along dim, or of two tensors.
std::function<Vars(Replay&)> three_forms(Reducer all, Choice along, Var (*of_two)(In, In)) {
  return [=](Replay& r) -> Vars {
    const Var& x = r["input"];
    if (const Var other = r.maybe("other"); other.defined()) return {of_two(x, other)};
    if (!r.has("dim")) return {all(x, {}, false)};
    const ValueIndex y = along(x, r.integer("dim"), r.flag("keepdim", false));
    return {y.values, y.indices};
  };
}

std::function<Vars(Replay&)> one_place(Var (*f)(In, int64_t, bool)) {
  return [f](Replay& r) {
    const Var& x = r["input"];
    const bool keepdim = r.flag("keepdim", false);
    if (!r.has("dim")) return Vars{f(flatten(x), r.integer("dim", 0), false)};
    return Vars{f(x, r.integer("dim"), keepdim)};
  };
}

}  // namespace

std::vector<Entry> reduction_ops() {
  const auto total = [](const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  const auto average = [=](const Numbers& x) { return total(x) / static_cast<double>(x.size()); };
  const auto largest = [](const Numbers& x) { return x[first_largest(x)]; };
  const auto smallest = [](const Numbers& x) { return x[first_smallest(x)]; };
  const auto product = [](const Numbers& x) {
    return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>());
  };
  const auto zeros = [=](const char* label, std::vector<double> x) -> Sample {
    return {.label = label,
            .inputs = {exact({2, 3}, std::move(x))},
            .f = [](const Vars& v) { return Vars{prod(v[0], {1})}; },
            .reference = groups({2, 3}, {1}, product)};
  };
  Entry prod_entry = with(reduction("prod", prod, product, false),
                          {zeros("a zero in a row", {2, 0, 3, 1, 2, 3}),
                           zeros("two zeros in a row", {0, 0, 7, -1, 4, 0})});
  prod_entry.kind = EntryKind::fused;
  for (Sample& sample : prod_entry.samples) {
    // The rows' axes, once more.
    const std::string& label = sample.label;
    const Dims dims =
        label == "last axis"          ? Dims{-1}
        : label == "first axis"       ? Dims{0}
        : label == "axes apart"       ? Dims{0, 2}
        : label == "axes apart, kept" ? Dims{2, 0}
        : label == "all" || label == "one element" || label == "0-d" || label == "nothing at all"
            ? Dims{}
            : Dims{1};
    const bool keepdim = label == "first axis" || label == "axes apart, kept";
    sample.definition = [=](const Vars& v) { return Vars{Prod{dims, keepdim}.definition(v[0])}; };
  }
  Entry mean_entry = reduction("mean", mean, average, false);
  for (Sample& sample : mean_entry.samples)  // NaN there: no gradient to check
    if (sample.label == "empty axis" || sample.label == "nothing at all")
      sample.inputs[0].requires_grad = false;
  return {replayed(about(reduction("sum", sum, total, false), "y = Σ x over dims",
                         "dx = dy, spread over dims", "No elements: 0."),
                   over_dims(sum)),
          replayed(about(std::move(mean_entry), "y = Σ x / n over dims",
                         "dx = dy/n, spread over dims", "No elements: NaN. Real types only."),
                   over_dims(mean)),
          replayed(about(reduction("amax", amax, largest, true), "y = max x over dims",
                         "dx = dy at the largest element", "Ties split dy evenly. NaN wins."),
                   over_dims(amax)),
          replayed(about(reduction("amin", amin, smallest, true), "y = min x over dims",
                         "dx = dy at the smallest element", "Ties split dy evenly. NaN wins."),
                   over_dims(amin)),
          replayed(about(std::move(prod_entry), "y = Π x over dims", "dx_i = dy·Π_{j ≠ i} x_j",
                         "No elements: 1. The gradient is exact where x is 0."),
                   over_dims(prod)),
          replayed(about(choice("max", max, first_largest), "y = max x along dim, and its index",
                         "dx = dy at the index", "The first of equals gets all of dy. NaN wins."),
                   three_forms(amax, max, maximum)),
          replayed(about(choice("min", min, first_smallest), "y = min x along dim, and its index",
                         "dx = dy at the index", "The first of equals gets all of dy. NaN wins."),
                   three_forms(amin, min, minimum)),
          replayed(about(place_of("argmax", argmax, first_largest), "y = index of max x along dim",
                         "none", "The first of equals; a NaN before all numbers."),
                   one_place(argmax)),
          replayed(about(place_of("argmin", argmin, first_smallest), "y = index of min x along dim",
                         "none", "The first of equals; a NaN before all numbers."),
                   one_place(argmin))};
}

}  // namespace glass
