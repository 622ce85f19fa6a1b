#include "nn/attention/slots.h"

#include <cmath>

#include "tensor/error.h"

namespace glass {
namespace {

bool is_local(const AttentionScope& scope) {
  return std::holds_alternative<LocalMScope>(scope) || std::holds_alternative<LocalPScope>(scope);
}

void check_finite(const char* name, double x) {
  if (!std::isfinite(x)) fail("Attention", text(name, " must be finite"), x);
}
void check_not_negative(const char* name, double x) {
  if (!(x >= 0 && std::isfinite(x)))
    fail("Attention", text(name, " must be finite and not negative"), x);
}
void check_positive(const char* name, double x) {
  if (!(x > 0 && std::isfinite(x)))
    fail("Attention", text(name, " must be finite and positive"), x);
}

void check_score(const AttentionScore& score) {
  if (const auto* scaled = std::get_if<ScaledDotScore>(&score); scaled && scaled->scale)
    check_finite("scale", *scaled->scale);
  if (const auto* cosine = std::get_if<CosineScore>(&score)) {
    check_positive("temperature", cosine->temperature);
    check_positive("eps", cosine->eps);
  }
}

void check_scope(const AttentionScope& scope) {
  if (const auto* m = std::get_if<LocalMScope>(&scope); m && m->D < 0)
    fail("Attention", "D must not be negative", m->D);
  if (const auto* p = std::get_if<LocalPScope>(&scope)) {
    if (p->D < 1) fail("Attention", "D must be positive", p->D);
    if (p->sigma) check_positive("sigma", *p->sigma);
    if (p->attn_dim < 0) fail("Attention", "attn_dim must not be negative", p->attn_dim);
  }
  if (const auto* prior = std::get_if<PriorScope>(&scope)) {
    check_not_negative("the strength of a prior", prior->strength);
    check_not_negative("the ratio of a prior", prior->ratio);
  }
}

void check_normalizer(const AttentionNormalizer& normalizer) {
  const auto* mocha = std::get_if<MochaNormalizer>(&normalizer);
  if (mocha && mocha->chunk < 1) fail("Attention", "chunk must be positive", mocha->chunk);
  const auto* monotonic = mocha ? &mocha->monotonic : std::get_if<MonotonicNormalizer>(&normalizer);
  if (monotonic) {
    check_not_negative("noise_std", monotonic->noise_std);
    check_finite("r_init", monotonic->r_init);
  }
  if (const auto* hard = std::get_if<HardNormalizer>(&normalizer)) {
    check_positive("temperature", hard->temperature);
    if (!(hard->expectation_prob >= 0 && hard->expectation_prob <= 1))
      fail("Attention", "expectation_prob must be in [0, 1]", hard->expectation_prob);
  }
}

}  // namespace

AttentionOptions checked(AttentionOptions o) {
  if (o.query_dim < 1 || o.key_dim < 1)
    fail("Attention", "query_dim and key_dim must be positive", o.query_dim, " and ", o.key_dim);
  if (o.value_dim == 0) o.value_dim = o.key_dim;
  if (o.heads.embed_dim != 0 && !o.heads.in_proj && !o.heads.out_proj)
    fail("Attention", "embed_dim has no effect without in_proj or out_proj", o.heads.embed_dim);
  if (o.heads.embed_dim == 0) o.heads.embed_dim = o.query_dim;
  const int64_t H = o.heads.num_heads;
  if (H < 1) fail("Attention", "num_heads must be positive", H);
  const auto divisible = [&](const char* name, int64_t n) {
    if (n < 1 || n % H != 0)
      fail("Attention", text(name, " must be a positive multiple of num_heads"), n, " and ", H);
  };
  if (o.heads.in_proj) {
    divisible("embed_dim", o.heads.embed_dim);
  } else {
    divisible("query_dim", o.query_dim);
    divisible("key_dim", o.key_dim);
    divisible("value_dim", o.value_dim);
  }
  if (!(o.dropout >= 0 && o.dropout <= 1))
    fail("Attention", "dropout must be in [0, 1]", o.dropout);
  if (is_monotonic(o) && !std::holds_alternative<GlobalScope>(o.scope) &&
      !std::holds_alternative<CausalScope>(o.scope))
    fail("Attention", "monotonic attention finds its own place", "use GlobalScope or CausalScope");
  check_score(o.score);
  check_scope(o.scope);
  check_normalizer(o.normalizer);
  if (is_normalizer<HardNormalizer>(o) && std::holds_alternative<LocalPScope>(o.scope))
    fail("Attention", "one key at a time leaves local-p's Gaussian without a meaning",
         "use LocalMScope with HardNormalizer");
  if (o.coverage && is_local(o.scope))
    fail("Attention", "coverage counts over all keys", "use GlobalScope");
  if (o.coverage && is_monotonic(o))
    fail("Attention", "coverage and monotonic attention contradict each other",
         "a key behind is never attended to again");
  return o;
}

}  // namespace glass
