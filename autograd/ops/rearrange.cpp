#include "autograd/ops/rearrange.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

struct Flip {
  static constexpr const char* name = "flip";
  Dims dims;
  Tensor forward(const Tensor& x) const {
    Tensor y = x.contiguous();
    for (int64_t d : dims) {
      const int64_t n = y.size(d);
      const Tensor backwards = Tensor::empty({n}, kInt64);
      for (int64_t i = 0; i < n; ++i) backwards.data<int64_t>()[i] = n - 1 - i;
      y = index_select(y, d, backwards);
    }
    return y;
  }
  void backward(Backward& b, const Saved&) const { b.add(0, flip(b.grad(), dims)); }
};

// dx = dy moved back
struct Roll {
  static constexpr const char* name = "roll";
  std::vector<int64_t> shifts;
  Dims dims;
  Tensor forward(const Tensor& x) const {
    Tensor y = x;
    for (int i = 0; i < dims.size(); ++i) {
      const int64_t n = x.ndim() == 0 ? 1 : x.size(dims[i]);
      const int64_t shift = n == 0 ? 0 : (shifts[static_cast<size_t>(i)] % n + n) % n;
      if (shift == 0) continue;
      const Tensor parts[] = {y.narrow(dims[i], n - shift, shift), y.narrow(dims[i], 0, n - shift)};
      y = cat(parts, dims[i]);
    }
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    std::vector<int64_t> back;
    for (int64_t shift : shifts) back.push_back(-shift);
    b.add(0, roll(b.grad(), back, dims));
  }
};

// Where column - row <= diagonal, or the opposite of that.
Var lower_part(const char* op, const Var& x, int64_t diagonal) {
  if (x.ndim() < 2) fail(op, "needs at least two axes", x.shape());
  const int64_t rows = x.size(-2), columns = x.size(-1);
  const Tensor mask = Tensor::empty({rows, columns}, kBool);
  bool* out = mask.data<bool>();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) *out++ = j - i <= diagonal;
  return Var(mask);
}

}  // namespace

Var repeat(In x, const Dims& repeats) {
  const int extra = repeats.size() - x->ndim();
  if (extra < 0) fail("repeat", "needs at least one number per axis", repeats, " for ", x->shape());
  Shape shape = x->shape();
  for (int i = 0; i < extra; ++i) shape.insert(0, 1);
  Var y = reshape(x, shape);
  for (int d = 0; d < repeats.size(); ++d) {
    if (repeats[d] < 0) fail("repeat", "repeats must not be negative", repeats);
    if (repeats[d] == 1) continue;
    // [.., n, ..] -> [.., 1, n, ..] -> [.., r, n, ..] -> [.., r·n, ..]
    Shape wide = shape;
    wide.insert(d, repeats[d]);
    shape[d] *= repeats[d];
    y = reshape(expand(unsqueeze(y, d), wide), shape);
  }
  return y;
}

Var flip(In x, const Dims& dims) {
  if (dims.empty()) return alias(x);
  return record(Flip{normalize_dims("flip", dims, x->ndim())}, x);
}

Var roll(In x, const std::vector<int64_t>& shifts, const Dims& dims) {
  if (dims.empty()) {
    if (shifts.size() != 1) fail("roll", "without dims needs one shift", shifts.size());
    return reshape(roll(reshape(x, {x->numel()}), shifts, {0}), x->shape());
  }
  if (static_cast<size_t>(dims.size()) != shifts.size())
    fail("roll", "needs one shift per dim", shifts.size(), " for ", dims);
  for (int64_t d : dims) normalize_dim("roll", d, x->ndim());
  return record(Roll{shifts, dims}, x);
}

Var tril(In x, int64_t diagonal) { return where(lower_part("tril", *x, diagonal), x, 0.0); }
Var triu(In x, int64_t diagonal) { return where(lower_part("triu", *x, diagonal - 1), 0.0, x); }

Var masked_select(In x, const Var& mask) {
  if (mask.dtype() != kBool)
    fail("masked_select", "the mask must be bool", "got ", name_of(mask.dtype()));
  const Shape shape = broadcast_shapes("masked_select", x->shape(), mask.shape());
  const std::vector<bool> chosen = mask.value().expand(shape).to_vector<bool>();
  std::vector<int64_t> places;
  for (size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) places.push_back(static_cast<int64_t>(i));
  const Var flat = reshape(expand(x, shape), {numel(shape)});
  return index_select(In(flat, x.where.file, x.where.line), 0,
                      Var(Tensor::from(places, {static_cast<int64_t>(places.size())})));
}

namespace {

Sample picked(const char* label, Input x, Input mask, std::vector<size_t> at) {
  return {.label = label,
          .inputs = {std::move(x), std::move(mask)},
          .f = [](const Vars& v) { return Vars{masked_select(v[0], v[1])}; },
          .reference =
              [at = std::move(at)](const Columns& x) {
                Numbers y;
                for (size_t i : at) y.push_back(x[0][i]);
                return y;
              }};
}

Entry triangle(std::string name, Var (*f)(In, int64_t), bool lower) {
  const auto at = [=](int rows, int columns, int diagonal) {
    std::vector<int> places;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        places.push_back((lower ? j - i <= diagonal : j - i >= diagonal) ? i * columns + j : -1);
    return places;
  };
  return {
      .name = std::move(name),
      .gradient = "dx = dy at the same places, else 0",
      .notes = "What is cut off may hold NaN.",
      .samples = {moved(
                      "square", {3, 3}, [=](const Var& x) { return f(x, 0); }, at(3, 3, 0)),
                  moved(
                      "wide, above", {2, 4}, [=](const Var& x) { return f(x, 1); }, at(2, 4, 1)),
                  moved(
                      "tall, below", {4, 2}, [=](const Var& x) { return f(x, -1); }, at(4, 2, -1)),
                  moved(
                      "a batch of one", {1, 2, 2}, [=](const Var& x) { return f(x, 0); },
                      at(2, 2, 0)),
                  moved("empty", {0, 3}, [=](const Var& x) { return f(x, 0); }, {})},
      .errors = {{"vector", [=] { f(ones({3}), 0); }, "needs at least two axes: [3]"}},
      .replay = [=](Replay& r) { return Vars{f(r["input"], r.integer("diagonal", 0))}; }};
}

[[gnu::cold]] std::vector<Entry> order_entries() {
  return {
      {.name = "flip",
       .formula = "y = x from the end to the start along dims",
       .gradient = "dx = dy flipped",
       .samples = {moved("both axes", {2, 3},
                         [](const Var& x) {
                           return flip(x, {0, 1});
                         },
                         {5, 4, 3, 2, 1, 0}),
                   moved("columns", {2, 3}, [](const Var& x) { return flip(x, {-1}); },
                         {2, 1, 0, 5, 4, 3}),
                   moved("no axis", {2}, [](const Var& x) { return flip(x, {}); }, {0, 1}),
                   moved("0-d", {}, [](const Var& x) { return flip(x, {0}); }, {0}),
                   moved("empty", {0, 2}, [](const Var& x) { return flip(x, {0}); }, {})},
       .errors = {{"no such axis", [] { flip(ones({2}), {1}); }, "dim out of range: 1"},
                  {"axis twice",
                   [] {
                     flip(ones({2}), {0, -1});
                   },
                   "dim given twice"}},
       .replay = [](Replay& r) { return Vars{flip(r["input"], dims_argument(r, "dims"))}; }},
      {.name = "roll",
       .formula = "y[i + shift] = x[i] along dims, over the end to the start",
       .gradient = "dx = dy rolled back",
       .samples = {moved("rows", {3, 2}, [](const Var& x) { return roll(x, {1}, {0}); },
                         {4, 5, 0, 1, 2, 3}),
                   moved("back", {4}, [](const Var& x) { return roll(x, {-1}, {0}); },
                         {1, 2, 3, 0}),
                   moved("far", {3}, [](const Var& x) { return roll(x, {10}, {0}); }, {2, 0, 1}),
                   moved("both axes", {2, 2},
                         [](const Var& x) {
                           return roll(x, {1, 1}, {0, 1});
                         },
                         {3, 2, 1, 0}),
                   moved("without dims", {2, 2}, [](const Var& x) { return roll(x, {1}); },
                         {3, 0, 1, 2}),
                   moved("0-d", {}, [](const Var& x) { return roll(x, {1}); }, {0}),
                   moved("empty", {0, 2}, [](const Var& x) { return roll(x, {1}, {0}); }, {})},
       .errors = {{"two shifts",
                   [] {
                     roll(ones({2}), {1, 2});
                   },
                   "needs one shift: 2"},
                  {"shifts and dims",
                   [] {
                     roll(ones({2}), {1, 2}, {0});
                   },
                   "2 for [0]"}},
       .replay = [](Replay& r) {
         return Vars{roll(r["input"], r.integers("shifts"), dims_argument(r, "dims"))};
       }}};
}

}  // namespace

std::vector<Entry> rearrange_ops() {
  const Entry repeat_entry{
      .name = "repeat",
      .formula = "y = x, repeats[i] times one after the other along axis i",
      .gradient = "dx = Σ dy over the repetitions",
      .samples = {moved("columns", {2, 2},
                        [](const Var& x) {
                          return repeat(x, {1, 2});
                        },
                        {0, 1, 0, 1, 2, 3, 2, 3}),
                  moved("a new axis", {2},
                        [](const Var& x) {
                          return repeat(x, {2, 2});
                        },
                        {0, 1, 0, 1, 0, 1, 0, 1}),
                  moved("0-d", {}, [](const Var& x) { return repeat(x, {3}); }, {0, 0, 0}),
                  moved("never", {2, 2},
                        [](const Var& x) {
                          return repeat(x, {0, 1});
                        },
                        {}),
                  moved("of nothing", {0},
                        [](const Var& x) {
                          return repeat(x, {2, 3});
                        },
                        {})},
      .errors = {{"too few",
                  [] {
                    repeat(ones({2, 2}), {2});
                  },
                  "[2] for [2, 2]"},
                 {"negative", [] { repeat(ones({2}), {-1}); }, "must not be negative: [-1]"}},
      .replay = [](Replay& r) { return Vars{repeat(r["input"], dims_argument(r, "repeats"))}; }};
  const Entry select_entry{
      .name = "masked_select",
      .formula = "y = the elements of x where mask, in row-major order",
      .gradient = "dx = dy where mask, else 0",
      .samples = {picked("some", {{2, 2}}, exact_bools({2, 2}, {1, 0, 1, 1}), {0, 2, 3}),
                  picked("mask per column", {{2, 2}}, exact_bools({2}, {0, 1}), {1, 3}),
                  picked("x broadcast", {{2}}, exact_bools({2, 2}, {1, 0, 1, 1}), {0, 0, 1}),
                  picked("0-d", {{}}, exact_bools({3}, {1, 0, 1}), {0, 0}),
                  picked("none", {{2}}, exact_bools({2}, {0, 0}), {})},
      .errors = {{"mask of numbers", [] { masked_select(ones({2}), ones({2})); },
                  "the mask must be bool: got float64"}},
      .replay = [](Replay& r) { return Vars{masked_select(r["input"], r["mask"])}; }};
  std::vector<Entry> all = order_entries();
  all.push_back(repeat_entry);
  all.push_back(about(triangle("tril", tril, true), "y = x where column - row <= diagonal, else 0",
                      "dx = dy at the same places, else 0", "What is cut off may hold NaN."));
  all.push_back(about(triangle("triu", triu, false), "y = x where column - row >= diagonal, else 0",
                      "dx = dy at the same places, else 0", "What is cut off may hold NaN."));
  all.push_back(select_entry);
  return all;
}

}  // namespace glass
