#pragma once

#include <vector>

#include "autograd/registry.h"

namespace glass {

// One table per family, at the end of its file.
std::vector<Entry> arithmetic_ops();
std::vector<Entry> comparison_ops();
std::vector<Entry> activation_ops();
std::vector<Entry> reduction_ops();
std::vector<Entry> softmax_ops();
std::vector<Entry> scan_ops();
std::vector<Entry> shape_ops();
std::vector<Entry> part_ops();
std::vector<Entry> matmul_ops();
std::vector<Entry> indexing_ops();
std::vector<Entry> dropout_ops();
std::vector<Entry> cross_entropy_ops();
std::vector<Entry> loss_ops();
std::vector<Entry> lstm_ops();
std::vector<Entry> gru_ops();
std::vector<Entry> attention_ops();

}  // namespace glass
