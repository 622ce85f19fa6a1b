// The entries of autograd/ops/indexing.h.
#include "autograd/ops/indexing.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

Var index_of(std::initializer_list<int64_t> ids) { return Var(Tensor::from(ids)); }

Sample gathered(const char* label, Input x, int64_t dim, Input index,
                decltype(Sample::reference) reference) {
  return {.label = label,
          .inputs = {std::move(x), std::move(index)},
          .f = [=](const Vars& v) { return Vars{gather(v[0], dim, v[1])}; },
          .reference = std::move(reference)};
}

[[gnu::cold]] Entry gather_entry() {
  const auto call = [](const Shape& x, int64_t dim, std::initializer_list<int64_t> ids) {
    gather(ones(x), dim, index_of(ids));
  };
  return {
      .name = "gather",
      .formula = "y[i][j] = x[i][index[i][j]] along dim",
      .gradient = "dx = dy added at the places read",
      .samples = {gathered("columns, some twice", {{2, 3}}, 1, exact_ints({2, 2}, {2, 2, 0, 1}),
                           [](const Columns& x) {
                             return Numbers{x[0][2], x[0][2], x[0][3], x[0][4]};
                           }),
                  gathered("rows, index smaller", {{3, 2}}, 0, exact_ints({2, 1}, {2, 0}),
                           [](const Columns& x) {
                             return Numbers{x[0][4], x[0][0]};
                           }),
                  gathered("inner axis", {{2, 2, 2}}, 1, exact_ints({2, 1, 2}, {1, 0, 0, 1}),
                           [](const Columns& x) {
                             return Numbers{x[0][2], x[0][1], x[0][4], x[0][7]};
                           }),
                  gathered("0-d", {{}}, 0, exact_ints({}, {0}),
                           [](const Columns& x) { return x[0]; }),
                  gathered("0-d, index with an axis", {{}}, 0, exact_ints({2}, {0, 0}),
                           [](const Columns& x) {
                             return Numbers{x[0][0], x[0][0]};
                           }),
                  gathered("no index", {{2, 3}}, 1, ints({2, 0}, 0, 1), nothing)},
      .errors = {{"beyond",
                  [=] {
                    call({3}, 0, {0, 3});
                  },
                  "3, should be in [0, 2]"},
                 {"negative", [=] { call({3}, 0, {-1}); }, "-1, should be in [0, 2]"},
                 {"axes",
                  [=] {
                    call({3, 2}, 0, {0});
                  },
                  "index [1], tensor [3, 2]"},
                 {"real index", [] { gather(ones({2}), 0, ones({2})); }, "must be int64"},
                 {"0-d beyond", [] { gather(ones({}), 0, Var(Tensor::scalar(1, kInt64))); },
                  "1, should be in [0, 0]"}},
      .replay = [](Replay& r) { return Vars{gather(r["input"], r.integer("dim"), r["index"])}; }};
}

[[gnu::cold]] Entry scatter_entry() {
  const Function f = [](const Vars& v) { return Vars{scatter_add(v[0], 0, v[1], v[2])}; };
  return {.name = "scatter_add",
          .formula = "y = x; y[index[i]] += src[i] along dim",
          .gradient = "dx = dy, dsrc = dy read at the index",
          .samples = {{.label = "a place three times",
                       .inputs = {{{3}}, exact_ints({4}, {2, 0, 2, 2}), {{4}}},
                       .f = f,
                       .reference = [](const Columns& x) -> Numbers {
                         return {x[0][0] + x[2][1], x[0][1], x[0][2] + x[2][0] + x[2][2] + x[2][3]};
                       }},
                      {.label = "source larger than the index",
                       .inputs = {{{2, 2}}, exact_ints({1, 2}, {1, 0}), {{2, 3}}},
                       .f = f,
                       .reference = [](const Columns& x) -> Numbers {
                         return {x[0][0], x[0][1] + x[2][1], x[0][2] + x[2][0], x[0][3]};
                       }},
                      {.label = "0-d",
                       .inputs = {{{}}, exact_ints({}, {0}), {{}}},
                       .f = f,
                       .reference = [](const Columns& x) { return Numbers{x[0][0] + x[2][0]}; }},
                      {.label = "0-d, index with an axis",
                       .inputs = {{{}}, exact_ints({2}, {0, 0}), {{2}}},
                       .f = f,
                       .reference =
                           [](const Columns& x) { return Numbers{x[0][0] + x[2][0] + x[2][1]}; }},
                      {.label = "no index",
                       .inputs = {{{2}}, ints({0}, 0, 1), {{0}}},
                       .f = f,
                       .reference = [](const Columns& x) { return x[0]; }}},
          .errors = {{"beyond", [] { scatter_add(ones({2}), 0, index_of({2}), ones({1})); },
                      "2, should be in [0, 1]"},
                     {"source too small",
                      [] {
                        scatter_add(ones({2}), 0, index_of({0, 1}), ones({1}));
                      },
                      "[1] and [2]"},
                     {"two types",
                      [] { scatter_add(ones({2}), 0, index_of({0}), ones({1}, kFloat32)); },
                      "float64 and float32"}},
          .replay = [](Replay& r) {
            return Vars{scatter_add(r["input"], r.integer("dim"), r["index"], r["src"])};
          }};
}

[[gnu::cold]] Entry select_entry() {
  const Function rows = [](const Vars& v) { return Vars{index_select(v[0], 0, v[1])}; };
  const Function columns = [](const Vars& v) { return Vars{index_select(v[0], -1, v[1])}; };
  return {.name = "index_select",
          .formula = "y = the slices of x along dim that index names",
          .gradient = "dx = dy added at the slices read",
          .samples = {{.label = "rows, one twice",
                       .inputs = {{{3, 2}}, exact_ints({4}, {2, 0, 2, 1})},
                       .f = rows,
                       .reference = [](const Columns& x) -> Numbers {
                         return {x[0][4], x[0][5], x[0][0], x[0][1],
                                 x[0][4], x[0][5], x[0][2], x[0][3]};
                       }},
                      {.label = "columns",
                       .inputs = {{{2, 3}}, exact_ints({2}, {1, 1})},
                       .f = columns,
                       .reference = [](const Columns& x) -> Numbers {
                         return {x[0][1], x[0][1], x[0][4], x[0][4]};
                       }},
                      {.label = "no index",
                       .inputs = {{{3, 2}}, ints({0}, 0, 1)},
                       .f = rows,
                       .reference = nothing},
                      {.label = "0-d",
                       .inputs = {{{}}, exact_ints({1}, {0})},
                       .f = rows,
                       .reference = [](const Columns& x) { return x[0]; }},
                      {.label = "empty rows",
                       .inputs = {{{2, 0}}, exact_ints({1}, {1})},
                       .f = rows,
                       .reference = nothing}},
          .errors = {{"beyond", [] { index_select(ones({3}), 0, index_of({3})); },
                      "3, should be in [0, 2]"},
                     {"index of two axes",
                      [] {
                        index_select(ones({3}), 0, Var(Tensor::zeros({1, 1}, kInt64)));
                      },
                      "index [1, 1]"}},
          .replay = [](Replay& r) {
            return Vars{index_select(r["input"], r.integer("dim"), r["index"])};
          }};
}

[[gnu::cold]] Entry fill_entry() {
  const Function with_var = [](const Vars& v) { return Vars{index_fill(v[0], 0, v[1], v[2])}; };
  return {.name = "index_fill",
          .formula = "y = x, and value at every place along dim that index names",
          .gradient = "dx = dy, but 0 where filled; dvalue = Σ dy over the filled places",
          .notes = "A place named twice counts once.",
          .samples = {{.label = "a place twice",
                       .inputs = {{{4}}, exact_ints({3}, {3, 3, 1}), {{}}},
                       .f = with_var,
                       .reference = [](const Columns& x) -> Numbers {
                         return {x[0][0], x[2][0], x[0][2], x[2][0]};
                       }},
                      {.label = "column with a number",
                       .inputs = {{{2, 2}}, exact_ints({1}, {0})},
                       .f = [](const Vars& v) { return Vars{index_fill(v[0], 1, v[1], 5)}; },
                       .reference = [](const Columns& x) -> Numbers {
                         return {5, x[0][1], 5, x[0][3]};
                       }},
                      {.label = "0-d",
                       .inputs = {{{}}, exact_ints({2}, {0, 0}), {{}}},
                       .f = with_var,
                       .expect = Verdict::vacuous,
                       .reference = [](const Columns& x) { return x[2]; }},
                      {.label = "nothing to fill",
                       .inputs = {{{2}}, ints({0}, 0, 1)},
                       .f = [](const Vars& v) { return Vars{index_fill(v[0], 0, v[1], 5)}; },
                       .reference = [](const Columns& x) { return x[0]; }}},
          .errors = {{"beyond", [] { index_fill(ones({3}), 0, index_of({3}), 1); },
                      "3, should be in [0, 2]"},
                     {"two values", [] { index_fill(ones({3}), 0, index_of({0}), ones({2})); },
                      "needs one value: got [2]"}},
          .replay = [](Replay& r) {
            const Var value = r.tensor_or_number("value");
            return Vars{index_fill(r["input"], r.integer("dim"), r["index"], value)};
          }};
}

Sample looked_up(const char* label, Input ids, Input weight, int64_t padding) {
  const auto width = static_cast<size_t>(weight.shape[1]);
  return {.label = label,
          .inputs = {std::move(ids), std::move(weight)},
          .f = [=](const Vars& v) { return Vars{embedding(v[0], v[1], padding)}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (double id : x[0])
                  for (size_t k = 0; k < width; ++k)
                    y.push_back(x[1][static_cast<size_t>(id) * width + k]);
                return y;
              }};
}

}  // namespace

std::vector<Entry> indexing_ops() {
  const auto look = [](std::initializer_list<int64_t> ids) {
    embedding(index_of(ids), ones({3, 2}));
  };
  const Entry embedding_entry{
      .name = "embedding",
      .formula = "y = weight[ids]",
      .gradient = "dweight[id] = Σ dy over the places of id",
      .notes =
          "The row padding_idx gets no gradient. scale_grad_by_freq divides it by the id's count, "
          "and then it is not the derivative.",
      .samples = {looked_up("ids of two axes, some twice", exact_ints({2, 2}, {1, 1, 0, 1}),
                            {{3, 2}}, -1),
                  looked_up("one id", exact_ints({}, {2}), {{3, 2}}, -1),
                  looked_up("padding not met", exact_ints({3}, {1, 2, 1}), {{3, 2}}, 0),
                  looked_up("no ids", ints({0, 2}, 0, 1), {{3, 2}}, -1),
                  looked_up("empty rows", exact_ints({2}, {0, 1}), {{3, 0}}, -1)},
      .errors = {{"beyond",
                  [=] {
                    look({0, 3});
                  },
                  "3, should be in [0, 2]"},
                 {"negative", [=] { look({-1}); }, "-1, should be in [0, 2]"},
                 {"far below", [=] { look({-4}); }, "-4, should be in [0, 2]"},
                 {"real ids",
                  [] {
                    embedding(ones({2}), ones({3, 2}));
                  },
                  "must be int64"},
                 {"table of one axis", [] { embedding(index_of({0}), ones({3})); }, "dim]: [3]"},
                 {"padding beyond",
                  [] {
                    embedding(index_of({0}), ones({3, 2}), 3);
                  },
                  "3, table has 3 rows"}},
      .replay = [](Replay& r) {
        const Var& weight = r["weight"];
        int64_t padding = -1;  // PyTorch's negative ones count from the end
        if (r.has("padding_idx"))
          padding = normalize_dim("padding_idx", r.integer("padding_idx"),
                                  static_cast<int>(weight.size(0)));
        r.flag("sparse", false);  // how a gradient is kept, not what it is
        return Vars{embedding(r["input"], weight, padding, r.flag("scale_grad_by_freq", false))};
      }};
  return {gather_entry(), scatter_entry(), select_entry(), fill_entry(), embedding_entry};
}

}  // namespace glass
