#include "models/metrics/chrf.h"

#include <cmath>

#include "models/metrics/ngrams.h"
#include "models/text/tokens.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

// Of one order: the n-grams of hypotheses and references and those they share.
struct Counts {
  int64_t hypothesis = 0, reference = 0, shared = 0;
};

bool is_mark(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

TokenList words_and_marks(const std::string& line) {
  TokenList words;
  for (const std::string& word : tokenise(line, Tokens::split)) {
    if (word.size() > 1 && is_mark(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_mark(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

// A line as the n-grams of each order: characters first, then words.
class Line {
 public:
  Line(const std::string& line, const ChrfOptions& options)
      : characters_(without_blanks(characters(line))), words_(words_and_marks(line)) {
    for (int64_t n = 1; n <= options.char_order; ++n)
      grams.push_back(ngram_counts(characters_, static_cast<size_t>(n)));
    for (int64_t n = 1; n <= options.word_order; ++n)
      grams.push_back(ngram_counts(words_, static_cast<size_t>(n)));
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  std::vector<NgramCounts> grams;  // they point into the lists below

 private:
  TokenList characters_, words_;
};

std::vector<Counts> compare(const Line& hypothesis, const Line& reference) {
  std::vector<Counts> counts;
  for (size_t n = 0; n < hypothesis.grams.size(); ++n) {
    const int64_t there = total(reference.grams[n]);
    // What a reference is too short to hold is no mistake of the hypothesis.
    counts.push_back({there > 0 ? total(hypothesis.grams[n]) : 0, there,
                      common(hypothesis.grams[n], reference.grams[n])});
  }
  return counts;
}

double f_score(const std::vector<Counts>& counts, double beta) {
  double precision = 0, recall = 0, orders = 0;
  for (const Counts& c : counts) {
    if (c.hypothesis == 0 || c.reference == 0) continue;
    precision += static_cast<double>(c.shared) / static_cast<double>(c.hypothesis);
    recall += static_cast<double>(c.shared) / static_cast<double>(c.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  const double weight = beta * beta;
  return (1 + weight) * precision * recall / (weight * precision + recall);
}

}  // namespace

Chrf corpus_chrf(const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references,
                 const ChrfOptions& options) {
  check_references("corpus_chrf", hypotheses, references);
  if (options.char_order < 0 || options.word_order < 0 ||
      options.char_order + options.word_order == 0)
    fail("corpus_chrf", "orders must be at least 0, and one of them 1", options.char_order, " and ",
         options.word_order);
  if (!(options.beta > 0 && std::isfinite(options.beta)))
    fail("corpus_chrf", "beta must be positive", options.beta);
  std::vector<Counts> sum(static_cast<size_t>(options.char_order + options.word_order));
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const Line hypothesis(hypotheses[i], options);
    std::vector<Counts> best;
    double best_f = -1;
    for (const std::string& reference : references[i]) {
      std::vector<Counts> counts = compare(hypothesis, Line(reference, options));
      const double f = f_score(counts, options.beta);
      if (f > best_f) {
        best_f = f;
        best = std::move(counts);
      }
    }
    for (size_t n = 0; n < sum.size(); ++n) {
      sum[n].hypothesis += best[n].hypothesis;
      sum[n].reference += best[n].reference;
      sum[n].shared += best[n].shared;
    }
  }
  return {f_score(sum, options.beta),
          text(signature_start(references, options.lower), "|eff:yes|nc:", options.char_order,
               "|nw:", options.word_order, "|space:no",
               options.beta == 2 ? "" : text("|beta:", options.beta))};
}

}  // namespace glass
