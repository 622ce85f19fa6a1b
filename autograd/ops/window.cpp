#include "autograd/ops/window.h"

#include "autograd/op.h"
#include "autograd/ops/shape.h"
#include "tensor/kernels.h"

namespace glass {
namespace {

// As the kernels read keys and values.
Tensor with_dense_rows(const Tensor& x) {
  return x.shape()[2] <= 1 || x.strides()[2] == 1 ? x : x.contiguous();
}

// dkeys += the outer products, in place where that is allowed.
void add_outer(Backward& b, size_t i, const Var& weights, const Var& query, const Tensor& start,
               int64_t keys) {
  if (!b.needs(i)) return;
  if (b.create_graph()) return b.add(i, window_outer(weights, query, start, keys));
  kernels(start).window_outer(weights.value().contiguous(), query.value().contiguous(), start,
                              b.accumulator(i));
}

struct WindowScores {
  static constexpr const char* name = "window_scores";
  static constexpr Keep keep{.inputs = 0b11};
  Tensor start;
  int64_t window;
  Tensor forward(const Tensor& query, const Tensor& keys) const {
    const Tensor y = Tensor::empty({query.size(0), query.size(1), window}, query.dtype());
    kernels(y).window_scores(query.contiguous(), with_dense_rows(keys), start, y);
    return y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var& keys = saved.input(1);
    if (b.needs(0)) b.add(0, window_sum(b.grad(), keys, start));
    add_outer(b, 1, b.grad(), saved.input(0), start, keys.size(1));
  }
};

struct WindowSum {
  static constexpr const char* name = "window_sum";
  static constexpr Keep keep{.inputs = 0b11};
  Tensor start;
  Tensor forward(const Tensor& weights, const Tensor& values) const {
    const Tensor y =
        Tensor::empty({weights.size(0), weights.size(1), values.size(2)}, values.dtype());
    kernels(y).window_sum(weights.contiguous(), with_dense_rows(values), start, y);
    return y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var &weights = saved.input(0), &values = saved.input(1);
    if (b.needs(0)) b.add(0, window_scores(b.grad(), values, start, weights.size(2)));
    add_outer(b, 1, weights, b.grad(), start, values.size(1));
  }
};

struct WindowOuter {
  static constexpr const char* name = "window_outer";
  static constexpr Keep keep{.inputs = 0b11};
  Tensor start;
  int64_t keys;
  Tensor forward(const Tensor& weights, const Tensor& query) const {
    const Tensor y = Tensor::zeros({query.size(0), keys, query.size(2)}, query.dtype());
    kernels(y).window_outer(weights.contiguous(), query.contiguous(), start, y);
    return y;
  }
  void backward(Backward& b, const Saved& saved) const {
    const Var &weights = saved.input(0), &query = saved.input(1);
    if (b.needs(0)) b.add(0, window_scores(query, b.grad(), start, weights.size(2)));
    if (b.needs(1)) b.add(1, window_sum(weights, b.grad(), start));
  }
};

struct WindowGather {
  static constexpr const char* name = "window_gather";
  Tensor start;
  int64_t window;
  int64_t keys = 0;
  Tensor forward(const Tensor& x) {
    keys = x.size(1);
    const Tensor y = Tensor::empty({start.size(0), start.size(1), window, x.size(2)}, x.dtype());
    kernels(y).window_gather(with_dense_rows(x), start, y);
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    if (b.create_graph()) return b.add(0, window_scatter(b.grad(), start, keys));
    kernels(start).window_scatter(b.grad().value().contiguous(), start, b.accumulator(0));
  }
};

struct WindowScatter {
  static constexpr const char* name = "window_scatter";
  Tensor start;
  int64_t keys;
  int64_t window = 0;
  Tensor forward(const Tensor& windows) {
    window = windows.size(2);
    const Tensor y = Tensor::zeros({start.size(0), keys, windows.size(3)}, windows.dtype());
    kernels(y).window_scatter(windows.contiguous(), start, y);
    return y;
  }
  void backward(Backward& b, const Saved&) const {
    b.add(0, window_gather(b.grad(), start, window));
  }
};

// The window starts, dense. rows: [N, T, ...].
Tensor checked_start(const char* op, const Tensor& start, const Shape& rows) {
  if (start.defined() && start.dtype() != kInt64)
    fail(op, "start must be int64", "got ", name_of(start.dtype()));
  if (!start.defined() || !(start.shape() == Shape{rows[0], rows[1]}))
    fail(op, "needs one start per query", start.shape(), ", should be ", Shape{rows[0], rows[1]});
  return start.contiguous();
}

void check_count(const char* op, const char* what, int64_t count) {
  if (count < 0) fail(op, "sizes are not negative", what, " ", count);
}

bool same_batch(const Var& a, const Var& b) {
  return a.ndim() == 3 && b.ndim() == 3 && a.size(0) == b.size(0);
}

}  // namespace

Var window_scores(In query, In keys, const Tensor& start, int64_t window) {
  const char* op = WindowScores::name;
  if (!same_batch(*query, *keys) || query->size(2) != keys->size(2))
    fail(op, "needs query [N, T, A], keys [N, S, A]", query->shape(), ", ", keys->shape());
  check_same_dtype(op, query->dtype(), keys->dtype());
  check_count(op, "window", window);
  return record(WindowScores{checked_start(op, start, query->shape()), window}, query, keys);
}

Var window_sum(In weights, In values, const Tensor& start) {
  const char* op = WindowSum::name;
  if (!same_batch(*weights, *values))
    fail(op, "needs weights [N, T, W], values [N, S, K]", weights->shape(), ", ", values->shape());
  check_same_dtype(op, weights->dtype(), values->dtype());
  return record(WindowSum{checked_start(op, start, weights->shape())}, weights, values);
}

Var window_outer(In weights, In query, const Tensor& start, int64_t keys) {
  const char* op = WindowOuter::name;
  if (!same_batch(*weights, *query) || weights->size(1) != query->size(1))
    fail(op, "needs weights [N, T, W], query [N, T, A]", weights->shape(), ", ", query->shape());
  check_same_dtype(op, weights->dtype(), query->dtype());
  check_count(op, "keys", keys);
  return record(WindowOuter{checked_start(op, start, query->shape()), keys}, weights, query);
}

Var window_gather(In keys, const Tensor& start, int64_t window) {
  const char* op = WindowGather::name;
  if (keys->ndim() != 3) fail(op, "needs keys [N, S, A]", keys->shape());
  check_count(op, "window", window);
  const Shape rows{keys->size(0), start.ndim() == 2 ? start.size(1) : 0};
  return record(WindowGather{checked_start(op, start, rows), window}, keys);
}

Var window_scatter(In windows, const Tensor& start, int64_t keys) {
  const char* op = WindowScatter::name;
  if (windows->ndim() != 4) fail(op, "needs windows [N, T, W, A]", windows->shape());
  check_count(op, "keys", keys);
  return record(WindowScatter{checked_start(op, start, windows->shape()), keys}, windows);
}

// Every query is a batch row of its own, with one feature.
Var window_dense(In weights, const Tensor& start, int64_t keys) {
  const char* op = "window_dense";
  if (weights->ndim() != 3) fail(op, "needs weights [N, T, W]", weights->shape());
  check_count(op, "keys", keys);
  const Tensor first = checked_start(op, start, weights->shape());
  const int64_t N = weights->size(0), T = weights->size(1), W = weights->size(2);
  const Var rows = reshape(weights, {N * T, 1, W, 1});
  return reshape(window_scatter(In(rows, weights.where.file, weights.where.line),
                                first.reshape({N * T, 1}), keys),
                 {N, T, keys});
}

}  // namespace glass
