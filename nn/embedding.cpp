#include "nn/embedding.h"

#include "autograd/op.h"
#include "nn/init.h"
#include "nn/samples.h"
#include "nn/table.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// y = x, dx = dy·factor: deliberately not the derivative.
struct ScaleGradient {
  static constexpr const char* name = "scale_gradient";
  Tensor factor;
  Tensor forward(const Tensor& x) const { return x; }
  void backward(Backward& b, const Saved&) const { b.add(0, b.grad() * Var(factor)); }
};

// One over how often each id is there: [..., 1].
Tensor inverse_counts(const Tensor& ids, int64_t rows, DType dtype) {
  const Tensor flat = ids.reshape({ids.numel()});
  const Tensor counts = Tensor::zeros({rows}, dtype);
  index_add_(counts, 0, flat, Tensor::ones(flat.shape(), dtype));
  return (Tensor::ones(flat.shape(), dtype) / index_select(counts, 0, flat))
      .reshape(ids.shape())
      .unsqueeze(-1);
}

}  // namespace

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, int64_t padding,
                     Generator& generator)
    : padding_idx(padding) {
  if (num_embeddings < 0 || embedding_dim < 0)
    fail("Embedding", "sizes must not be negative", num_embeddings, " and ", embedding_dim);
  if (padding < -1 || padding >= num_embeddings)
    fail("Embedding", "padding_idx is no row of the table", padding, " of ", num_embeddings,
         " rows; -1 means none");
  weight = parameter(Tensor::zeros({num_embeddings, embedding_dim}));
  normal_(weight, 0, 1, generator);
  if (padding >= 0) weight.value().select(0, padding).zero_();
}

Embedding Embedding::from(Var weight, int64_t padding_idx) {
  if (weight.ndim() != 2)
    fail("Embedding", "weight must be [num_embeddings, embedding_dim]", weight.shape());
  if (padding_idx < -1 || padding_idx >= weight.size(0))
    fail("Embedding", "padding_idx is no row of the table", padding_idx, " of ", weight.size(0),
         " rows; -1 means none");
  Embedding layer;
  layer.weight = std::move(weight);
  layer.padding_idx = padding_idx;
  return layer;
}

Var Embedding::operator()(const Var& ids) const {
  const Var y = embedding(ids, weight, padding_idx);
  if (!scale_grad_by_freq || ids.numel() == 0) return y;
  return record(ScaleGradient{inverse_counts(ids.value(), weight.size(0), weight.dtype())}, In(y));
}

void Embedding::visit(Visitor& v) { v("weight", weight); }

std::vector<Entry> embedding_entries() {
  const auto plain = [](const Vars& in) { return Vars{Embedding::from(in[1])(in[0])}; };
  const auto padded = [](const Vars& in) { return Vars{Embedding::from(in[1], 0)(in[0])}; };
  const auto look_up = [](int64_t id) {
    Generator g;
    Embedding(3, 2, -1, g)(Var(Tensor::from<int64_t>({id})));
  };
  return {{.name = "Embedding",
           .kind = EntryKind::layer,
           .formula = "y = weight[ids]",
           .gradient = "dweight[id] = Σ dy over all places of id",
           .notes = "The gradient of the row padding_idx is 0 by definition, and with "
                    "scale_grad_by_freq each row's is divided by how often it was named.",
           .samples = {{"repeated ids", {ints({2, 3}, 0, 4), {{4, 3}}}, plain},
                       {"one id", {ints({}, 0, 4), {{4, 3}}}, plain},
                       {"no ids", {ints({0}, 0, 4), {{4, 3}}}, plain},
                       {"padding not met", {ints({5}, 1, 4), {{4, 3}}}, padded}},
           .errors = {{"id behind the table", [=] { look_up(3); }, "3"},
                      {"negative id", [=] { look_up(-1); }, "-1"}},
           .replay = [](Replay& r) {
             Generator g;
             const int64_t rows = r.integer("num_embeddings");
             int64_t padding = -1;
             if (r.has("padding_idx")) padding = r.integer("padding_idx");
             if (r.has("padding_idx") && padding < 0) padding += rows;
             Embedding table(rows, r.integer("embedding_dim"), padding, g);
             table.scale_grad_by_freq = r.flag("scale_grad_by_freq", false);
             return replay_module(r, std::move(table),
                                  [&](Embedding& layer) { return Vars{layer(r["input"])}; });
           }}};
}

}  // namespace glass
