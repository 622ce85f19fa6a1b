#include "autograd/ops/shape.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

struct Alias {
  static constexpr const char* name = "alias";
  Tensor forward(const Tensor& x) const {
    if (!x.defined()) fail(name, "the input is undefined");
    return x;
  }
  void backward(Backward& b, const Saved&) const { b.add(0, b.grad()); }
};

// dx = dy in x's type
struct To {
  static constexpr const char* name = "to";
  DType dtype, from = kFloat64;
  Tensor forward(const Tensor& x) {
    if (!x.defined()) fail(name, "the input is undefined");
    from = x.dtype();
    return x.to(dtype);
  }
  void backward(Backward& b, const Saved&) const { b.add(0, to(b.grad(), from)); }
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

struct SumTo {
  static constexpr const char* name = "sum_to";
  Shape shape, from{};
  Tensor forward(const Tensor& x) {
    from = x.shape();
    return sum_to(x, shape);
  }
  void backward(Backward& b, const Saved&) const { b.add(0, expand(b.grad(), from)); }
};

Shape flattened(const Shape& shape, int64_t start_dim, int64_t end_dim) {
  if (shape.empty()) return {1};
  const int start = normalize_dim("flatten", start_dim, shape.size());
  const int end = normalize_dim("flatten", end_dim, shape.size());
  if (start > end) fail("flatten", "start_dim comes after end_dim", start_dim, " and ", end_dim);
  Shape flat;
  for (int i = 0; i < shape.size(); ++i)
    if (i <= start || i > end)
      flat.push_back(shape[i]);
    else
      flat[start] *= shape[i];
  return flat;
}

}  // namespace

Var alias(In x) { return record(Alias{}, x); }
Var to(In x, DType dtype) {
  if (!is_floating(dtype)) return Var(x->value().to(dtype));
  return record(To{dtype}, x);
}
Var reshape(In x, const Shape& shape) { return record(Reshape{shape}, x); }
Var flatten(In x, int64_t start_dim, int64_t end_dim) {
  return record(Reshape{flattened(x->shape(), start_dim, end_dim)}, x);
}
Var permute(In x, const Dims& dims) { return record(Permute{dims}, x); }
Var transpose(In x, int64_t dim0, int64_t dim1) { return record(Transpose{dim0, dim1}, x); }
Var unsqueeze(In x, int64_t dim) { return record(Reshape{x->value().unsqueeze(dim).shape()}, x); }
Var squeeze(In x, int64_t dim) { return record(Reshape{x->value().squeeze(dim).shape()}, x); }
Var squeeze(In x) {
  Shape shape;
  for (int64_t n : x->shape())
    if (n != 1) shape.push_back(n);
  return record(Reshape{shape}, x);
}
Var expand(In x, const Shape& shape) { return record(Expand{shape}, x); }
Var sum_to(In x, const Shape& shape) { return record(SumTo{shape}, x); }

std::vector<Entry> shape_ops() {
  const Var matrix = ones({2, 3});
  return {
      {.name = "alias",
       .formula = "y = x, as a node of its own",
       .gradient = "dx = dy",
       .samples = {moved("vector", {3}, [](const Var& x) { return alias(x); }, {0, 1, 2}),
                   moved("empty", {0}, [](const Var& x) { return alias(x); }, {})},
       .errors = {{"undefined", [] { alias(Var()); }, "the input is undefined"}}},
      {.name = "to",
       .formula = "y = x in the type dtype",
       .gradient = "dx = dy in x's type",
       .notes = "To int64 or bool: no gradient; fractions are cut off, what is not 0 is true.",
       // There and back, so that the values of both types are the input's.
       .samples = {moved("there and back", {2, 3},
                         [](const Var& x) { return to(to(x, kFloat64), x.dtype()); },
                         {0, 1, 2, 3, 4, 5}),
                   moved("0-d", {}, [](const Var& x) { return to(x, x.dtype()); }, {0}),
                   moved("empty", {0, 2}, [](const Var& x) { return to(x, x.dtype()); }, {})},
       .errors = {{"undefined", [] { to(Var(), kFloat32); }, "undefined"}}},
      {.name = "reshape",
       .formula = "y = the elements of x in row-major order, in another shape",
       .gradient = "dx = dy in x's shape",
       .notes = "One size may be -1. Shares storage where the layout allows.",
       .samples = {moved("split", {2, 6},
                         [](const Var& x) {
                           return reshape(x, {2, -1, 3});
                         },
                         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
                   moved("of a transposed view", {2, 3},
                         [](const Var& x) { return reshape(transpose(x, 0, 1), {6}); },
                         {0, 3, 1, 4, 2, 5}),
                   moved("to 0-d", {1, 1}, [](const Var& x) { return reshape(x, {}); }, {0}),
                   moved("empty", {0, 3},
                         [](const Var& x) {
                           return reshape(x, {3, 0, 2});
                         },
                         {})},
       .errors = {{"other count", [=] { reshape(matrix, {4}); }, "differs: [2, 3] to [4]"},
                  {"two unknown",
                   [=] {
                     reshape(matrix, {-1, -1});
                   },
                   "only one size may be -1"},
                  {"ambiguous",
                   [] {
                     reshape(ones({0, 3}), {-1, 0});
                   },
                   "ambiguous"}},
       .replay = [](Replay& r) { return Vars{reshape(r["input"], dims_argument(r, "shape"))}; }},
      {.name = "flatten",
       .formula = "y = x with the axes start_dim … end_dim as one",
       .gradient = "dx = dy in x's shape",
       .samples = {moved("all", {2, 2}, [](const Var& x) { return flatten(x); }, {0, 1, 2, 3}),
                   moved("last two", {1, 2, 2}, [](const Var& x) { return flatten(x, 1); },
                         {0, 1, 2, 3}),
                   moved("of a transposed view", {2, 3},
                         [](const Var& x) { return flatten(transpose(x, 0, 1)); },
                         {0, 3, 1, 4, 2, 5}),
                   moved("0-d", {}, [](const Var& x) { return flatten(x); }, {0}),
                   moved("empty", {2, 0}, [](const Var& x) { return flatten(x); }, {})},
       .errors = {{"backwards", [=] { flatten(matrix, 1, 0); }, "start_dim comes after end_dim"}},
       .replay =
           [](Replay& r) {
             return Vars{flatten(r["input"], r.integer("start_dim", 0), r.integer("end_dim", -1))};
           }},
      {.name = "permute",
       .formula = "y = x with its axes in the order dims",
       .gradient = "dx = dy with the axes back in place",
       .samples = {moved("three axes", {2, 3, 2},
                         [](const Var& x) {
                           return permute(x, {2, 0, 1});
                         },
                         {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}),
                   moved("negative axes", {2, 3},
                         [](const Var& x) {
                           return permute(x, {-1, 0});
                         },
                         {0, 3, 1, 4, 2, 5}),
                   moved("0-d", {}, [](const Var& x) { return permute(x, {}); }, {0}),
                   moved("empty", {0, 2},
                         [](const Var& x) {
                           return permute(x, {1, 0});
                         },
                         {})},
       .errors = {{"too few", [=] { permute(matrix, {0}); },
                   "needs every dim once: [0] for [2, 3]"},
                  {"twice",
                   [=] {
                     permute(matrix, {0, 0});
                   },
                   "dim given twice: 0"}},
       .replay = [](Replay& r) { return Vars{permute(r["input"], dims_argument(r, "dims"))}; }},
      {.name = "transpose",
       .formula = "y = x with two axes exchanged",
       .gradient = "dx = dy with the same axes exchanged",
       .samples = {moved("matrix", {2, 3}, [](const Var& x) { return transpose(x, 0, 1); },
                         {0, 3, 1, 4, 2, 5}),
                   moved("outer and inner", {2, 1, 3},
                         [](const Var& x) { return transpose(x, 0, -1); }, {0, 3, 1, 4, 2, 5}),
                   moved("empty", {0, 2}, [](const Var& x) { return transpose(x, 0, 1); }, {})},
       .errors = {{"no such axis", [=] { transpose(matrix, 0, 2); }, "dim out of range: 2"}},
       .replay =
           [](Replay& r) {
             return Vars{transpose(r["input"], r.integer("dim0"), r.integer("dim1"))};
           }},
      {.name = "unsqueeze",
       .formula = "y = x with an axis of size 1 at dim",
       .gradient = "dx = dy in x's shape",
       .samples = {moved("inside", {2, 2}, [](const Var& x) { return unsqueeze(x, 1); },
                         {0, 1, 2, 3}),
                   moved("at the end of a view",
                         {2, 2}, [](const Var& x) { return unsqueeze(transpose(x, 0, 1), -1); },
                         {0, 2, 1, 3}),
                   moved("0-d", {}, [](const Var& x) { return unsqueeze(x, 0); }, {0}),
                   moved("empty", {0}, [](const Var& x) { return unsqueeze(x, 0); }, {})},
       .errors = {{"no such axis", [=] { unsqueeze(matrix, 3); }, "dim out of range: 3"}},
       .replay = [](Replay& r) { return Vars{unsqueeze(r["input"], r.integer("dim"))}; }},
      {.name = "squeeze",
       .formula = "y = x without the axis dim, when its size is 1",
       .gradient = "dx = dy in x's shape",
       .samples = {moved("size 1", {2, 1, 2}, [](const Var& x) { return squeeze(x, 1); },
                         {0, 1, 2, 3}),
                   moved("another size", {2, 2}, [](const Var& x) { return squeeze(x, 0); },
                         {0, 1, 2, 3}),
                   moved("to 0-d", {1}, [](const Var& x) { return squeeze(x, -1); }, {0}),
                   moved("all", {1, 2, 1}, [](const Var& x) { return squeeze(x); }, {0, 1}),
                   moved("empty", {1, 0}, [](const Var& x) { return squeeze(x, 0); }, {})},
       .errors = {{"no such axis", [=] { squeeze(matrix, -3); }, "dim out of range: -3"}},
       .replay =
           [](Replay& r) {
             const Var& x = r["input"];
             return Vars{r.has("dim") ? squeeze(x, r.integer("dim")) : squeeze(x)};
           }},
      {.name = "expand",
       .formula = "y = x repeated along new axes and axes of size 1",
       .gradient = "dx = Σ dy over the repetitions",
       .notes = "-1 keeps a size. Nothing is copied.",
       .samples = {moved("both", {3, 1},
                         [](const Var& x) {
                           return expand(x, {2, -1, 2});
                         },
                         {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}),
                   moved("0-d", {}, [](const Var& x) { return expand(x, {3}); }, {0, 0, 0}),
                   moved("to nothing", {1, 2},
                         [](const Var& x) {
                           return expand(x, {0, 2});
                         },
                         {})},
       .errors = {{"size above 1", [=] { expand(matrix, {4, 3}); }, "[2, 3] to [4, 3]"},
                  {"fewer axes", [=] { expand(matrix, {3}); }, "fewer dimensions"}},
       .replay = [](Replay& r) { return Vars{expand(r["input"], dims_argument(r, "size"))}; }},
      {.name = "sum_to",
       .formula = "y = Σ x over the axes in which it is larger than shape",
       .gradient = "dx = dy, repeated",
       .samples = {{.label = "columns",
                    .inputs = {{{2, 3}}},
                    .f =
                        [](const Vars& v) {
                          return Vars{sum_to(v[0], {2, 1})};
                        },
                    .reference = [](const Columns& x) -> Numbers {
                      return {x[0][0] + x[0][1] + x[0][2], x[0][3] + x[0][4] + x[0][5]};
                    }},
                   {.label = "to 0-d",
                    .inputs = {{{1, 2}}},
                    .f = [](const Vars& v) { return Vars{sum_to(v[0], {})}; },
                    .reference = [](const Columns& x) { return Numbers{x[0][0] + x[0][1]}; }},
                   moved("same shape", {2}, [](const Var& x) { return sum_to(x, {2}); }, {0, 1}),
                   moved("of nothing", {0, 1},
                         [](const Var& x) {
                           return sum_to(x, {1, 1});
                         },
                         {-1})},
       .errors = {{"no broadcast", [=] { sum_to(matrix, {2}); }, "[2] and [2, 3]"}}}};
}

}  // namespace glass
