#include "autograd/ops/pad.h"

#include <algorithm>

#include "autograd/ops/indexing.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

Var pad_constant(const Var& x, int d, int64_t before, int64_t after, double value) {
  if (value == 0) return pad_zeros(x, d, before, after);
  const auto filled = [&](int64_t size) {
    Shape shape = x.shape();
    shape[d] = size;
    return Var(Tensor::full(shape, value, x.dtype()));
  };
  return cat({filled(before), x, filled(after)}, d);
}

// Which of n places stands at place i, inside or around them.
int64_t source(int64_t i, int64_t n, PadMode mode) {
  if (mode == PadMode::replicate) return std::clamp<int64_t>(i, 0, n - 1);
  if (mode == PadMode::circular) return (i + n) % n;
  return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

Var pad_copies(const Var& x, int d, int64_t before, int64_t after, PadMode mode) {
  const int64_t n = x.size(d), limit = mode == PadMode::reflect ? n - 1 : n;
  if (n == 0 || (mode != PadMode::replicate && std::max(before, after) > limit))
    fail("pad", "more than the axis can give", before, " and ", after, " on a size of ", n);
  std::vector<int64_t> places;
  for (int64_t i = -before; i < n + after; ++i) places.push_back(source(i, n, mode));
  return index_select(x, d, Var(Tensor::from(places, {static_cast<int64_t>(places.size())})));
}

}  // namespace

Var pad(In x, const std::vector<int64_t>& sizes, PadMode mode, double value) {
  const int axes = static_cast<int>(sizes.size() / 2);
  if (sizes.size() % 2 != 0 || axes > x->ndim())
    fail("pad", "needs two sizes per axis, from the last on", sizes.size(), " for ", x->shape());
  Var y = alias(x);
  for (int i = 0; i < axes; ++i) {
    int64_t before = sizes[static_cast<size_t>(2 * i)],
            after = sizes[static_cast<size_t>(2 * i + 1)];
    const int d = x->ndim() - 1 - i;
    const int64_t n = x->size(d), first = std::max<int64_t>(-before, 0),
                  end = n - std::max<int64_t>(-after, 0);
    if (first > end)
      fail("pad", "cuts off more than there is", before, " and ", after, " on a size of ", n);
    if (first > 0 || end < n) y = narrow(y, d, first, end - first);
    before = std::max<int64_t>(before, 0);
    after = std::max<int64_t>(after, 0);
    if (before == 0 && after == 0) continue;
    y = mode == PadMode::constant ? pad_constant(y, d, before, after, value)
                                  : pad_copies(y, d, before, after, mode);
  }
  return y;
}

namespace {

// The elements of x at the given places, in this order; -1 stands for the value 5.
Sample padded(const char* label, const Shape& shape, std::vector<int64_t> sizes, PadMode mode,
              std::vector<int> at) {
  return {.label = label,
          .inputs = {{shape}},
          .f = [=](const Vars& v) { return Vars{pad(v[0], sizes, mode, 5)}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (int i : at) y.push_back(i < 0 ? 5 : x[0][static_cast<size_t>(i)]);
                return y;
              }};
}

PadMode mode_argument(Replay& r) {
  const std::string name = r.text("mode", "constant");
  if (name == "constant") return PadMode::constant;
  if (name == "reflect") return PadMode::reflect;
  if (name == "replicate") return PadMode::replicate;
  if (name == "circular") return PadMode::circular;
  fail(r.op, "mode must be constant, reflect, replicate or circular", name);
}

}  // namespace

std::vector<Entry> pad_ops() {
  using enum PadMode;
  const Sample zeros{.label = "zeros",
                     .inputs = {{{2}}},
                     .f =
                         [](const Vars& v) {
                           return Vars{pad(v[0], {1, 2})};
                         },
                     .reference =
                         [](const Columns& x) {
                           return Numbers{0, x[0][0], x[0][1], 0, 0};
                         }};
  return {
      {.name = "pad",
       .formula = "y = x, and around it: value, x mirrored, its edge, or its other end",
       .gradient = "dx = dy at the places of x and of its copies, added up",
       .notes = "Negative sizes cut x off before the copies are taken.",
       .samples = {zeros,
                   padded("constant, two axes", {1, 2}, {1, 0, 0, 1}, constant,
                          {-1, 0, 1, -1, -1, -1}),
                   padded("constant, cutting", {4}, {-1, 1}, constant, {1, 2, 3, -1}),
                   padded("reflect", {4}, {2, 3}, reflect, {2, 1, 0, 1, 2, 3, 2, 1, 0}),
                   padded("replicate", {2, 2}, {1, 2}, replicate, {0, 0, 1, 1, 1, 2, 2, 3, 3, 3}),
                   padded("circular", {3}, {1, 3}, circular, {2, 0, 1, 2, 0, 1, 2}),
                   padded("reflect, cutting", {4}, {-1, 2}, reflect, {1, 2, 3, 2, 1}),
                   padded("replicate, cutting", {4}, {2, -1}, replicate, {0, 0, 0, 1, 2}),
                   padded("circular, cutting", {4}, {-1, 2}, circular, {1, 2, 3, 1, 2}),
                   padded("circular, first axis", {2, 1}, {0, 0, 1, 0}, circular, {1, 0, 1}),
                   padded("nothing to do", {2}, {}, constant, {0, 1}),
                   padded("around nothing", {0}, {1, 0}, constant, {-1})},
       .errors = {{"odd", [] { pad(ones({2}), {1}); }, "1 for [2]"},
                  {"axes",
                   [] {
                     pad(ones({2}), {0, 0, 1, 1});
                   },
                   "4 for [2]"},
                  {"mirror too far",
                   [] {
                     pad(ones({2}), {2, 0}, reflect);
                   },
                   "2 and 0 on a size of 2"},
                  {"round too far",
                   [] {
                     pad(ones({2}), {3, 0}, circular);
                   },
                   "3 and 0"},
                  {"edge of nothing",
                   [] {
                     pad(ones({0}), {1, 0}, replicate);
                   },
                   "on a size of 0"},
                  {"cut too far",
                   [] {
                     pad(ones({2}), {-2, -1});
                   },
                   "cuts off more"}},
       .replay = [](Replay& r) {
         const PadMode mode = mode_argument(r);
         return Vars{pad(r["input"], r.integers("pad"), mode, r.real("value", 0))};
       }}};
}

}  // namespace glass
