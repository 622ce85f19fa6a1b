#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/diagnosis/facts.h"

namespace glass {

/// What a rule reads off a training at one place: a layer, or "" for the whole.
struct Reading {
  std::string where;
  double value = 0;
  std::string note = {};  ///< more to say of it
};

/// A small training, broken on purpose or cured.
struct Course {
  TrainingRecord record;
  double loss = 0;           ///< of the last validation; not a number where the training broke off
  std::string stopped = {};  ///< the error that it broke off with
};

/// How a rule's trouble is made, and how it is cured.
struct Demonstration {
  std::string broken, cured;  ///< in words: what was done
  std::function<Course(bool cured)> run;
};

/// A trouble of training that is seen in a number. A new rule is a file in rules/ and a row of
/// rules().
struct Rule {
  std::string name;
  std::string symptom;   ///< what is wrong, in a sentence
  std::string quantity;  ///< what is measured
  double limit = 0;      ///< alarm above
  double healthy = 0;    ///< the largest in the healthy runs of tests/models/diagnosis
  double broken = 0;     ///< the least of the demonstrations
  std::string remedy;    ///< what to try
  std::vector<Reading> (*read)(const TrainingRecord& record) = nullptr;
  std::vector<Demonstration> (*demonstrations)() = nullptr;
};

const std::vector<Rule>& rules();
/// Throws Error for a name that is none, with what it may have meant.
const Rule& find_rule(const std::string& name);

/// An alarm: a reading above its rule's limit.
struct Finding {
  const Rule* rule = nullptr;
  Reading reading;
  std::string text() const;  ///< one line: what, where, how much, what to try
};
std::vector<Finding> findings(const TrainingRecord& record);
/// A rule's largest reading; 0 where it has none.
Reading worst(const Rule& rule, const TrainingRecord& record);

Rule attention_uniform_rule();
Rule attention_stuck_rule();
Rule attention_padding_rule();
Rule unscaled_scores_rule();
Rule gradient_exploding_rule();
Rule gradient_vanishing_rule();
Rule dead_units_rule();
Rule loss_not_finite_rule();
Rule overfitting_rule();
Rule memory_rule();

}  // namespace glass
