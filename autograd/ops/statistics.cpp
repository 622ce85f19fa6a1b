#include "autograd/ops/statistics.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {

// Twice through the numbers: Σ x² - (Σ x)²/n would lose the digits of a large mean.
Var var(In x, const Dims& dims, bool keepdim, double correction) {
  if (!(correction >= 0)) fail("var", "correction must not be negative", correction);
  const Var centred = sub(x, mean(x, dims, true));
  double n = 1;
  for (int64_t d : normalize_dims("var", dims, x->ndim()))
    n *= static_cast<double>(x->shape()[static_cast<int>(d)]);
  return sum(square(centred), dims, keepdim) / std::max(n - correction, 0.0);
}

Var standard_deviation(In x, const Dims& dims, bool keepdim, double correction) {
  const Var v = var(x, dims, keepdim, correction), none = eq(v, 0.0);
  return where(none, 0.0, sqrt(where(none, 1.0, v)));
}

namespace {

using Spread = Var (*)(In, const Dims&, bool, double);

Sample spread(const char* label, Input x, Spread f, const Dims& dims, bool keepdim,
              double correction, bool root) {
  const Shape shape = x.shape;
  return {.label = label,
          .inputs = {std::move(x)},
          .f = [=](const Vars& v) { return Vars{f(v[0], dims, keepdim, correction)}; },
          .reference =
              [=](const Columns& x) {
                Shape kept = shape;
                for (int64_t d : normalize_dims("var", dims, shape.size()))
                  kept[static_cast<int>(d)] = 1;
                Columns groups(static_cast<size_t>(numel(kept)));
                for (int64_t i = 0; i < numel(shape); ++i)
                  groups[static_cast<size_t>(broadcast_index(i, kept, shape))].push_back(
                      x[0][static_cast<size_t>(i)]);
                Numbers y;
                for (const Numbers& group : groups) {  // half the mean square of all differences
                  const double n = static_cast<double>(group.size());
                  double total = 0;
                  for (double a : group)
                    for (double b : group) total += (a - b) * (a - b) / (2 * n);
                  y.push_back(total / (n - correction));
                  if (root) y.back() = std::sqrt(y.back());
                }
                return y;
              }};
}

Entry entry(std::string name, Spread f, bool root) {
  return {.name = std::move(name),
          .samples = {spread("all", {{3, 4}}, f, {}, false, 1, root),
                      spread("rows, population", {{3, 4}}, f, {-1}, true, 0, root),
                      spread("axes apart", {{2, 3, 2}}, f, {0, 2}, false, 1, root),
                      spread("correction 2", {{5}}, f, {0}, false, 2, root),
                      spread("no columns", {{3, 0}}, f, {0}, false, 1, root)},
          .errors = {{"integers", [=] { f(ones({2}, kInt64), {}, false, 1); }, "got int64"},
                     {"negative correction", [=] { f(ones({2}), {}, false, -1); },
                      "correction must not be negative: -1"},
                     {"no such axis", [=] { f(ones({2}), {1}, false, 1); }, "dim out of range: 1"}},
          .replay = [=](Replay& r) {
            const Dims dims = dims_argument(r);
            const double correction = r.flag("unbiased", true) ? r.real("correction", 1) : 0;
            return Vars{f(r["input"], dims, r.flag("keepdim", false), correction)};
          }};
}

}  // namespace

std::vector<Entry> statistics_ops() {
  Entry deviation = about(entry("std", standard_deviation, true), "y = √var(x)",
                          "dx = dy·(x - mean x)/((n - correction)·y)", "Slope 0 where y is 0.");
  const auto flat = [](const Vars& v) { return Vars{standard_deviation(v[0])}; };
  deviation.samples.push_back({.label = "equal ones",
                               .inputs = {exact_constant({3}, {5, 5, 5})},
                               .f = flat,
                               .reference = [](const Columns&) { return Numbers{0}; }});
  return {about(entry("var", var, false), "y = Σ (x - mean x)²/(n - correction) over dims",
                "dx = 2·dy·(x - mean x)/(n - correction)", "n <= correction: NaN or ∞."),
          std::move(deviation)};
}

}  // namespace glass
