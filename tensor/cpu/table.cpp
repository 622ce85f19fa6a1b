#include "tensor/cpu/kernels.h"

namespace glass {

const Kernels& cpu_kernels() {
  static constexpr Kernels table{
      .fill = cpu::fill,
      .copy = cpu::copy,
      .reduce = cpu::reduce,
      .arg_extreme = cpu::arg_extreme,
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
      .scan = cpu::scan,
      .cumprod_backward = cpu::cumprod_backward,
      .dropout = cpu::dropout,
      .lstm_step = cpu::lstm_step,
      .lstm_step_backward = cpu::lstm_step_backward,
      .gru_step = cpu::gru_step,
      .gru_step_backward = cpu::gru_step_backward,
      .masked_softmax = cpu::masked_softmax,
      .masked_softmax_backward = cpu::masked_softmax_backward,
      .additive_attention = cpu::additive_attention,
      .additive_attention_backward = cpu::additive_attention_backward,
      .chunked_attention = cpu::chunked_attention,
      .chunked_attention_backward = cpu::chunked_attention_backward,
      .any_query = cpu::any_query,
      .window_scores = cpu::window_scores,
      .window_sum = cpu::window_sum,
      .window_outer = cpu::window_outer,
      .window_gather = cpu::window_gather,
      .window_scatter = cpu::window_scatter,
      .monotonic_attention = cpu::monotonic_attention,
      .monotonic_attention_backward = cpu::monotonic_attention_backward,
      .cross_entropy = cpu::cross_entropy,
      .cross_entropy_backward = cpu::cross_entropy_backward,
      .convolution = cpu::convolution,
      .convolution_input = cpu::convolution_input,
      .convolution_weight = cpu::convolution_weight,
      .max_pool = cpu::max_pool,
      .avg_pool = cpu::avg_pool,
      .avg_pool_backward = cpu::avg_pool_backward,
      .normalize = cpu::normalize,
      .normalize_backward = cpu::normalize_backward,
      .sgd_step = cpu::sgd_step,
      .adam_step = cpu::adam_step,
      .power_sum = cpu::power_sum,
  };
  return table;
}

}  // namespace glass
