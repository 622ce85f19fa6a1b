#include "autograd/ops/indexing.h"

#include <map>

#include "autograd/op.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// dx = dy added at the places that were read
struct Gather {
  static constexpr const char* name = "gather";
  int64_t dim;
  Tensor index;
  Shape from{};
  Tensor forward(const Tensor& x) {
    from = x.shape();
    return gather(x, dim, index);
  }
  void backward(Backward& b, const Saved&) const {
    if (!b.create_graph()) return scatter_add_(b.accumulator(0), dim, index, b.grad().value());
    const Var zeros(Tensor::zeros(from, b.grad().dtype()));
    b.add(0, scatter_add(zeros, dim, Var(index), b.grad()));
  }
};

// dx = dy; dsrc = dy read at the same places
struct ScatterAdd {
  static constexpr const char* name = "scatter_add";
  int64_t dim;
  Tensor index;
  Shape src_shape{};
  Tensor forward(const Tensor& x, const Tensor& src) {
    src_shape = src.shape();
    return scatter_add(x, dim, index, src);
  }
  void backward(Backward& b, const Saved&) const {
    b.add(0, b.grad());
    if (!b.needs(1)) return;
    Var d = gather(b.grad(), dim, Var(index));
    // Elements of src beyond the index were not read.
    for (int i = 0; i < src_shape.size(); ++i)
      if (d.shape()[i] < src_shape[i]) d = pad_zeros(d, i, 0, src_shape[i] - d.shape()[i]);
    b.add(1, d);
  }
};

// Zeros with src added along dim at index: what index_select undoes.
struct IndexAdd {
  static constexpr const char* name = "index_add";
  int64_t dim;
  Tensor index;
  Shape shape;
  Tensor forward(const Tensor& src) const {
    Tensor y = Tensor::zeros(shape, src.dtype());
    index_add_(y, dim, index, src);
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    b.add(0, index_select(b.grad(), dim, Var(index)));
  }
};

struct IndexSelect {
  static constexpr const char* name = "index_select";
  int64_t dim;
  Tensor index;
  Shape from{};
  Tensor forward(const Tensor& x) {
    from = x.shape();
    return index_select(x, dim, index);
  }
  void backward(Backward& b, const Saved&) const {
    if (!b.create_graph()) return index_add_(b.accumulator(0), dim, index, b.grad().value());
    b.add(0, record(IndexAdd{dim, index, from}, In(b.grad())));
  }
};

// As IndexSelect along rows, but ids of any shape, and padding's row stays without gradient.
struct Embedding {
  static constexpr const char* name = "embedding";
  Tensor ids;  // 1-d
  Shape shape;
  int64_t padding_idx;
  Tensor shares;  // [ids, 1], or undefined: what the gradients are multiplied with
  Shape from{};
  Tensor forward(const Tensor& weight) {
    from = weight.shape();
    return index_select(weight, 0, ids).reshape(shape);
  }
  void backward(Backward& b, const Saved&) const {
    Var dy = reshape(b.grad(), {ids.numel(), from[1]});
    if (padding_idx >= 0) {
      const Var padding = eq(unsqueeze(Var(ids), 1), static_cast<double>(padding_idx));
      dy = masked_fill(dy, padding, 0);
    }
    if (shares.defined()) dy = dy * Var(shares.to(dy.dtype()));
    if (!b.create_graph()) return index_add_(b.accumulator(0), 0, ids, dy.value());
    b.add(0, record(IndexAdd{0, ids, from}, In(dy)));
  }
};

}  // namespace

Var gather(In x, int64_t dim, const Var& index) { return record(Gather{dim, index.value()}, x); }
Var scatter_add(In x, int64_t dim, const Var& index, In src) {
  return record(ScatterAdd{dim, index.value()}, x, src);
}
Var index_select(In x, int64_t dim, const Var& index) {
  if (x->ndim() == 0 && index.ndim() == 1 && index.numel() == 1) {
    normalize_dim("index_select", dim, 0);
    return reshape(index_select(reshape(x, {1}), 0, index), {});
  }
  return record(IndexSelect{dim, index.value()}, x);
}

// A mask along dim, so that a place filled twice counts once.
Var index_fill(In x, int64_t dim, const Var& index, In value) {
  const int d = normalize_dim("index_fill", dim, x->ndim());
  if (index.ndim() != 1 || x->ndim() == 0)
    fail("index_fill", "needs a 1-d index and at least one dimension", "index ", index.shape(),
         ", tensor ", x->shape());
  if (value.var && value.var->numel() != 1)
    fail("index_fill", "needs one value", "got ", value.var->shape());
  Tensor hits = Tensor::zeros({x->size(d)}, kInt64);
  index_add_(hits, 0, index.value(), Tensor::ones({index.numel()}, kInt64));
  Shape along;
  for (int i = 0; i < x->ndim(); ++i) along.push_back(i == d ? x->size(d) : 1);
  const Var mask = ne(Var(hits.reshape(along)), 0.0);
  return where(In(mask, x.where.file, x.where.line), value, x);
}

namespace {

// 1 / how often each id stands among ids (1-d).
Tensor frequency_shares(const Tensor& ids) {
  const std::vector<int64_t> all = ids.to_vector<int64_t>();
  std::map<int64_t, double> count;
  for (int64_t id : all) ++count[id];
  std::vector<double> shares;
  for (int64_t id : all) shares.push_back(1 / count[id]);
  return Tensor::from(shares, {ids.numel(), 1});
}

}  // namespace

Var embedding(const Var& ids, In weight, int64_t padding_idx, bool scale_grad_by_freq) {
  if (weight->ndim() != 2)
    fail("embedding", "weight must be [num_embeddings, dim]", weight->shape());
  if (padding_idx >= weight->size(0))
    fail("embedding", "padding_idx out of range", padding_idx, ", table has ", weight->size(0),
         " rows");
  Shape shape = ids.shape();
  shape.push_back(weight->size(1));
  const Tensor flat = ids.value().reshape({ids.numel()});
  const Tensor shares = scale_grad_by_freq ? frequency_shares(flat) : Tensor();
  return record(Embedding{flat, shape, padding_idx, shares}, weight);
}

namespace {

using Columns = std::vector<Numbers>;

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
                      {.label = "nothing to fill",
                       .inputs = {{{2}}, ints({0}, 0, 1)},
                       .f = [](const Vars& v) { return Vars{index_fill(v[0], 0, v[1], 5)}; },
                       .reference = [](const Columns& x) { return x[0]; }}},
          .errors = {{"beyond", [] { index_fill(ones({3}), 0, index_of({3}), 1); },
                      "3, should be in [0, 2]"},
                     {"two values", [] { index_fill(ones({3}), 0, index_of({0}), ones({2})); },
                      "needs one value: got [2]"}}};
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
