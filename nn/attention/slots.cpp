#include "nn/attention/slots.h"

#include "tensor/error.h"

namespace glass {
namespace {

template <class T>
bool is(const AttentionOptions& o) {
  return std::holds_alternative<T>(o.normalizer);
}

bool is_monotonic(const AttentionOptions& o) {
  return is<MonotonicNormalizer>(o) || is<MochaNormalizer>(o);
}

bool is_local(const AttentionScope& scope) {
  return std::holds_alternative<LocalMScope>(scope) || std::holds_alternative<LocalPScope>(scope);
}

}  // namespace

AttentionOptions checked(AttentionOptions o) {
  if (o.query_dim < 1 || o.key_dim < 1)
    fail("Attention", "query_dim and key_dim must be positive", o.query_dim, " and ", o.key_dim);
  if (o.value_dim == 0) o.value_dim = o.key_dim;
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
  if (const auto* mocha = std::get_if<MochaNormalizer>(&o.normalizer); mocha && mocha->chunk < 1)
    fail("Attention", "chunk must be positive", mocha->chunk);
  if (const auto* hard = std::get_if<HardNormalizer>(&o.normalizer)) {
    if (!(hard->temperature > 0))
      fail("Attention", "temperature must be positive", hard->temperature);
    if (!(hard->expectation_prob >= 0 && hard->expectation_prob <= 1))
      fail("Attention", "expectation_prob must be in [0, 1]", hard->expectation_prob);
    if (std::holds_alternative<LocalPScope>(o.scope))
      fail("Attention", "one key at a time leaves local-p's Gaussian without a meaning",
           "use LocalMScope with HardNormalizer");
  }
  if (o.coverage && is_local(o.scope))
    fail("Attention", "coverage counts over all keys", "use GlobalScope");
  if (o.coverage && is_monotonic(o))
    fail("Attention", "coverage and monotonic attention contradict each other",
         "a key behind is never attended to again");
  return o;
}

}  // namespace glass
