#include "models/diagnosis/rule.h"

#include <algorithm>

#include "models/names.h"
#include "models/report/label.h"

namespace glass {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      attention_uniform_rule(),  attention_stuck_rule(),
      attention_padding_rule(),  unscaled_scores_rule(),
      gradient_exploding_rule(), gradient_vanishing_rule(),
      dead_units_rule(),         loss_not_finite_rule(),
      overfitting_rule(),        memory_rule(),
  };
  return all;
}

const Rule& find_rule(const std::string& name) {
  std::vector<std::string> names;
  for (const Rule& rule : rules()) {
    if (rule.name == name) return rule;
    names.push_back(rule.name);
  }
  fail("diagnose", "there is no rule of this name", name, did_you_mean(names, name), "; there are ",
       listed(names, " and "));
}

std::string Finding::text() const {
  const std::string where = reading.where.empty() ? "" : " at " + reading.where;
  if (!reading.note.empty()) return glass::text(rule->name, where, ": ", reading.note);
  return glass::text(rule->name, where, ": ", rule->symptom, " (", rule->quantity, " ",
                     number_text(reading.value), ", alarm above ", number_text(rule->limit),
                     "); try: ", rule->remedy);
}

std::vector<Finding> findings(const TrainingRecord& record) {
  std::vector<Finding> found;
  for (const Rule& rule : rules())
    for (Reading& reading : rule.read(record))
      if (reading.value > rule.limit) found.push_back({&rule, std::move(reading)});
  return found;
}

Reading worst(const Rule& rule, const TrainingRecord& record) {
  Reading largest;
  for (Reading& reading : rule.read(record))
    if (reading.value > largest.value) largest = std::move(reading);
  return largest;
}

}  // namespace glass
