// The rules on plain numbers.
#include "models/diagnosis/rule.h"

#include <cmath>

#include "models/diagnosis/document.h"
#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

// So many equal looks, 50 steps apart.
TrainingRecord record_of(const TrainingFacts& facts, int looks, int64_t steps = 100) {
  TrainingRecord record;
  record.steps = steps;
  record.warmup = 10;
  for (int i = 0; i < looks; ++i) {
    record.looks.push_back(facts);
    record.looks.back().step = 50 * i;
  }
  return record;
}

std::vector<std::string> alarms_of(const TrainingRecord& record) {
  std::vector<std::string> names;
  for (const Finding& finding : findings(record))
    names.push_back(finding.rule->name + " " + finding.reading.where);
  return names;
}

using Names = std::vector<std::string>;

AttentionFact attention_of(const std::string& layer, double entropy, double top_key) {
  return {.layer = layer, .entropy = entropy, .top_key = top_key};
}

}  // namespace

TEST_CASE("rules: every rule says all that is needed, and can be found", "[diagnosis]") {
  CHECK(rules().size() == 10);
  for (const Rule& rule : rules()) {
    INFO(rule.name);
    CHECK(&find_rule(rule.name) == &rule);
    for (const std::string* words : {&rule.symptom, &rule.quantity, &rule.remedy})
      CHECK(words->size() > 10);
    // The limit lies between what was measured on either side.
    CHECK(rule.healthy <= rule.limit);
    CHECK(rule.limit < rule.broken);
    CHECK_FALSE(rule.demonstrations().empty());
    CHECK(rule.read(TrainingRecord{}).empty());
  }
  CHECK_THROWS_WITH(find_rule("dead-unit"), ContainsSubstring("did you mean dead-units"));
}

TEST_CASE("rules: attention must be uniform or stuck for some time, and after warm-up",
          "[diagnosis]") {
  TrainingFacts facts;
  facts.attention = {attention_of("uniform", 0.99, 0.1), attention_of("stuck", 0.01, 0.99),
                     attention_of("fine", 0.4, 0.3)};
  CHECK(alarms_of(record_of(facts, 5)) ==
        Names{"attention-uniform uniform", "attention-stuck stuck"});
  CHECK(alarms_of(record_of(facts, 2)).empty());
  CHECK(alarms_of(record_of(facts, 5, 1000)).empty());  // of 1,000 steps 200 were done
  TrainingRecord once = record_of(facts, 5);
  once.looks[3].attention.clear();
  CHECK(alarms_of(once).empty());
  facts.attention[0].to_self = facts.attention[1].to_self = true;
  CHECK(alarms_of(record_of(facts, 5)).empty());
}

TEST_CASE("rules: padding and scores", "[diagnosis]") {
  TrainingFacts facts;
  facts.attention = {{.layer = "a", .padding = 0.01}, {.layer = "b", .score_spread = 11}};
  CHECK(alarms_of(record_of(facts, 1)) == Names{"attention-padding a", "unscaled-scores b"});
  TrainingRecord later = record_of(facts, 1);
  later.looks[0].step = 50;  // what a model has learned may differ much
  CHECK(alarms_of(later) == Names{"attention-padding a"});
}

TEST_CASE("rules: gradients by layer", "[diagnosis]") {
  TrainingFacts facts;
  facts.gradient_norm = 5000;
  facts.largest_gradient = "rnn";
  facts.gradients = {{"rnn.weight", 5000, 1, true},
                     {"rnn.bias", 1, 1, false},
                     {"first.weight", 1e-3, 1, true},
                     {"frozen.weight", 0, 1, true}};
  CHECK(alarms_of(record_of(facts, 3)) ==
        Names{"gradient-exploding rnn", "gradient-vanishing first", "gradient-vanishing frozen"});
  // Powers of ten between 5000 and 0.001.
  for (const Reading& reading : find_rule("gradient-vanishing").read(record_of(facts, 3)))
    if (reading.where == "first") CHECK(reading.value == Approx(std::log10(5e6)));
}

TEST_CASE("rules: dead units, memory, a gap between training and validation", "[diagnosis]") {
  TrainingFacts facts;
  facts.units = {{"linear1", 100, 95}, {"linear2", 100, 10}};
  facts.memory = {1000, 2000};
  TrainingRecord record = record_of(facts, 3);
  record.validations = {{.step = 50, .train_loss = 1, .valid = {.loss = 1}},
                        {.step = 100, .train_loss = 0.5, .valid = {.loss = 1.1}},
                        {.step = 150, .train_loss = 0.2, .valid = {.loss = 1.6}}};
  CHECK(alarms_of(record) == Names{"dead-units linear1", "overfitting ", "memory "});
  CHECK(worst(find_rule("overfitting"), record).value == Approx(0.6));
  CHECK(worst(find_rule("memory"), record).value == Approx(2));
  record.validations[2].train_loss = 1.5;  // both rise: that is something else
  CHECK(alarms_of(record) == Names{"dead-units linear1", "memory "});
}

TEST_CASE("rules: a finding says where, how much, and what to try", "[diagnosis]") {
  TrainingFacts facts;
  facts.units = {{"linear1", 100, 95}};
  const auto found = findings(record_of(facts, 3));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].text(), ContainsSubstring("dead-units at linear1: ") &&
                                  ContainsSubstring(" 0.95, alarm above 0.8") &&
                                  ContainsSubstring("try: a lower learning rate"));
  TrainingRecord record;
  record.not_finite = NotFinite{.op = "log", .file = "a.cpp", .line = 3, .cause = "log of 0"};
  REQUIRE(findings(record).size() == 1);
  CHECK_THAT(findings(record)[0].text(),
             ContainsSubstring("loss-not-finite: op log, called at a.cpp:3: log of 0"));
}

TEST_CASE("docs/diagnosis.md is what the rules say", "[docs][diagnosis]") {
  INFO("write it anew with: ./glass diagnose --markdown > docs/diagnosis.md");
  CHECK(tests::read_text(tests::source_root() / "docs" / "diagnosis.md") == diagnosis_markdown());
}
