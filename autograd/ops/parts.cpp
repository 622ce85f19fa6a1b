#include "autograd/ops/parts.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// dx is zero but for the part at index, which gets dy.
struct Select {
  static constexpr const char* name = "select";
  int64_t dim, index;
  Tensor forward(const Tensor& x) {
    Tensor y = x.select(dim, index);
    dim = normalize_dim("select", dim, x.ndim());
    if (index < 0) index += x.size(dim);
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    b.add_slice(0, dim, index, unsqueeze(b.grad(), dim));
  }
};

// The same for a slice. A step above 1 spreads dy first.
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
    if (step == 1 || dy.size(dim) <= 1) return b.add_slice(0, dim, start, dy);
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
    if (x.ndim() == 0 || before < 0 || after < 0)
      fail("pad_zeros", "needs an axis and sizes of at least 0", "shape ", x.shape(), ", before ",
           before, ", after ", after);
    Shape shape = x.shape();
    int64_t& padded = shape[normalize_dim("pad_zeros", dim, x.ndim())];
    size = padded;
    padded += before + after;
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

}  // namespace

Var slice(In x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  return record(Slice{dim, start, end, step}, x);
}

Var narrow(In x, int64_t dim, int64_t start, int64_t length) {
  static_cast<void>(x->value().narrow(dim, start, length));  // checks the range
  if (start < 0) start += x->size(dim);
  return record(Slice{dim, start, start + length, 1}, x);
}

Var select(In x, int64_t dim, int64_t index) { return record(Select{dim, index}, x); }

std::vector<Var> split(In x, int64_t split_size, int64_t dim) {
  if (split_size <= 0) fail("split", "split_size must be positive", split_size);
  const int64_t n = x->size(dim);
  std::vector<Var> parts;
  for (int64_t start = 0; start < n || start == 0; start += split_size)
    parts.push_back(narrow(x, dim, start, std::min(split_size, n - start)));
  return parts;
}

std::vector<Var> split(In x, const std::vector<int64_t>& sizes, int64_t dim) {
  int64_t start = 0;
  std::vector<Var> parts;
  for (int64_t size : sizes) {
    parts.push_back(narrow(x, dim, start, size));
    start += size;
  }
  if (start != x->size(dim))
    fail("split", "sizes must add up to the axis", start, " of ", x->size(dim));
  return parts;
}

std::vector<Var> chunk(In x, int64_t chunks, int64_t dim) {
  if (chunks <= 0) fail("chunk", "chunks must be positive", chunks);
  return split(x, std::max<int64_t>(1, ceil_div(x->size(dim), chunks)), dim);
}

Var cat(const std::vector<Var>& tensors, int64_t dim, const char* file, int line) {
  return record_list(Cat{dim}, {file, line}, tensors);
}

Var stack(const std::vector<Var>& tensors, int64_t dim, const char* file, int line) {
  if (tensors.empty()) fail("stack", "needs at least one tensor");
  std::vector<Var> wide;
  for (const Var& t : tensors) {
    if (!(t.shape() == tensors[0].shape()))
      fail("stack", "shapes differ", tensors[0].shape(), " and ", t.shape());
    wide.push_back(unsqueeze(In(t, file, line), dim));
  }
  return cat(wide, normalize_dim("stack", dim, tensors[0].ndim() + 1), file, line);
}

Var pad_zeros(In x, int64_t dim, int64_t before, int64_t after) {
  return record(PadZeros{dim, before, after}, x);
}
namespace {

Sample pieces(const char* label, const Shape& shape, std::function<std::vector<Var>(const Var&)> f,
              std::vector<int> first) {
  return {.label = label,
          .inputs = {{shape}},
          .f = [f = std::move(f)](const Vars& v) { return f(v[0]); },
          .reference = places(std::move(first))};
}

Sample joined(const char* label, std::vector<Input> inputs, std::function<Var(const Vars&)> f,
              std::vector<std::pair<int, int>> at) {
  return {.label = label,
          .inputs = std::move(inputs),
          .f = [f = std::move(f)](const Vars& v) { return Vars{f(v)}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (auto [k, i] : at)
                  y.push_back(x[static_cast<size_t>(k)][static_cast<size_t>(i)]);
                return y;
              }};
}

std::vector<Entry> cut_ops() {
  const Var matrix = ones({2, 3});
  const auto three_steps = [](const Var& x) { return slice(x, -1, 0, kEnd, 3); };
  return {
      {.name = "slice",
       .formula = "y = x at start, start + step, … below end along dim",
       .gradient = "dx = dy at those places, else 0",
       .notes = "Negative ends count from the end; ends beyond the axis are cut.",
       .samples =
           {moved("rows", {4, 2}, [](const Var& x) { return slice(x, 0, 1, 3); }, {2, 3, 4, 5}),
            moved("step 2", {5, 2}, [](const Var& x) { return slice(x, 0, 1, 5, 2); },
                  {2, 3, 6, 7}),
            moved("step 3 up to the end", {2, 7}, three_steps, {0, 3, 6, 7, 10, 13}),
            moved("step 3, rest cut", {2, 5}, three_steps, {0, 3, 5, 8}),
            moved("step beyond the end", {5}, [](const Var& x) { return slice(x, 0, 1, 4, 9); },
                  {1}),
            moved("from the end", {6}, [](const Var& x) { return slice(x, 0, -3, -1); }, {3, 4}),
            moved("start before the axis", {3}, [](const Var& x) { return slice(x, 0, -9, 2); },
                  {0, 1}),
            moved("nothing", {3, 2}, [](const Var& x) { return slice(x, 0, 2, 2); }, {}),
            moved("of empty rows", {3, 0}, [](const Var& x) { return slice(x, 0, 0, 3, 2); }, {})},
       .errors = {{"step", [=] { slice(matrix, 0, 0, 2, 0); }, "step must be positive: 0"},
                  {"0-d", [] { slice(ones({}), 0, 0); }, "0-d"}},
       .replay =
           [](Replay& r) {
             return Vars{slice(r["input"], r.integer("dim", 0), r.integer("start", 0),
                               r.integer("end", kEnd), r.integer("step", 1))};
           }},
      {.name = "narrow",
       .formula = "y = x at start … start + length - 1 along dim",
       .gradient = "dx = dy at those places, else 0",
       .samples = {moved("columns", {2, 4}, [](const Var& x) { return narrow(x, 1, 1, 2); },
                         {1, 2, 5, 6}),
                   moved("from the end", {4}, [](const Var& x) { return narrow(x, 0, -2, 2); },
                         {2, 3}),
                   moved("nothing", {2, 2}, [](const Var& x) { return narrow(x, 1, 2, 0); }, {})},
       .errors = {{"too long", [=] { narrow(matrix, 1, 2, 2); },
                   "start 2, length 2 on a size of 3"},
                  {"negative", [=] { narrow(matrix, 1, 0, -1); }, "length -1"}},
       .replay =
           [](Replay& r) {
             const auto start = static_cast<int64_t>(r.tensor_or_number("start").item());
             return Vars{narrow(r["input"], r.integer("dim"), start, r.integer("length"))};
           }},
      {.name = "select",
       .formula = "y = x at index along dim, without that axis",
       .gradient = "dx = dy at index, else 0",
       .samples = {moved("row", {3, 2}, [](const Var& x) { return select(x, 0, 1); }, {2, 3}),
                   moved("last column", {2, 3}, [](const Var& x) { return select(x, -1, -1); },
                         {2, 5}),
                   moved("to 0-d", {3}, [](const Var& x) { return select(x, 0, 2); }, {2}),
                   moved("empty row", {2, 0}, [](const Var& x) { return select(x, 0, 1); }, {})},
       .errors = {{"out of range", [=] { select(matrix, 0, 2); }, "2, should be in [-2, 1]"},
                  {"0-d", [] { select(ones({}), 0, 0); }, "0-d"}},
       .replay =
           [](Replay& r) {
             return Vars{select(r["input"], r.integer("dim"), r.integer("index"))};
           }},
      {.name = "split",
       .formula = "y_k = x at k·split_size … along dim; the last may be shorter",
       .gradient = "dx = the dy_k one after the other",
       .samples = {pieces("shorter end", {5, 2}, [](const Var& x) { return split(x, 2); },
                          {0, 1, 2, 3}),
                   pieces("columns", {2, 4}, [](const Var& x) { return split(x, 2, -1); },
                          {0, 1, 4, 5}),
                   moved("the last piece", {5}, [](const Var& x) { return split(x, 2)[2]; }, {4}),
                   pieces("empty", {0, 2}, [](const Var& x) { return split(x, 2); }, {}),
                   moved("sizes", {5},
                         [](const Var& x) {
                           return split(x, {1, 0, 4})[2];
                         },
                         {1, 2, 3, 4})},
       .errors = {{"size 0", [=] { split(matrix, 0); }, "split_size must be positive: 0"},
                  {"too little",
                   [=] {
                     split(matrix, {1, 1}, 1);
                   },
                   "add up to the axis: 2 of 3"}},
       .replay =
           [](Replay& r) {
             const char* name = "split_size_or_sections";
             const int64_t dim = r.integer("dim", 0);
             const bool one = std::holds_alternative<int64_t>(r.argument(name).value);
             return one ? split(r["input"], r.integer(name), dim)
                        : split(r["input"], r.integers(name), dim);
           }},
      {.name = "chunk",
       .formula = "y_k = at most chunks pieces of x along dim, equal but for the last",
       .gradient = "dx = the dy_k one after the other",
       .samples = {pieces("uneven", {5}, [](const Var& x) { return chunk(x, 2); }, {0, 1, 2}),
                   moved("the second", {2, 4}, [](const Var& x) { return chunk(x, 2, 1)[1]; },
                         {2, 3, 6, 7}),
                   pieces("more than there is", {2}, [](const Var& x) { return chunk(x, 3); }, {0}),
                   pieces("empty", {0}, [](const Var& x) { return chunk(x, 3); }, {})},
       .errors = {{"none", [=] { chunk(matrix, 0); }, "chunks must be positive: 0"}},
       .replay = [](Replay& r) {
         return chunk(r["input"], r.integer("chunks"), r.integer("dim", 0));
       }}};
}

std::vector<Entry> join_ops() {
  const Var matrix = ones({2, 3});
  const auto ends = [](const Vars& v) { return stack(v, -1); };
  return {
      {.name = "cat",
       .formula = "y = the tensors one after the other along dim",
       .gradient = "dx_k = dy at the places of x_k",
       .samples = {joined("rows", {{{1, 2}}, {{2, 2}}}, [](const Vars& v) { return cat(v); },
                          {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {1, 3}}),
                   joined("columns", {{{2, 1}}, {{2, 2}}}, [](const Vars& v) { return cat(v, -1); },
                          {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1, 2}, {1, 3}}),
                   joined("one twice", {{{2}}},
                          [](const Vars& v) {
                            return cat({v[0], v[0]});
                          },
                          {{0, 0}, {0, 1}, {0, 0}, {0, 1}}),
                   joined("with an empty one", {{{0, 2}}, {{1, 2}}},
                          [](const Vars& v) { return cat(v); }, {{1, 0}, {1, 1}}),
                   joined("only empty", {{{0, 2}}, {{0, 2}}}, [](const Vars& v) { return cat(v); },
                          {})},
       .errors = {{"other sizes",
                   [=] {
                     cat({matrix, ones({2, 2})});
                   },
                   "[2, 3] and [2, 2], dim 0"},
                  {"two types",
                   [=] {
                     cat({matrix, ones({2, 3}, kFloat32)});
                   },
                   "float64 and float32"},
                  {"nothing", [] { cat(Vars{}); }, "at least one"},
                  {"0-d",
                   [] {
                     cat({ones({}), ones({})});
                   },
                   "use stack"}},
       .replay = [](Replay& r) { return Vars{cat(r.list("tensors"), r.integer("dim", 0))}; }},
      {.name = "stack",
       .formula = "y = the tensors side by side along a new axis dim",
       .gradient = "dx_k = dy at index k of dim",
       .samples = {joined("first axis", {{{2}}, {{2}}}, [](const Vars& v) { return stack(v); },
                          {{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
                   joined("last axis", {{{2}}, {{2}}}, ends, {{0, 0}, {1, 0}, {0, 1}, {1, 1}}),
                   joined("0-d", {{{}}, {{}}, {{}}}, ends, {{0, 0}, {1, 0}, {2, 0}}),
                   joined("empty", {{{0}}, {{0}}}, ends, {})},
       .errors = {{"other shapes",
                   [=] {
                     stack({matrix, ones({2, 2})});
                   },
                   "[2, 3] and [2, 2]"},
                  {"nothing", [] { stack(Vars{}); }, "at least one"}},
       .replay = [](Replay& r) { return Vars{stack(r.list("tensors"), r.integer("dim", 0))}; }},
      {.name = "pad_zeros",
       .formula = "y = before zeros, x, after zeros along dim",
       .gradient = "dx = dy at the places of x",
       .samples = {moved("rows", {1, 2}, [](const Var& x) { return pad_zeros(x, 0, 1, 2); },
                         {-1, -1, 0, 1, -1, -1, -1, -1}),
                   moved("columns", {2, 1}, [](const Var& x) { return pad_zeros(x, -1, 0, 1); },
                         {0, -1, 1, -1}),
                   moved("around nothing", {0}, [](const Var& x) { return pad_zeros(x, 0, 1, 1); },
                         {-1, -1})},
       .errors = {{"negative", [=] { pad_zeros(matrix, 0, -1, 0); }, "before -1"},
                  {"0-d", [] { pad_zeros(ones({}), 0, 1, 1); }, "needs an axis"}}}};
}

}  // namespace

std::vector<Entry> part_ops() {
  std::vector<Entry> all = cut_ops();
  for (Entry& entry : join_ops()) all.push_back(std::move(entry));
  return all;
}

}  // namespace glass
