#include "autograd/ops/gated.h"

#include <cmath>

#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {

Var glu(In x, int64_t dim) {
  if (x->ndim() == 0 || x->size(dim) % 2 != 0)
    fail("glu", "needs an axis of even size", x->shape(), ", dim ", dim);
  const int64_t half = x->size(dim) / 2;
  return narrow(x, dim, 0, half) * sigmoid(narrow(x, dim, half, half));
}

Var prelu(In x, In weight) {
  const int64_t channels = x->ndim() > 1 ? x->size(1) : 1;
  if (weight->ndim() > 1 || (weight->numel() != 1 && weight->numel() != channels))
    fail("prelu", "weight must be one number, or one per channel (axis 1)", weight->shape(),
         " for ", x->shape());
  Shape shape;
  for (int i = 0; i < x->ndim(); ++i) shape.push_back(i == 1 ? weight->numel() : 1);
  const Var slopes = reshape(weight, x->ndim() > 1 ? shape : Shape{});
  return where(gt(x, 0.0), x, slopes * *x);
}

namespace {

double gated(double a, double b) { return a / (1 + std::exp(-b)); }

Sample sloped(const char* label, Input x, const Shape& weight, size_t inner) {
  const auto channels = static_cast<size_t>(numel(weight));
  return {.label = label,
          .inputs = {std::move(x), {weight, 0.1, 0.9}},
          .f = [](const Vars& v) { return Vars{prelu(v[0], v[1])}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (size_t i = 0; i < x[0].size(); ++i)
                  y.push_back(x[0][i] > 0 ? x[0][i] : x[1][i / inner % channels] * x[0][i]);
                return y;
              }};
}

}  // namespace

std::vector<Entry> gated_ops() {
  const auto rows = [](const Vars& v) { return Vars{glu(v[0])}; };
  const Input signs = exact({2, 2, 2}, {-1, 2, 0.5, -0.25, 3, -2, -1.5, 1});
  return {{.name = "glu",
           .formula = "y = a·σ(b), a and b the halves of x along dim",
           .gradient = "da = dy·σ(b), db = dy·a·σ(b)·(1 - σ(b))",
           .samples = {{.label = "rows",
                        .inputs = {{{2, 4}}},
                        .f = rows,
                        .reference = [](const Columns& x) -> Numbers {
                          return {gated(x[0][0], x[0][2]), gated(x[0][1], x[0][3]),
                                  gated(x[0][4], x[0][6]), gated(x[0][5], x[0][7])};
                        }},
                       {.label = "columns",
                        .inputs = {{{2, 2}}},
                        .f = [](const Vars& v) { return Vars{glu(v[0], 0)}; },
                        .reference = [](const Columns& x) -> Numbers {
                          return {gated(x[0][0], x[0][2]), gated(x[0][1], x[0][3])};
                        }},
                       {.label = "empty", .inputs = {{{0, 2}}}, .f = rows, .reference = nothing}},
           .errors = {{"odd",
                       [] {
                         glu(ones({2, 3}));
                       },
                       "even size: [2, 3], dim -1"},
                      {"0-d", [] { glu(ones({})); }, "needs an axis"}},
           .replay = [](Replay& r) { return Vars{glu(r["input"], r.integer("dim", -1))}; }},
          {.name = "prelu",
           .formula = "y = x where x > 0, else weight·x",
           .gradient = "dx = dy where x > 0, else weight·dy; dweight = Σ dy·x where x <= 0",
           .notes = "Slope weight at 0.",
           .samples = {sloped("one slope", signs, {1}, 1), sloped("one per channel", signs, {2}, 2),
                       sloped("0-d", {{}, -2, -0.5}, {1}, 1), sloped("empty", {{0, 2}}, {2}, 1)},
           .errors = {{"slopes",
                       [] {
                         prelu(ones({2, 3}), ones({2}));
                       },
                       "[2] for [2, 3]"}},
           .replay = [](Replay& r) { return Vars{prelu(r["input"], r["weight"])}; }}};
}

}  // namespace glass
