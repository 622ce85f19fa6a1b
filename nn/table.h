#pragma once

#include <vector>

#include "autograd/registry.h"

namespace glass {

// One function per file of nn/ with layers.
std::vector<Entry> linear_entries();
std::vector<Entry> embedding_entries();
std::vector<Entry> dropout_entries();
std::vector<Entry> loss_entries();
std::vector<Entry> lstm_entries();
std::vector<Entry> gru_entries();
std::vector<Entry> attention_entries();

/// The tables of nn/, joined.
const std::vector<Entry>& nn_entries();

}  // namespace glass
