#include "models/diagnosis/attention_facts.h"

#include <algorithm>
#include <cmath>

namespace glass {
namespace {

// Sums over queries and what they are divided by.
struct Mean {
  double sum = 0;
  int64_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

struct Sums {
  Mean entropy, padding, spread, top;
};

// One query's weights over the keys that it may read, and those behind them.
void add_query(const float* weights, int64_t keys, int64_t all, Sums& sums) {
  double mass = 0, information = 0, behind = 0, logs = 0, squares = 0;
  int64_t positive = 0;
  for (int64_t j = 0; j < keys; ++j) {
    const double w = weights[j];
    mass += w;
    if (!(w > 0)) continue;
    const double log_w = std::log(w);
    information -= w * log_w;
    logs += log_w;
    squares += log_w * log_w;
    ++positive;
  }
  for (int64_t j = keys; j < all; ++j) behind += weights[j];
  if (all > keys && mass + behind > 0) sums.padding.add(behind / (mass + behind));
  if (keys < 2 || !(mass > 0)) return;
  sums.entropy.add(std::min(1.0, information / std::log(static_cast<double>(keys))));
  // log softmax(e) = e - constant, so the logs of the weights spread as the scores do.
  if (positive < 2) return;
  const double n = static_cast<double>(positive), mean = logs / n;
  sums.spread.add(std::sqrt(std::max(0.0, squares / n - mean * mean)));
}

int64_t length(const std::vector<int64_t>& lengths, int64_t row, int64_t size) {
  return lengths.empty() ? size : std::min(size, lengths[static_cast<size_t>(row)]);
}

bool has(const std::string& path, const char* part) { return path.find(part) != std::string::npos; }

// Lengths that are of these rows and this size; else none.
std::vector<int64_t> fitting(const std::vector<int64_t>& lengths, int64_t rows, int64_t size) {
  const bool fits = static_cast<int64_t>(lengths.size()) == rows && rows > 0 &&
                    *std::max_element(lengths.begin(), lengths.end()) == size;
  return fits ? lengths : std::vector<int64_t>{};
}

}  // namespace

AttentionFact attention_fact(const Tensor& given, const std::vector<int64_t>& query_lengths,
                             const std::vector<int64_t>& key_lengths, bool causal) {
  constexpr int64_t kFewest = 3;  // queries and keys, for one key to stand out
  const Tensor weights = given.to(kFloat32).contiguous();
  const int64_t B = weights.size(0), H = weights.size(1), T = weights.size(2), S = weights.size(3);
  const float* row = weights.data<float>();
  Sums sums;
  std::vector<double> read(static_cast<size_t>(S));  // each key, over all queries
  for (int64_t b = 0; b < B; ++b) {
    const int64_t queries = length(query_lengths, b, T), keys = length(key_lengths, b, S);
    for (int64_t h = 0; h < H; ++h) {
      std::fill(read.begin(), read.end(), 0.0);
      for (int64_t t = 0; t < T; ++t, row += S) {
        if (t >= queries) continue;
        add_query(row, causal ? std::min(keys, t + 1) : keys, S, sums);
        for (int64_t j = 0; j < keys; ++j) read[static_cast<size_t>(j)] += row[j];
      }
      if (queries >= kFewest && keys >= kFewest)
        sums.top.add(*std::max_element(read.begin(), read.end()) / static_cast<double>(queries));
    }
  }
  // Behind a causal mask lies the future, which is no padding.
  return {.layer = {},
          .to_self = causal,
          .entropy = sums.entropy.value(),
          .top_key = sums.top.value(),
          .padding = causal ? 0 : sums.padding.value(),
          .score_spread = sums.spread.value()};
}

std::vector<AttentionFact> attention_facts(const AttentionRecorder& recorder,
                                           const BatchLengths& lengths) {
  std::vector<AttentionFact> facts;
  for (const std::string& layer : recorder.layers()) {
    Tensor weights;
    try {
      weights = recorder.weights(layer);
    } catch (const Error&) {
      continue;  // its calls were of different sizes
    }
    const bool reads_source = has(layer, "encoder"),
               to_self = reads_source || has(layer, "self_attn");
    const auto& from = reads_source ? lengths.source : lengths.target;
    const auto& to = to_self && !reads_source ? lengths.target : lengths.source;
    AttentionFact fact =
        attention_fact(weights, fitting(from, weights.size(0), weights.size(2)),
                       fitting(to, weights.size(0), weights.size(3)), to_self && !reads_source);
    fact.layer = layer;
    fact.to_self = to_self;
    facts.push_back(fact);
  }
  return facts;
}

}  // namespace glass
