#pragma once

#include <vector>

#include "models/seq2seq/evaluate.h"

namespace glass {

/// The alignment error rate of a model's attention against known links: the answer it should give
/// is forced on it, and each of its tokens is linked to the source token looked at most (heads
/// averaged; a Transformer's last decoder layer). data: sources with one target each, gold in the
/// same order. Throws Error for a model without attention.
double attention_alignment_error_rate(
    Translator& model, const TextCodec& codec, const std::vector<References>& data,
    const std::vector<GoldLinks>& gold, const Poll& poll = [] {});

}  // namespace glass
