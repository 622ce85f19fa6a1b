#pragma once

#include <vector>

#include "autograd/registry.h"

namespace glass {

// One table per family, at the end of its file. Cold: not worth the time to optimise.
[[gnu::cold]] std::vector<Entry> arithmetic_ops();
[[gnu::cold]] std::vector<Entry> comparison_ops();
[[gnu::cold]] std::vector<Entry> activation_ops();
[[gnu::cold]] std::vector<Entry> reduction_ops();
[[gnu::cold]] std::vector<Entry> softmax_ops();
[[gnu::cold]] std::vector<Entry> scan_ops();
[[gnu::cold]] std::vector<Entry> shape_ops();
[[gnu::cold]] std::vector<Entry> part_ops();
[[gnu::cold]] std::vector<Entry> matmul_ops();
[[gnu::cold]] std::vector<Entry> convolution_ops();
[[gnu::cold]] std::vector<Entry> pooling_ops();
[[gnu::cold]] std::vector<Entry> normalization_ops();
[[gnu::cold]] std::vector<Entry> indexing_ops();
[[gnu::cold]] std::vector<Entry> dropout_ops();
[[gnu::cold]] std::vector<Entry> cross_entropy_ops();
[[gnu::cold]] std::vector<Entry> loss_ops();
[[gnu::cold]] std::vector<Entry> linalg_ops();
[[gnu::cold]] std::vector<Entry> statistics_ops();
[[gnu::cold]] std::vector<Entry> rearrange_ops();
[[gnu::cold]] std::vector<Entry> order_ops();
[[gnu::cold]] std::vector<Entry> pad_ops();
[[gnu::cold]] std::vector<Entry> getitem_ops();
[[gnu::cold]] std::vector<Entry> gated_ops();
[[gnu::cold]] std::vector<Entry> divergence_ops();
[[gnu::cold]] std::vector<Entry> distance_ops();
[[gnu::cold]] std::vector<Entry> lstm_ops();
[[gnu::cold]] std::vector<Entry> gru_ops();
[[gnu::cold]] std::vector<Entry> attention_ops();
[[gnu::cold]] std::vector<Entry> window_ops();
[[gnu::cold]] std::vector<Entry> monotonic_ops();
[[gnu::cold]] std::vector<Entry> chunked_ops();

}  // namespace glass
