#include "models/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "models/metrics/ngrams.h"
#include "tensor/error.h"

namespace glass {
namespace {

// The n-grams of a hypothesis that its references hold, each at most as often as one of them does.
int64_t clipped_matches(const TokenList& hypothesis, const std::vector<TokenList>& references,
                        size_t order) {
  NgramCounts allowed;
  for (const TokenList& reference : references) {
    for (const auto& [ngram, count] : ngram_counts(reference, order)) {
      int64_t& most = allowed[ngram];
      most = std::max(most, count);
    }
  }
  return common(ngram_counts(hypothesis, order), allowed);
}

int64_t closest_length(int64_t length, const std::vector<TokenList>& references) {
  auto best = static_cast<int64_t>(references.front().size());
  for (const TokenList& reference : references) {
    const auto here = static_cast<int64_t>(reference.size());
    const int64_t nearer = std::abs(best - length) - std::abs(here - length);
    if (nearer > 0 || (nearer == 0 && here < best)) best = here;
  }
  return best;
}

double brevity_penalty(double length, double reference_length) {
  if (length >= reference_length) return 1;
  return length == 0 ? 0 : std::exp(1 - reference_length / length);
}

// pycocoevalcap's BLEU: constants against division by zero take the place of all special cases.
double coco_bleu(const std::vector<int64_t>& matches, const std::vector<int64_t>& totals,
                 int64_t length, int64_t reference_length) {
  constexpr double kTiny = 1e-15, kSmall = 1e-9;
  double log_sum = 0;
  for (size_t n = 0; n < matches.size(); ++n)
    log_sum += std::log((static_cast<double>(matches[n]) + kTiny) /
                        (static_cast<double>(totals[n]) + kSmall));
  return brevity_penalty(static_cast<double>(length) + kTiny,
                         static_cast<double>(reference_length) + kSmall) *
         std::exp(log_sum / static_cast<double>(matches.size()));
}

std::string signature(const std::vector<std::vector<TokenList>>& references,
                      const BleuOptions& options) {
  return text(signature_start(references, options.lower),
              "|eff:", options.effective_order ? "yes" : "no", "|tok:", options.tokens,
              "|smooth:", name(options.smoothing),
              usual_value(options.smoothing) > 0 ? text("[", options.value, "]") : "",
              options.max_order == 4 ? "" : text("|order:", options.max_order));
}

void check_options(const BleuOptions& options) {
  if (options.max_order < 1) fail("bleu", "max_order must be at least 1", options.max_order);
  if (usual_value(options.smoothing) > 0 && !(options.value > 0 && std::isfinite(options.value))) {
    fail("bleu", "smoothing value must be positive", options.value);
  }
  if (options.smoothing == Smoothing::coco && options.effective_order)
    fail("bleu", "smoothing coco has no effective order", "it fills every order");
}

}  // namespace

std::string_view name(Smoothing kind) {
  switch (kind) {
    case Smoothing::none:
      return "none";
    case Smoothing::floor:
      return "floor";
    case Smoothing::add_k:
      return "add-k";
    case Smoothing::exp:
      return "exp";
    case Smoothing::coco:
      return "coco";
  }
  fail_bug("name(Smoothing)", "no such kind", static_cast<int>(kind));
}

double usual_value(Smoothing kind) {
  return kind == Smoothing::floor ? 0.1 : kind == Smoothing::add_k ? 1 : 0;
}

double bleu_from_counts(const std::vector<int64_t>& matches, const std::vector<int64_t>& totals,
                        int64_t length, int64_t reference_length, const BleuOptions& options) {
  check_options(options);
  const auto orders = static_cast<size_t>(options.max_order);
  if (matches.size() != orders || totals.size() != orders) {
    fail("bleu_from_counts", "one count per order is needed", matches.size(), " matches and ",
         totals.size(), " totals for ", orders, " orders");
  }
  if (options.smoothing == Smoothing::coco)
    return coco_bleu(matches, totals, length, reference_length);
  if (matches.front() == 0) return 0;
  double log_sum = 0;
  double half = 1;
  size_t used = 0;
  for (; used < orders; ++used) {
    auto matched = static_cast<double>(matches[used]);
    auto total = static_cast<double>(totals[used]);
    if (options.smoothing == Smoothing::add_k && used > 0) {
      matched += options.value;
      total += options.value;
    }
    if (total == 0) break;  // no n-grams of this order, so none of a higher one
    if (matched == 0 && options.smoothing == Smoothing::floor) matched = options.value;
    if (matched == 0 && options.smoothing == Smoothing::exp) matched = half /= 2;
    if (matched == 0) return 0;
    log_sum += std::log(matched / total);
  }
  if (used < orders && !options.effective_order) return 0;
  return brevity_penalty(static_cast<double>(length), static_cast<double>(reference_length)) *
         std::exp(log_sum / static_cast<double>(used));
}

Bleu corpus_bleu(const std::vector<TokenList>& hypotheses,
                 const std::vector<std::vector<TokenList>>& references, BleuOptions options) {
  check_options(options);
  check_references("corpus_bleu", hypotheses, references);
  const auto orders = static_cast<size_t>(options.max_order);
  Bleu bleu;
  bleu.matches.assign(orders, 0);
  bleu.totals.assign(orders, 0);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const auto length = static_cast<int64_t>(hypotheses[i].size());
    bleu.length += length;
    bleu.reference_length += closest_length(length, references[i]);
    for (size_t n = 0; n < orders; ++n) {
      bleu.matches[n] += clipped_matches(hypotheses[i], references[i], n + 1);
      bleu.totals[n] += std::max<int64_t>(length - static_cast<int64_t>(n), 0);
    }
  }
  bleu.brevity =
      brevity_penalty(static_cast<double>(bleu.length), static_cast<double>(bleu.reference_length));
  bleu.value =
      bleu_from_counts(bleu.matches, bleu.totals, bleu.length, bleu.reference_length, options);
  bleu.signature = signature(references, options);
  return bleu;
}

Bleu sentence_bleu(const TokenList& hypothesis, const std::vector<TokenList>& references,
                   BleuOptions options) {
  return corpus_bleu({hypothesis}, {references}, std::move(options));
}

}  // namespace glass
