#include "tensor/pointwise.h"

#include <algorithm>

#include "tensor/parallel.h"

namespace glass {
namespace {

constexpr int kMaxOperands = 6;
constexpr int64_t kGrain = 16384;  // elements per thread below which waking it costs more

// Shape and byte strides of all operands, neighbouring axes merged where every operand allows it.
struct Layout {
  int operands = 0, ndim = 0;
  int64_t size[kMaxDims];
  int64_t stride[kMaxOperands][kMaxDims];  // in bytes
  std::byte* base[kMaxOperands];
  size_t item[kMaxOperands];

  void add(const Tensor& x) {
    base[operands] = static_cast<std::byte*>(x.raw());
    item[operands] = size_of(x.dtype());
    for (int i = 0; i < x.ndim(); ++i)
      stride[operands][i] = x.strides()[i] * static_cast<int64_t>(size_of(x.dtype()));
    ++operands;
  }

  void merge_axes(const Shape& shape) {
    for (int axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 1) continue;
      bool joins = ndim > 0;
      for (int k = 0; joins && k < operands; ++k)
        joins = stride[k][ndim - 1] == stride[k][axis] * shape[axis];
      const int to = joins ? ndim - 1 : ndim++;
      size[to] = joins ? size[to] * shape[axis] : shape[axis];
      for (int k = 0; k < operands; ++k) stride[k][to] = stride[k][axis];
    }
    if (ndim == 0) {
      ndim = 1;
      size[0] = 1;
      for (int k = 0; k < operands; ++k) stride[k][0] = static_cast<int64_t>(item[k]);
    }
  }
};

// All operands dense and of one shape: a single row, or parts of it for the threads.
void run_dense(const Tensor& out, std::initializer_list<const Tensor*> inputs, RowFn row,
               const void* op) {
  constexpr int64_t unit[kMaxOperands] = {1, 1, 1, 1, 1, 1};
  std::byte* base[kMaxOperands];
  int operands = 0;
  base[operands++] = static_cast<std::byte*>(out.raw());
  for (const Tensor* x : inputs) base[operands++] = static_cast<std::byte*>(x->raw());
  if (out.numel() <= kGrain) return row(op, out.numel(), base, unit);
  parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
    std::byte* data[kMaxOperands];
    data[0] = base[0] + begin * static_cast<int64_t>(size_of(out.dtype()));
    int k = 1;
    for (const Tensor* x : inputs) {
      data[k] = base[k] + begin * static_cast<int64_t>(size_of(x->dtype()));
      ++k;
    }
    row(op, end - begin, data, unit);
  });
}

}  // namespace

void run_rows(const Tensor& out, std::initializer_list<const Tensor*> inputs, RowFn row,
              const void* op) {
  bool dense = out.is_contiguous();
  for (const Tensor* x : inputs) {
    if (!x->defined()) fail("pointwise", "an input is undefined");
    dense = dense && x->is_contiguous();
  }
  if (out.numel() == 0) return;
  if (dense) return run_dense(out, inputs, row, op);
  Layout layout;
  layout.add(out);
  for (const Tensor* x : inputs) layout.add(*x);
  const int operands = layout.operands;
  layout.merge_axes(out.shape());
  const int inner = layout.ndim - 1;
  const int64_t length = layout.size[inner], rows = out.numel() / length;
  int64_t strides[kMaxOperands];
  for (int k = 0; k < operands; ++k)
    strides[k] = layout.stride[k][inner] / static_cast<int64_t>(layout.item[k]);

  auto run = [&](int64_t row_begin, int64_t row_end, int64_t begin, int64_t end) {
    for (int64_t r = row_begin; r < row_end; ++r) {
      std::byte* data[kMaxOperands];
      for (int k = 0; k < operands; ++k) data[k] = layout.base[k] + begin * layout.stride[k][inner];
      int64_t rest = r;
      for (int axis = inner - 1; axis >= 0; --axis) {
        const int64_t i = rest % layout.size[axis];
        rest /= layout.size[axis];
        for (int k = 0; k < operands; ++k) data[k] += i * layout.stride[k][axis];
      }
      row(op, end - begin, data, strides);
    }
  };
  if (rows == 1)
    parallel_for(length, kGrain, [&](int64_t begin, int64_t end) { run(0, 1, begin, end); });
  else
    parallel_for(rows, std::max<int64_t>(1, kGrain / length),
                 [&](int64_t begin, int64_t end) { run(begin, end, 0, length); });
}

}  // namespace glass
