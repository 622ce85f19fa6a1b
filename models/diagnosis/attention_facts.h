#pragma once

#include <vector>

#include "models/diagnosis/facts.h"
#include "nn/attention/recorder.h"

namespace glass {

/// What every recorded layer does. lengths of the batch's sentences; empty: nothing is padding. A
/// layer attends from the target to the source, unless its path names an encoder or self_attn.
std::vector<AttentionFact> attention_facts(const AttentionRecorder& recorder,
                                           const BatchLengths& lengths);

/// Of one layer's weights [B, H, T, S]. Queries and keys behind a row's length are padding (empty:
/// there is none); causal: query t could read keys 0 … t.
AttentionFact attention_fact(const Tensor& weights, const std::vector<int64_t>& query_lengths,
                             const std::vector<int64_t>& key_lengths, bool causal);

}  // namespace glass
