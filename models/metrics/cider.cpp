#include "models/metrics/cider.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "models/metrics/ngrams.h"

namespace glass {
namespace {

constexpr size_t kOrders = 4;
constexpr double kSigma = 6;

// A caption as one weighted vector per order.
struct Vectors {
  std::array<NgramMap<double>, kOrders> weights;
  std::array<double, kOrders> norms{};
  double bigrams = 0;
};

// In how many images the references hold an n-gram, of every order.
NgramCounts document_frequencies(const std::vector<std::vector<TokenList>>& references) {
  NgramCounts frequencies;
  for (const std::vector<TokenList>& captions : references) {
    std::set<Ngram, NgramLess> here;
    for (const TokenList& caption : captions)
      for (size_t n = 1; n <= kOrders; ++n)
        for (const auto& [ngram, count] : ngram_counts(caption, n)) here.insert(ngram);
    for (const Ngram& ngram : here) ++frequencies[ngram];
  }
  return frequencies;
}

Vectors vectors(const TokenList& caption, const NgramCounts& frequencies, double log_images) {
  Vectors v;
  for (size_t n = 0; n < kOrders; ++n) {
    double square = 0;
    for (const auto& [ngram, count] : ngram_counts(caption, n + 1)) {
      const auto found = frequencies.find(ngram);
      const double log_frequency =
          found == frequencies.end() ? 0 : std::log(static_cast<double>(found->second));
      const double weight = static_cast<double>(count) * (log_images - log_frequency);
      v.weights[n][ngram] = weight;
      square += weight * weight;
      if (n == 1) v.bigrams += static_cast<double>(count);
    }
    v.norms[n] = std::sqrt(square);
  }
  return v;
}

double similarity(const Vectors& hypothesis, const Vectors& reference, CiderKind kind) {
  double sum = 0;
  for (size_t n = 0; n < kOrders; ++n) {
    const double norms = hypothesis.norms[n] * reference.norms[n];
    if (norms == 0) continue;
    double product = 0;
    for (const auto& [ngram, weight] : hypothesis.weights[n]) {
      const auto found = reference.weights[n].find(ngram);
      if (found == reference.weights[n].end()) continue;
      product += (kind == CiderKind::d ? std::min(weight, found->second) : weight) * found->second;
    }
    sum += product / norms;
  }
  const double delta = hypothesis.bigrams - reference.bigrams;
  const double penalty =
      kind == CiderKind::d ? std::exp(-delta * delta / (2 * kSigma * kSigma)) : 1;
  return penalty * sum / kOrders;
}

}  // namespace

Cider cider(const std::vector<TokenList>& hypotheses,
            const std::vector<std::vector<TokenList>>& references, CiderKind kind) {
  check_references("cider", hypotheses, references);
  const NgramCounts frequencies = document_frequencies(references);
  const double log_images = std::log(static_cast<double>(references.size()));
  Cider result;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Vectors hypothesis = vectors(hypotheses[i], frequencies, log_images);
    double sum = 0;
    for (const TokenList& reference : references[i])
      sum += similarity(hypothesis, vectors(reference, frequencies, log_images), kind);
    result.per_image.push_back(10 * sum / static_cast<double>(references[i].size()));
    result.value += result.per_image.back() / static_cast<double>(hypotheses.size());
  }
  if (hypotheses.size() == 1)
    result.warning = "CIDEr weighs n-grams by how rare they are among images; of one image it is 0";
  return result;
}

}  // namespace glass
