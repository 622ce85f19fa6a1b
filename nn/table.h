#pragma once

#include <vector>

#include "autograd/registry.h"

namespace glass {

// One function per file of nn/ with layers.
[[gnu::cold]] std::vector<Entry> linear_entries();
[[gnu::cold]] std::vector<Entry> embedding_entries();
[[gnu::cold]] std::vector<Entry> dropout_entries();
[[gnu::cold]] std::vector<Entry> loss_entries();
[[gnu::cold]] std::vector<Entry> lstm_entries();
[[gnu::cold]] std::vector<Entry> gru_entries();
[[gnu::cold]] std::vector<Entry> attention_entries();
[[gnu::cold]] std::vector<Entry> attention_loss_entries();
[[gnu::cold]] std::vector<Entry> kernel_pooling_entries();
[[gnu::cold]] std::vector<Entry> layer_norm_entries();
[[gnu::cold]] std::vector<Entry> group_norm_entries();
[[gnu::cold]] std::vector<Entry> batch_norm_entries();
[[gnu::cold]] std::vector<Entry> instance_norm_entries();
[[gnu::cold]] std::vector<Entry> convolution_entries();
[[gnu::cold]] std::vector<Entry> pooling_entries();
[[gnu::cold]] std::vector<Entry> prelu_entries();
[[gnu::cold]] std::vector<Entry> bilinear_entries();
[[gnu::cold]] std::vector<Entry> elman_entries();
[[gnu::cold]] std::vector<Entry> multihead_attention_entries();
[[gnu::cold]] std::vector<Entry> transformer_entries();

/// The tables of nn/, joined.
const std::vector<Entry>& nn_entries();

}  // namespace glass
