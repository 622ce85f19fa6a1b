#include "autograd/ops/indexing.h"

#include <map>

#include "autograd/op.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/shape.h"
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

Var gather(In x, int64_t dim, const Var& index) {
  if (x->ndim() == 0 && index.ndim() == 1) return gather(unsqueeze(x, 0), dim, index);
  return record(Gather{dim, index.value()}, x);
}
Var scatter_add(In x, int64_t dim, const Var& index, In src) {
  if (x->ndim() == 0 && index.ndim() == 1)
    return reshape(scatter_add(unsqueeze(x, 0), dim, index, src), {});
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
  if (x->ndim() == 0 && index.ndim() == 1)
    return reshape(index_fill(unsqueeze(x, 0), dim, index, value), {});
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

}  // namespace glass
