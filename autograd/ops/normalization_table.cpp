// Sample rows of normalization.cpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "autograd/normalization_definition.h"
#include "autograd/ops/normalization.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

using PlaceOf = std::function<size_t(size_t)>;

struct Moments {
  double mean = 0, variance = 0, count = 0;
};

// Mean and variance of each set; set_of: the set of an element.
std::map<size_t, Moments> moments(const Numbers& x, const PlaceOf& set_of) {
  std::map<size_t, Moments> sets;
  for (size_t i = 0; i < x.size(); ++i) {
    sets[set_of(i)].mean += x[i];
    sets[set_of(i)].count += 1;
  }
  for (auto& [set, m] : sets) m.mean /= m.count;
  for (size_t i = 0; i < x.size(); ++i) {
    Moments& m = sets[set_of(i)];
    m.variance += (x[i] - m.mean) * (x[i] - m.mean) / m.count;
  }
  return sets;
}

// weight_of: the number of an element's weight and bias, which are inputs 1 and 2 where given.
Numbers normed_reference(const Columns& v, const PlaceOf& set_of, const PlaceOf& weight_of,
                         bool affine, double eps) {
  const auto sets = moments(v[0], set_of);
  Numbers y;
  for (size_t i = 0; i < v[0].size(); ++i) {
    const Moments& m = sets.at(set_of(i));
    const double value = (v[0][i] - m.mean) / std::sqrt(m.variance + eps);
    y.push_back(affine ? value * v[1][weight_of(i)] + v[2][weight_of(i)] : value);
  }
  return y;
}

// A row by shape: set_of and weight_of, and what the definition makes of it.
struct NormCase {
  const char* label;
  Shape x, weight;  // weight empty: none
  PlaceOf set_of, weight_of;
  NormView view;
  double eps = 1e-5;
};

Sample norm_row(const NormCase& c,
                std::function<Var(const Var&, const Var&, const Var&, double)> f) {
  const bool affine = !c.weight.empty();
  const auto pass = [=](auto g) {
    return
        [=](const Vars& v) { return Vars{g(v[0], affine ? v[1] : Var(), affine ? v[2] : Var())}; };
  };
  std::vector<Input> inputs{{c.x}};
  if (affine) inputs.insert(inputs.end(), 2, {c.weight});
  return {.label = c.label,
          .inputs = std::move(inputs),
          .f = pass([=](const Var& x, const Var& w, const Var& b) { return f(x, w, b, c.eps); }),
          .definition = pass([=](const Var& x, const Var& w, const Var& b) {
            return normalize_by_definition(x, c.view, w, b, c.eps);
          }),
          .reference = [=](const Columns& v) {
            return normed_reference(v, c.set_of, c.weight_of, affine, c.eps);
          }};
}

size_t numel_from(const Shape& shape, int from) {
  size_t n = 1;
  for (int i = from; i < shape.size(); ++i) n *= static_cast<size_t>(shape[i]);
  return n;
}

NormCase layer_case(const char* label, const Shape& x, const Shape& last, bool affine, double eps) {
  const size_t n = numel_from(last, 0);
  const auto wide = static_cast<int64_t>(n);
  return {label,
          x,
          affine ? last : Shape{},
          [=](size_t i) { return i / n; },
          [=](size_t i) { return i % n; },
          {{numel(x) / std::max<int64_t>(wide, 1), wide}, {1}, {wide}},
          eps};
}

NormCase group_case(const char* label, const Shape& x, int64_t G, bool affine, double eps = 1e-5) {
  const size_t inner = numel_from(x, 2), C = static_cast<size_t>(x[1]);
  const size_t set = C / static_cast<size_t>(G) * inner;
  const int64_t S = static_cast<int64_t>(inner);
  return {label,
          x,
          affine ? Shape{x[1]} : Shape{},
          [=](size_t i) { return i / set; },
          [=](size_t i) { return i / inner % C; },
          {{x[0], G, x[1] / G, S}, {2, 3}, {G, x[1] / G, 1}},
          eps};
}

NormCase batch_case(const char* label, const Shape& x, bool affine, double eps = 1e-5) {
  const size_t inner = numel_from(x, 2), C = static_cast<size_t>(x[1]);
  const auto channel = [=](size_t i) { return i / inner % C; };
  return {label,   x,       affine ? Shape{x[1]} : Shape{},
          channel, channel, {{x[0], x[1], static_cast<int64_t>(inner)}, {0, 2}, {x[1], 1}},
          eps};
}

RunningStats running_of(const Vars& v, size_t first, double momentum) {
  return {v[first].value().clone(), v[first + 1].value().clone(), momentum};
}

// By statistics that are given: inputs x, weight, bias, mean, variance.
template <class F>
Sample given_row(const char* label, const Shape& x, F f) {
  const Shape C{x[1]};
  const size_t inner = numel_from(x, 2), channels = static_cast<size_t>(x[1]);
  return {.label = label,
          .inputs = {{x}, {C}, {C}, constant(C), constant(C, 0.5, 2)},
          .f = [=](const Vars& v) { return Vars{f(v[0], running_of(v, 3, 0.1), v[1], v[2])}; },
          .reference =
              [=](const Columns& v) {
                Numbers y;
                for (size_t i = 0; i < v[0].size(); ++i) {
                  const size_t c = i / inner % channels;
                  y.push_back((v[0][i] - v[3][c]) / std::sqrt(v[4][c] + 0.1) * v[1][c] + v[2][c]);
                }
                return y;
              }};
}

// What is left in the running mean, then the running variance. inputs x, mean, variance; set_of an
// element of x, and the channel of a set.
template <class F>
Sample running_row(const char* label, const Shape& x, const PlaceOf& set_of, F f) {
  const Shape C{x[1]};
  const auto channels = static_cast<size_t>(x[1]);
  return {.label = label,
          .inputs = {constant(x), constant(C), constant(C, 0.5, 2)},
          .f =
              [=](const Vars& v) {
                const RunningStats running = running_of(v, 1, 0.3);
                f(v[0], running);
                const Tensor both[] = {running.mean, running.variance};
                return Vars{Var(cat(both, 0))};
              },
          .reference =
              [=](const Columns& v) {
                Numbers mean(channels), variance(channels), rows(channels);
                for (const auto& [set, m] : moments(v[0], set_of)) {
                  mean[set % channels] += m.mean;
                  variance[set % channels] += m.variance * m.count / (m.count - 1);
                  rows[set % channels] += 1;
                }
                Numbers y;
                for (size_t c = 0; c < channels; ++c)
                  y.push_back(0.7 * v[1][c] + 0.3 * mean[c] / rows[c]);
                for (size_t c = 0; c < channels; ++c)
                  y.push_back(0.7 * v[2][c] + 0.3 * variance[c] / rows[c]);
                return y;
              }};
}

Dims dims(const std::vector<int64_t>& list) { return Dims(std::span<const int64_t>(list)); }

RunningStats replay_running(Replay& r) {
  const Var mean = r.maybe("running_mean"), variance = r.maybe("running_var");
  if (!mean.defined() || !variance.defined()) return {.momentum = r.real("momentum", 0.1)};
  return {mean.value().clone(), variance.value().clone(), r.real("momentum", 0.1)};
}

void tell_running(Replay& r, const RunningStats& running) {
  if (!running.mean.defined()) return;
  r.buffers["running_mean"] = running.mean;
  r.buffers["running_var"] = running.variance;
}

const char* const kGradient =
    "dx = (g - mean of g - x̂·mean of g·x̂)/√(variance + eps) with g = dy·weight, dweight = Σ dy·x̂, "
    "dbias = Σ dy";

[[gnu::cold]] Entry layer_entry() {
  const auto f = [](const Shape& last) {
    return [=](const Var& x, const Var& w, const Var& b, double eps) {
      return layer_norm(x, last, w, b, eps);
    };
  };
  return {
      .name = "layer_norm",
      .kind = EntryKind::fused,
      .formula = "y = x̂·weight + bias, x̂ = (x - mean)/√(variance + eps) over the last axes",
      .gradient = kGradient,
      .notes = "The variance is divided by the number of elements.",
      .samples = {norm_row(layer_case("rows", {3, 5}, {5}, true, 1e-5), f({5})),
                  norm_row(layer_case("two axes", {2, 3, 4}, {3, 4}, true, 0.1), f({3, 4})),
                  norm_row(layer_case("no weight", {2, 3, 4}, {4}, false, 1e-5), f({4})),
                  norm_row(layer_case("long rows", {2, 37}, {37}, true, 1e-5), f({37})),
                  norm_row(layer_case("all axes", {6}, {6}, true, 1e-5), f({6})),
                  norm_row(layer_case("no rows", {0, 3}, {3}, true, 1e-5), f({3}))},
      .errors = {{"another shape",
                  [] {
                    layer_norm(ones({2, 3}), {4});
                  },
                  "[2, 3] and [4]"},
                 {"more axes than the input",
                  [] {
                    layer_norm(ones({3}), {2, 3});
                  },
                  "[3] and [2, 3]"},
                 {"weight",
                  [] {
                    layer_norm(ones({2, 3}), {3}, ones({2}));
                  },
                  "[2], need [3]"},
                 {"two types",
                  [] {
                    layer_norm(ones({2, 3}), {3}, ones({3}, kFloat32));
                  },
                  "float64 and float32"},
                 {"integers",
                  [] {
                    layer_norm(ones({2, 3}, kInt64), {3});
                  },
                  "got int64"}},
      .replay = [](Replay& r) {
        const Var x = r["input"], w = r.maybe("weight"), b = r.maybe("bias");
        return Vars{layer_norm(x, dims(r.integers("normalized_shape")), w, b, r.real("eps", 1e-5))};
      }};
}

[[gnu::cold]] Entry group_entry() {
  const auto f = [](int64_t G) {
    return [=](const Var& x, const Var& w, const Var& b, double eps) {
      return group_norm(x, G, w, b, eps);
    };
  };
  return {.name = "group_norm",
          .kind = EntryKind::fused,
          .formula =
              "y = x̂·weight + bias, x̂ = (x - mean)/√(variance + eps) over each group of "
              "channels of each row",
          .gradient = kGradient,
          .samples = {norm_row(group_case("two groups", {2, 4, 3}, 2, true), f(2)),
                      norm_row(group_case("planes, eps", {2, 6, 2, 3}, 3, true, 0.2), f(3)),
                      norm_row(group_case("channels only", {3, 6}, 2, true), f(2)),
                      norm_row(group_case("no weight", {2, 4, 3}, 1, false), f(1)),
                      norm_row(group_case("no rows", {0, 4, 3}, 2, true), f(2))},
          .errors = {{"groups",
                      [] {
                        group_norm(ones({2, 4, 3}), 3);
                      },
                      "3 and [2, 4, 3]"},
                     {"one axis", [] { group_norm(ones({4}), 2); }, "[N, C, ...]: [4]"},
                     {"weight",
                      [] {
                        group_norm(ones({2, 4, 3}), 2, ones({3}));
                      },
                      "[3], need [4]"}},
          .replay = [](Replay& r) {
            const Var x = r["input"], w = r.maybe("weight"), b = r.maybe("bias");
            return Vars{group_norm(x, r.integer("num_groups"), w, b, r.real("eps", 1e-5))};
          }};
}

[[gnu::cold]] Entry batch_entry() {
  const auto f = [](const Var& x, const Var& w, const Var& b, double eps) {
    return batch_norm(x, {}, w, b, true, eps);
  };
  const auto by_running = [](const Var& x, const RunningStats& running, const Var& w,
                             const Var& b) { return batch_norm(x, running, w, b, false, 0.1); };
  const auto call = [](const Shape& x, const Shape& stats, bool training) {
    batch_norm(ones(x), {ones(stats).value(), ones(stats).value()}, Var(), Var(), training);
  };
  const auto channel_of_three = [](size_t i) { return i / 4 % 3; };
  return {.name = "batch_norm",
          .kind = EntryKind::fused,
          .formula =
              "y = x̂·weight + bias, x̂ = (x - mean)/√(variance + eps) over the batch and all axes "
              "but the channels",
          .gradient = kGradient,
          .notes =
              "Training moves the running mean and variance towards the batch's; the running "
              "variance is divided by the number of elements less one. Otherwise they stand in "
              "for the batch's and dx = dy·weight/√(variance + eps).",
          .samples = {norm_row(batch_case("rows", {5, 3}, true), f),
                      norm_row(batch_case("planes, eps", {3, 2, 2, 3}, true, 0.3), f),
                      norm_row(batch_case("sequences", {2, 3, 4}, true), f),
                      norm_row(batch_case("no weight", {4, 3}, false), f),
                      norm_row(batch_case("one channel", {6, 1}, true), f),
                      norm_row(batch_case("no rows", {0, 3, 2}, true), f),
                      given_row("evaluation", {2, 3, 4}, by_running),
                      given_row("evaluation of one row", {1, 3}, by_running),
                      running_row("what it leaves in the running statistics", {2, 3, 4},
                                  channel_of_three,
                                  [](const Var& x, const RunningStats& running) {
                                    batch_norm(x, running, Var(), Var(), true);
                                  })},
          .errors = {{"one element a channel",
                      [=] {
                        call({1, 3}, {3}, true);
                      },
                      "no variance to train with: [1, 3]"},
                     {"statistics of another size",
                      [=] {
                        call({4, 3}, {2}, true);
                      },
                      "[2] for [4, 3]"},
                     {"evaluation without statistics",
                      [] {
                        batch_norm(ones({4, 3}), {});
                      },
                      "needs running mean and variance"},
                     {"weight",
                      [] {
                        batch_norm(ones({4, 3}), {}, ones({4}), Var(), true);
                      },
                      "[4], need [3]"}},
          .replay = [](Replay& r) {
            const Var x = r["input"], w = r.maybe("weight"), b = r.maybe("bias");
            const RunningStats running = replay_running(r);
            const Var y =
                batch_norm(x, running, w, b, r.flag("training", false), r.real("eps", 1e-5));
            tell_running(r, running);
            return Vars{y};
          }};
}

[[gnu::cold]] Entry instance_entry() {
  const auto f = [](const Var& x, const Var& w, const Var& b, double eps) {
    return instance_norm(x, w, b, eps);
  };
  const auto row_and_channel = [](size_t i) { return i / 4; };
  return {.name = "instance_norm",
          .kind = EntryKind::fused,
          .formula =
              "y = x̂·weight + bias, x̂ = (x - mean)/√(variance + eps) over each channel of each "
              "row",
          .gradient = kGradient,
          .notes = "Running statistics take the average over the rows of the batch.",
          .samples = {norm_row(group_case("sequences", {2, 3, 4}, 3, true), f),
                      norm_row(group_case("planes, no weight", {2, 2, 2, 3}, 2, false, 0.1), f),
                      norm_row(group_case("no rows", {0, 2, 4}, 2, true), f),
                      given_row(
                          "by running statistics", {2, 3, 4},
                          [](const Var& x, const RunningStats& running, const Var& w,
                             const Var& b) { return instance_norm(x, w, b, 0.1, running, false); }),
                      running_row("what it leaves in the running statistics", {2, 3, 4},
                                  row_and_channel,
                                  [](const Var& x, const RunningStats& running) {
                                    instance_norm(x, Var(), Var(), 1e-5, running);
                                  })},
          .errors = {{"one element a channel",
                      [] {
                        instance_norm(ones({4, 3, 1}));
                      },
                      "no variance to train with"},
                     {"nothing to normalise",
                      [] {
                        instance_norm(ones({4, 3}));
                      },
                      "something to normalise: [4, 3]"}},
          .replay = [](Replay& r) {
            const Var x = r["input"], w = r.maybe("weight"), b = r.maybe("bias");
            const RunningStats running = replay_running(r);
            const Var y = instance_norm(x, w, b, r.real("eps", 1e-5), running,
                                        r.flag("use_input_stats", true));
            tell_running(r, running);
            return Vars{y};
          }};
}

}  // namespace

std::vector<Entry> normalization_ops() {
  return {layer_entry(), group_entry(), batch_entry(), instance_entry()};
}

}  // namespace glass
