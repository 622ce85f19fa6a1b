#include "tensor/cpu/kernels.h"

namespace glass {

const Kernels& cpu_kernels() {
  static constexpr Kernels table{
      .fill = cpu::fill,
      .copy = cpu::copy,
      .reduce = cpu::reduce,
      .argmax = cpu::argmax,
      .all_finite = cpu::all_finite,
      .rows = cpu::rows,
      .rows_backward = cpu::rows_backward,
      .logsumexp = cpu::logsumexp,
      .gemm = cpu::gemm,
      .gemm_batched = cpu::gemm_batched,
      .index_select = cpu::index_select,
      .index_add = cpu::index_add,
      .gather = cpu::gather,
      .scatter_add = cpu::scatter_add,
  };
  return table;
}

}  // namespace glass
