#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "models/metrics/references.h"

namespace glass {

/// Neighbouring tokens of a list, seen in place: valid while the list lives and stays as it is.
using Ngram = std::span<const std::string>;

struct NgramLess {
  bool operator()(Ngram a, Ngram b) const;
};

template <class Value>
using NgramMap = std::map<Ngram, Value, NgramLess>;
using NgramCounts = NgramMap<int64_t>;

/// How often each n-gram of this order occurs. Empty where there are fewer tokens.
NgramCounts ngram_counts(const TokenList& tokens, size_t order);
NgramCounts ngram_counts(TokenList&&, size_t) = delete;

/// The n-grams in all, repeated ones counted.
int64_t total(const NgramCounts& counts);

/// The n-grams that both have, each as often as in the one that has it less often.
int64_t common(const NgramCounts& a, const NgramCounts& b);

}  // namespace glass
