#include "nn/embedding.h"

#include "nn/init.h"
#include "nn/table.h"

namespace glass {

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
           .notes = "The gradient of the row padding_idx is 0 by definition.",
           .samples = {{"repeated ids", {ints({2, 3}, 0, 4), {{4, 3}}}, plain},
                       {"one id", {ints({}, 0, 4), {{4, 3}}}, plain},
                       {"no ids", {ints({0}, 0, 4), {{4, 3}}}, plain},
                       {"padding not met", {ints({5}, 1, 4), {{4, 3}}}, padded}},
           .errors = {{"id behind the table", [=] { look_up(3); }, "3"},
                      {"negative id", [=] { look_up(-1); }, "-1"}}}};
}

}  // namespace glass
