// The audit finds leaks that were planted, and none in models that are right.
#include "nn/attention/audit.h"

#include "autograd/autograd.h"
#include "nn/attention/attention.h"
#include "nn/lstm.h"
#include "nn/multihead_attention.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

using ModelCall = std::function<Var(const std::vector<Var>&)>;

const std::vector<int64_t> kSource{5, 3}, kTarget{4, 2};

std::vector<AuditInput> inputs(bool with_target) {
  Generator g(9);
  std::vector<AuditInput> all{{"source", uniform({2, 5, 4}, -1, 1, kFloat64, g), kSource}};
  if (with_target) all.push_back({"target", uniform({2, 4, 4}, -1, 1, kFloat64, g), kTarget, true});
  return all;
}

bool has(const AuditReport& report, LeakKind kind, const std::string& input) {
  for (const Leak& leak : report.leaks)
    if (leak.kind == kind && leak.input == input) return true;
  return false;
}

// Decoder over target with self-attention under self_mask, then attention to source.
struct TinyTranslator {
  explicit TinyTranslator(Generator& g)
      : self({.query_dim = 4, .key_dim = 4, .score = ScaledDotScore{}}, g),
        cross({.query_dim = 4, .key_dim = 4, .score = AdditiveScore{3}}, g) {
    for (Attention* a : {&self, &cross}) {
      a->to(kFloat64);
      a->eval();
    }
  }
  Var operator()(const Var& source, const Var& target, const Mask& source_mask,
                 const Mask& self_mask) const {
    const Var x = self(target, self.prepare(target, self_mask)).output + target;
    return cross(x, cross.prepare(source, source_mask)).output;
  }
  Attention self, cross;
};

}  // namespace

TEST_CASE("the audit passes a translator with right masks", "[attention][audit]") {
  Generator g(1);
  const TinyTranslator model(g);
  const Mask padding = Mask::from_lengths(kSource, 5);
  const Mask own = Mask::causal(4, 4) & Mask::from_lengths(kTarget, 4);
  const AuditReport report =
      audit_mask([&](const std::vector<Var>& in) { return model(in[0], in[1], padding, own); },
                 inputs(true), kTarget);
  CHECK(report.text() == "audit: 6 derivatives and 8 poisonings, 0 leaks");
  CHECK(report.passed());
}

TEST_CASE("the audit passes recurrent and multi-head layers", "[attention][audit]") {
  Generator g(1);
  LSTM lstm(4, 3, {.batch_first = true, .bidirectional = true}, g);
  lstm.to(kFloat64);
  const AuditReport recurrent =
      audit_mask([&](const std::vector<Var>& in) { return lstm(in[0], kSource).output; },
                 inputs(false), kSource);
  CHECK(recurrent.text() == "audit: 8 derivatives and 5 poisonings, 0 leaks");
  MultiheadAttention heads(4, 2, {.batch_first = true}, g);
  heads.to(kFloat64);
  const Mask padding = Mask::from_lengths(kSource, 5);
  const AuditReport multi = audit_mask(
      [&](const std::vector<Var>& in) { return heads(in[0], in[0], in[0], padding).context; },
      inputs(false), kSource);
  CHECK(multi.text() == "audit: 8 derivatives and 5 poisonings, 0 leaks");
}

TEST_CASE("the audit names a mask that is the wrong way round", "[attention][audit]") {
  Generator g(1);
  const TinyTranslator model(g);
  const Mask inverted =
      Mask::where_true_may_attend(logical_not(Var(Mask::from_lengths(kSource, 5).keys())).value());
  const AuditReport report = audit_mask(
      [&](const std::vector<Var>& in) { return model(in[0], in[1], inverted, Mask::causal(4, 4)); },
      inputs(true), kTarget);
  CHECK(has(report, LeakKind::padding_seen, "source"));
  CHECK(report.text().find("of row 1, which is padding") != std::string::npos);
}

TEST_CASE("the audit names a causal mask that is off by one", "[attention][audit]") {
  Generator g(1);
  const TinyTranslator model(g);
  Tensor late = Tensor::zeros({4, 4}, kBool);
  for (int64_t i = 0; i < 16; ++i) late.data<bool>()[i] = i % 4 <= i / 4 + 1;
  const Mask own = Mask::where_true_query_may_attend(late) & Mask::from_lengths(kTarget, 4);
  const AuditReport report = audit_mask(
      [&](const std::vector<Var>& in) {
        return model(in[0], in[1], Mask::from_lengths(kSource, 5), own);
      },
      inputs(true), kTarget);
  CHECK(has(report, LeakKind::future_seen, "target"));
  CHECK_FALSE(has(report, LeakKind::padding_seen, "source"));
  CHECK(report.text().find("1 ahead in the future") != std::string::npos);
  CHECK(report.text().find("2 ahead in the future") == std::string::npos);
}

TEST_CASE("the audit names cross attention without a mask", "[attention][audit]") {
  Generator g(1);
  const TinyTranslator model(g);
  const AuditReport report = audit_mask(
      [&](const std::vector<Var>& in) { return model(in[0], in[1], Mask(), Mask::causal(4, 4)); },
      inputs(true), kTarget);
  CHECK(has(report, LeakKind::padding_seen, "source"));
  CHECK_FALSE(has(report, LeakKind::future_seen, "target"));
}

TEST_CASE("the audit names a two-way layer that reads padding", "[attention][audit]") {
  Generator g(1);
  LSTM lstm(4, 3, {.batch_first = true, .bidirectional = true}, g);
  lstm.to(kFloat64);
  const AuditReport report = audit_mask(
      [&](const std::vector<Var>& in) { return lstm(in[0]).output; }, inputs(false), kSource);
  CHECK(has(report, LeakKind::padding_seen, "source"));
  CHECK_FALSE(has(report, LeakKind::rows_mixed, "source"));
}

TEST_CASE("the audit names a softmax over the batch", "[attention][audit]") {
  Generator g(1);
  const AuditReport report = audit_mask(
      [&](const std::vector<Var>& in) {
        const Var scores = matmul(in[0], transpose(in[0], 1, 2));
        return matmul(softmax(scores, 0), in[0]);
      },
      {{"source", uniform({2, 3, 4}, -1, 1, kFloat64, g)}});
  CHECK(has(report, LeakKind::rows_mixed, "source"));
  CHECK(has(report, LeakKind::rows_mixed, "all inputs"));
  CHECK_FALSE(has(report, LeakKind::padding_seen, "source"));
}

// argmax has no derivative: only poison finds it.
TEST_CASE("the audit finds padding that no derivative shows", "[attention][audit]") {
  const AuditReport report = audit_mask(
      [](const std::vector<Var>& in) {
        const Var best = argmax(sum(in[0], {2}), 1);
        return unsqueeze(Var(best.value().to(kFloat64)), 1);
      },
      inputs(false));
  CHECK(has(report, LeakKind::padding_seen, "source"));
}

TEST_CASE("the audit refuses what it cannot check", "[attention][audit]") {
  const ModelCall same = [](const std::vector<Var>& in) { return in[0]; };
  CHECK(message_of([&] { audit_mask(same, {}); }) ==
        "audit_mask: needs at least one input: got none");
  const Tensor x = Tensor::zeros({2, 3, 4});
  CHECK(message_of([&] {
          audit_mask(same, {{"source", x, {3}}});
        }) == "audit_mask: one length per row: source: 1 for [2, 3, 4]");
  CHECK(message_of([&] {
          audit_mask(same, {{"source", x, {3, 4}}});
        }) == "audit_mask: a length is out of range: source: 4 of 3");
  CHECK(message_of([&] {
          audit_mask(same, {{"source", x.to(kInt64)}});
        }).find("must be real") != std::string::npos);
}

TEST_CASE("the audit does not pass a model that nothing can move", "[attention][audit]") {
  const ModelCall constant = [](const std::vector<Var>& in) {
    return Var(Tensor::ones(in[0].shape(), in[0].dtype()));
  };
  const AuditReport report = audit_mask(constant, inputs(false));
  CHECK(report.leaks.empty());
  CHECK(report.vacuous);
  CHECK_FALSE(report.passed());
  CHECK(report.text().find("nothing proved: no output depends on any input") != std::string::npos);
}

TEST_CASE("the audit refuses output lengths beyond the output", "[attention][audit]") {
  const ModelCall same = [](const std::vector<Var>& in) { return in[0]; };
  const Tensor x = Tensor::zeros({2, 3, 4});
  CHECK(message_of([&] {
          audit_mask(same, {{"source", x}}, {3, 4});
        }) == "audit_mask: an output length is out of range: 4 of 3");
}
