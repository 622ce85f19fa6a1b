#pragma once

#include "models/report/attention_map.h"

namespace glass::tests {

/// Three English words and the Chinese words written from them.
AttentionMap tom_chases_jerry();

/// `columns` letters a b c …, `rows` digits 0 1 2 …; weight (r, c) is (r + 1) / (r + c + 2).
AttentionMap letters(size_t rows, size_t columns);

/// Words that break pages, weights that break scales.
AttentionMap hostile();

}  // namespace glass::tests
