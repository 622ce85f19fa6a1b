#include <functional>

#include "autograd/ops/table.h"
#include "autograd/ops/window.h"
#include "autograd/samples.h"

namespace glass {
namespace {

// N batch rows, T queries, S keys, A features, windows of W keys from the given starts.
struct WindowCase {
  const char* label;
  size_t N, T, S, A, W;
  std::vector<double> starts;
};

const std::vector<WindowCase>& cases() {
  static const std::vector<WindowCase> all{
      {"inside", 2, 2, 5, 3, 2, {0, 3, 1, 1}},
      {"beyond both ends", 1, 3, 3, 2, 6, {-2, -1, 0}},
      {"over one end each", 1, 3, 4, 2, 3, {-1, 2, 3}},
      {"wholly outside", 1, 4, 3, 2, 2, {-2, 3, 1, -1e15}},
      {"one key", 2, 1, 1, 3, 1, {0, 0}},
      {"many features", 1, 2, 7, 20, 6, {1, -1}},
      {"no keys", 1, 1, 0, 2, 2, {0}},
      {"no queries", 2, 0, 3, 2, 2, {}},
      {"no rows", 0, 2, 3, 2, 2, {}},
      {"no features", 1, 1, 3, 0, 2, {1}},
      {"no window", 1, 2, 3, 2, 0, {0, 1}},
  };
  return all;
}

// f(row, w, key): slot w of query row = n·T + t is key = n·S + s.
void for_slots(const WindowCase& c, const std::function<void(size_t, size_t, size_t)>& f) {
  for (size_t row = 0; row < c.N * c.T; ++row)
    for (size_t w = 0; w < c.W; ++w) {
      const double s = c.starts[row] + static_cast<double>(w);
      if (s >= 0 && s < static_cast<double>(c.S))
        f(row, w, row / c.T * c.S + static_cast<size_t>(s));
    }
}

enum class Part { weights, query, keys, windows, dense };

Shape shape_of(const WindowCase& c, Part part) {
  const auto size = [](size_t n) { return static_cast<int64_t>(n); };
  switch (part) {
    case Part::weights:
      return {size(c.N), size(c.T), size(c.W)};
    case Part::query:
      return {size(c.N), size(c.T), size(c.A)};
    case Part::keys:
      return {size(c.N), size(c.S), size(c.A)};
    case Part::windows:
      return {size(c.N), size(c.T), size(c.W), size(c.A)};
    default:
      return {size(c.N), size(c.T), size(c.S)};
  }
}

// y[place in out] += the product of the inputs' elements, over all slots and features.
struct Term {
  const WindowCase& c;
  size_t row, w, key, feature;
  size_t at(Part part) const {
    switch (part) {
      case Part::weights:
        return row * c.W + w;
      case Part::query:
        return row * c.A + feature;
      case Part::keys:
        return key * c.A + feature;
      case Part::windows:
        return (row * c.W + w) * c.A + feature;
      default:
        return row * c.S + key % c.S;
    }
  }
};

Sample sample_of(const WindowCase& c, const std::vector<Part>& parts, Part out,
                 const std::function<Var(const Vars&, const Tensor&, const WindowCase&)>& f) {
  Sample sample;
  sample.label = c.label;
  for (Part part : parts) sample.inputs.push_back({shape_of(c, part)});
  const Shape starts{shape_of(c, Part::dense)[0], shape_of(c, Part::dense)[1]};
  sample.inputs.push_back(c.starts.empty() ? ints(starts, 0, 1) : exact_ints(starts, c.starts));
  bool reaches = false;
  for_slots(c, [&](size_t, size_t, size_t) { reaches = true; });
  for (Part part : parts)  // no slot on a key: nothing depends on the inputs that there are
    if (!reaches && numel(shape_of(c, out)) > 0 && numel(shape_of(c, part)) > 0)
      sample.expect = Verdict::vacuous;
  sample.f = [=](const Vars& v) { return Vars{f(v, v.back().value(), c)}; };
  sample.reference = [=](const Columns& x) {
    Numbers y(static_cast<size_t>(numel(shape_of(c, out))));
    const bool scalar = out == Part::dense;  // no features take part
    for_slots(c, [&](size_t row, size_t w, size_t key) {
      for (size_t a = 0; a < (scalar ? 1 : c.A); ++a) {
        const Term term{c, row, w, key, a};
        double product = 1;
        for (size_t i = 0; i < parts.size(); ++i) product *= x[i][term.at(parts[i])];
        y[term.at(out)] += product;
      }
    });
    return y;
  };
  return sample;
}

std::vector<Sample> samples_of(
    const std::vector<Part>& parts, Part out,
    const std::function<Var(const Vars&, const Tensor&, const WindowCase&)>& f) {
  std::vector<Sample> all;
  for (const WindowCase& c : cases()) all.push_back(sample_of(c, parts, out, f));
  return all;
}

int64_t count(size_t n) { return static_cast<int64_t>(n); }

// Starts 0 for 1 batch row and 2 queries.
Tensor origin() { return Tensor::zeros({1, 2}, kInt64); }

const char* kOutside = "Keys outside 0 … S-1 count as 0 and get no gradient.";

}  // namespace

std::vector<Entry> window_ops() {
  Entry scores{
      .name = "window_scores",
      .formula = "scores[t, w] = query_t · keys_{start_t + w}",
      .gradient = "dquery = window_sum(dscores, keys), dkeys = window_outer(dscores, query)",
      .notes = kOutside,
      .samples = samples_of({Part::query, Part::keys}, Part::weights,
                            [](const Vars& v, const Tensor& start, const WindowCase& c) {
                              return window_scores(v[0], v[1], start, count(c.W));
                            }),
      .errors = {{"features",
                  [] {
                    window_scores(ones({1, 2, 3}), ones({1, 4, 2}), origin(), 2);
                  },
                  "[1, 2, 3], [1, 4, 2]"},
                 {"batches",
                  [] {
                    window_scores(ones({1, 2, 3}), ones({2, 4, 3}), origin(), 2);
                  },
                  "needs query"},
                 {"one start too few",
                  [] {
                    window_scores(ones({1, 3, 2}), ones({1, 4, 2}), origin(), 2);
                  },
                  "one start per query: [1, 2], should be [1, 3]"},
                 {"real starts",
                  [] {
                    window_scores(ones({1, 2, 2}), ones({1, 4, 2}), Tensor::zeros({1, 2}), 2);
                  },
                  "start must be int64: got float32"},
                 {"no starts",
                  [] {
                    window_scores(ones({1, 2, 2}), ones({1, 4, 2}), Tensor(), 2);
                  },
                  "one start per query"},
                 {"negative window",
                  [] {
                    window_scores(ones({1, 2, 2}), ones({1, 4, 2}), origin(), -1);
                  },
                  "window -1"},
                 {"two types",
                  [] {
                    window_scores(ones({1, 2, 2}), ones({1, 4, 2}, kFloat32), origin(), 2);
                  },
                  "float64 and float32"}}};
  Entry sum{.name = "window_sum",
            .formula = "sums_t = Σ_w weights[t, w]·values_{start_t + w}",
            .gradient =
                "dweights = window_scores(dsums, values), "
                "dvalues = window_outer(weights, dsums)",
            .notes = kOutside,
            .samples = samples_of({Part::weights, Part::keys}, Part::query,
                                  [](const Vars& v, const Tensor& start, const WindowCase&) {
                                    return window_sum(v[0], v[1], start);
                                  }),
            .errors = {{"batches",
                        [] {
                          window_sum(ones({1, 2, 3}), ones({2, 4, 3}), origin());
                        },
                        "needs weights"},
                       {"starts",
                        [] {
                          window_sum(ones({1, 3, 3}), ones({1, 4, 3}), origin());
                        },
                        "[1, 2], should be [1, 3]"},
                       {"axes",
                        [] {
                          window_sum(ones({1, 2}), ones({1, 4, 3}), origin());
                        },
                        "[1, 2], [1, 4, 3]"}}};
  Entry outer{.name = "window_outer",
              .formula = "outer_s = Σ_t weights[t, s - start_t]·query_t",
              .gradient =
                  "dweights = window_scores(query, douter), "
                  "dquery = window_sum(weights, douter)",
              .notes = kOutside,
              .samples = samples_of({Part::weights, Part::query}, Part::keys,
                                    [](const Vars& v, const Tensor& start, const WindowCase& c) {
                                      return window_outer(v[0], v[1], start, count(c.S));
                                    }),
              .errors = {{"queries",
                          [] {
                            window_outer(ones({1, 2, 3}), ones({1, 3, 3}), origin(), 4);
                          },
                          "needs weights"},
                         {"negative keys",
                          [] {
                            window_outer(ones({1, 2, 3}), ones({1, 2, 3}), origin(), -4);
                          },
                          "keys -4"}}};
  Entry gathered{.name = "window_gather",
                 .formula = "windows[t, w] = keys_{start_t + w}",
                 .gradient = "dkeys = window_scatter(dwindows)",
                 .notes = kOutside,
                 .samples = samples_of({Part::keys}, Part::windows,
                                       [](const Vars& v, const Tensor& start, const WindowCase& c) {
                                         return window_gather(v[0], start, count(c.W));
                                       }),
                 .errors = {{"axes",
                             [] {
                               window_gather(ones({4, 3}), origin(), 2);
                             },
                             "[4, 3]"},
                            {"batches",
                             [] {
                               window_gather(ones({2, 4, 3}), origin(), 2);
                             },
                             "[1, 2], should be [2, 2]"}}};
  Entry scattered{
      .name = "window_scatter",
      .formula = "y = 0; y_{start_t + w} += windows[t, w]",
      .gradient = "dwindows = window_gather(dy)",
      .notes = kOutside,
      .samples = samples_of({Part::windows}, Part::keys,
                            [](const Vars& v, const Tensor& start, const WindowCase& c) {
                              return window_scatter(v[0], start, count(c.S));
                            }),
      .errors = {{"axes",
                  [] {
                    window_scatter(ones({1, 2, 3}), origin(), 4);
                  },
                  "needs windows"}}};
  Entry dense{.name = "window_dense",
              .formula = "y[t, s] = weights[t, s - start_t] in the window, else 0",
              .gradient = "dweights[t, w] = dy[t, start_t + w]",
              .notes = kOutside,
              .samples = samples_of({Part::weights}, Part::dense,
                                    [](const Vars& v, const Tensor& start, const WindowCase& c) {
                                      return window_dense(v[0], start, count(c.S));
                                    }),
              .errors = {{"axes",
                          [] {
                            window_dense(ones({2, 3}), origin(), 4);
                          },
                          "needs weights"},
                         {"starts",
                          [] {
                            window_dense(ones({1, 3, 3}), origin(), 4);
                          },
                          "[1, 2], should be [1, 3]"}}};
  return {scores, sum, outer, gathered, scattered, dense};
}

}  // namespace glass
