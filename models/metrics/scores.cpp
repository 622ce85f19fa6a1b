#include "models/metrics/scores.h"

#include <algorithm>

#include "models/metrics/alignment.h"
#include "models/metrics/chrf.h"
#include "models/metrics/cider.h"
#include "models/metrics/error_rate.h"
#include "models/metrics/rouge.h"
#include "models/text/tokens.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

struct TokenSet {
  std::vector<TokenList> hypotheses;
  std::vector<std::vector<TokenList>> references;
};

template <class Cut>
TokenSet cut_lines(const TextSet& set, Cut cut) {
  TokenSet tokens;
  for (size_t i = 0; i < set.hypotheses.size(); ++i) {
    tokens.hypotheses.push_back(cut(set.hypotheses[i]));
    tokens.references.emplace_back();
    for (const std::string& line : set.references[i]) tokens.references.back().push_back(cut(line));
  }
  return tokens;
}

TextSet lower_cased(TextSet set) {
  for (std::string& line : set.hypotheses) line = lower_case(line);
  for (auto& lines : set.references)
    for (std::string& line : lines) line = lower_case(line);
  return set;
}

Measure bleu_measure(const TokenSet& tokens, const BleuOptions& options) {
  const Bleu bleu = corpus_bleu(tokens.hypotheses, tokens.references, options);
  Measure m{"bleu", bleu.value, bleu.signature, {}};
  for (size_t n = 0; n < bleu.matches.size(); ++n) {
    const std::string order = std::to_string(n + 1);
    m.parts.emplace_back("matches_" + order, static_cast<double>(bleu.matches[n]));
    m.parts.emplace_back("totals_" + order, static_cast<double>(bleu.totals[n]));
  }
  m.parts.emplace_back("brevity", bleu.brevity);
  m.parts.emplace_back("length", static_cast<double>(bleu.length));
  m.parts.emplace_back("reference_length", static_cast<double>(bleu.reference_length));
  return m;
}

Measure rouge_measure(const std::string& name, const TokenSet& tokens, const std::string& signature,
                      const SentenceRouge& one) {
  const Rouge rouge = corpus_rouge(tokens.hypotheses, tokens.references, one);
  return {name, rouge.f, signature, {{"precision", rouge.precision}, {"recall", rouge.recall}}};
}

std::vector<Measure> rouge_measures(const TokenSet& tokens, const std::string& signature) {
  std::vector<Measure> measures;
  for (size_t n : {1, 2})
    measures.push_back(rouge_measure(
        "rouge-" + std::to_string(n), tokens, signature,
        [n](const TokenList& h, const std::vector<TokenList>& r) { return rouge_n(h, r, n); }));
  measures.push_back(rouge_measure("rouge-l", tokens, signature, rouge_l));
  return measures;
}

Measure error_measure(const std::string& name, const TokenSet& tokens,
                      const std::string& signature) {
  const SymbolErrors errors = symbol_errors(tokens.hypotheses, tokens.references);
  return {name,
          errors.rate(),
          signature,
          {{"edits", static_cast<double>(errors.edits)},
           {"symbols", static_cast<double>(errors.symbols)}}};
}

Measure cider_measure(const std::string& name, const TokenSet& tokens, const std::string& signature,
                      CiderKind kind) {
  const Cider result = cider(tokens.hypotheses, tokens.references, kind);
  return {name, result.value, signature, {}, result.warning};
}

Measure aer_measure(const TextSet& set) {
  std::vector<Links> found;
  std::vector<GoldLinks> gold;
  for (size_t i = 0; i < set.hypotheses.size(); ++i) {
    if (set.references[i].size() != 1)
      fail("aer", "an alignment has one reference", "got ", set.references[i].size());
    try {
      found.push_back(links(set.hypotheses[i]));
      gold.push_back(gold_links(set.references[i].front()));
    } catch (const Error& e) {
      fail_environment(e.op(), e.relation(), "line ", i + 1, ": ", e.values());
    }
  }
  return {"aer", alignment_error_rate(found, gold), "nrefs:1", {}};
}

const MetricInfo& metric_named(const std::string& name) {
  for (const MetricInfo& info : all_metrics())
    if (info.name == name) return info;
  fail("score", "there is no metric of this name", name);
}

}  // namespace

const std::vector<MetricInfo>& all_metrics() {
  static const std::vector<MetricInfo> all = {
      {"bleu", "BLEU as sacreBLEU computes it", Tokeniser::mteval_13a},
      {"chrf", "chrF: F2 of character n-grams up to 6"},
      {"chrf++", "the same with words and pairs of words"},
      {"rouge", "ROUGE-1, -2 and -L of ROUGE-1.5.5, without stemming"},
      {"rouge-l-caption", "ROUGE-L of caption evaluation (beta = 1.2)", Tokeniser::none},
      {"rouge-l-nmt", "ROUGE-L of TensorFlow's nmt and its kin (beta = P/R)", Tokeniser::space},
      {"cider", "CIDEr-D, what caption evaluation calls CIDEr; 0 to 10", Tokeniser::none},
      {"cider-plain", "CIDEr without clipping and length penalty; 0 to 10", Tokeniser::none},
      {"wer", "word error rate, against the nearest reference", Tokeniser::none},
      {"cer", "character error rate, the same by code points"},
      {"exact", "lines that equal one of their references"},
      {"aer", "alignment error rate of lines like 0-0 1-2 (possible: 1?2)", {}, false},
  };
  return all;
}

std::vector<Measure> score(const std::string& metric, const TextSet& given,
                           const ScoreOptions& options) {
  const MetricInfo& info = metric_named(metric);
  check_references("score", given.hypotheses, given.references);
  if (metric == "aer") return {aer_measure(given)};
  const TextSet set = options.lower ? lower_cased(given) : given;
  const std::string start = signature_start(set.references, options.lower);
  if (metric == "chrf" || metric == "chrf++") {
    const ChrfOptions chrf{.word_order = metric == "chrf" ? 0 : 2, .lower = options.lower};
    const Chrf result = corpus_chrf(set.hypotheses, set.references, chrf);
    return {{metric, result.value, result.signature, {}}};
  }
  if (metric == "rouge") {
    const auto cut = [](const std::string& l) { return tokenise(l, Tokeniser::rouge_1_5_5); };
    return rouge_measures(cut_lines(set, cut), signature_start(set.references, true) +
                                                   "|tok:rouge|stem:no|variant:1.5.5");
  }
  if (metric == "cer") {
    const auto cut = [](const std::string& l) { return characters(trim(l)); };
    return {error_measure(metric, cut_lines(set, cut), start + "|tok:code points")};
  }
  if (metric == "exact") {
    const auto cut = [](const std::string& l) { return TokenList{std::string(trim(l))}; };
    const TokenSet lines = cut_lines(set, cut);
    return {{metric, exact_match(lines.hypotheses, lines.references), start, {}}};
  }
  const Tokeniser kind = options.tokens.value_or(*info.tokens);
  const TokenSet tokens = cut_lines(set, [&](const std::string& l) { return tokenise(l, kind); });
  const std::string signature = start + text("|tok:", name(kind));
  if (metric == "bleu") {
    BleuOptions bleu = options.bleu;
    bleu.tokens = name(kind);
    bleu.lower = options.lower;
    return {bleu_measure(tokens, bleu)};
  }
  if (metric == "rouge-l-caption")
    return {rouge_measure(metric, tokens, signature + "|variant:caption", caption_rouge_l)};
  if (metric == "rouge-l-nmt")
    return {rouge_measure(metric, tokens, signature + "|variant:nmt", nmt_rouge_l)};
  if (metric == "wer") return {error_measure(metric, tokens, signature)};
  return {cider_measure(metric, tokens, signature,
                        metric == "cider" ? CiderKind::d : CiderKind::plain)};
}

}  // namespace glass
