#pragma once

#include "nn/module.h"

namespace glass {

/// A row of weight for every id. The row padding_idx (-1: none) starts as 0 and gets no gradient.
class Embedding : public Module {
 public:
  /// Weight from N(0, 1).
  Embedding(int64_t num_embeddings, int64_t embedding_dim, int64_t padding_idx,
            Generator& generator);
  /// A layer over a given table [num_embeddings, embedding_dim].
  static Embedding from(Var weight, int64_t padding_idx = -1);
  void visit(Visitor& v) override;

  /// ids: int64 of any shape, each in [0, num_embeddings): [..., embedding_dim].
  Var operator()(const Var& ids) const;

  Var weight;
  int64_t padding_idx = -1;
  bool scale_grad_by_freq = false;  ///< each row's gradient divided by how often ids names it

 private:
  Embedding() = default;
};

}  // namespace glass
