#include "autograd/ops/indexing.h"

#include "autograd/op.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/shape.h"
#include "tensor/ops.h"

namespace glass {
namespace {

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

struct IndexAdd {  // zeros of a shape with src added at index; for the backward of IndexSelect
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
    b.add(0, record(IndexAdd{dim, index, from}, In(b.grad())));
  }
};

}  // namespace

Var gather(In x, int64_t dim, const Var& index) { return record(Gather{dim, index.value()}, x); }
Var scatter_add(In x, int64_t dim, const Var& index, In src) {
  return record(ScatterAdd{dim, index.value()}, x, src);
}
Var index_select(In x, int64_t dim, const Var& index) {
  return record(IndexSelect{dim, index.value()}, x);
}

namespace {

// As IndexSelect along rows, but ids of any shape, and padding's row stays without gradient.
struct Embedding {
  static constexpr const char* name = "embedding";
  Tensor ids;
  int64_t padding_idx;
  Shape from{};
  Tensor forward(const Tensor& weight) {
    from = weight.shape();
    Shape shape = ids.shape();
    shape.push_back(weight.size(1));
    return index_select(weight, 0, ids.reshape({ids.numel()})).reshape(shape);
  }
  void backward(Backward& b, const Saved&) const {
    const Var flat_ids(ids.reshape({ids.numel()}));
    Var dy = reshape(b.grad(), {ids.numel(), from[1]});
    if (padding_idx >= 0) {
      const Var padding = eq(unsqueeze(flat_ids, 1), static_cast<double>(padding_idx));
      dy = masked_fill(dy, padding, 0);
    }
    b.add(0, record(IndexAdd{0, flat_ids.value(), from}, In(dy)));
  }
};

}  // namespace

Var embedding(const Var& ids, In weight, int64_t padding_idx) {
  if (weight->ndim() != 2)
    fail("embedding", "weight must be [num_embeddings, dim]", weight->shape());
  if (padding_idx >= weight->size(0))
    fail("embedding", "padding_idx out of range", padding_idx, ", table has ", weight->size(0),
         " rows");
  return record(Embedding{ids.value().contiguous(), padding_idx}, weight);
}

}  // namespace glass
