#include "models/diagnosis/document.h"

#include <cctype>

#include "models/diagnosis/rule.h"
#include "models/report/label.h"

namespace glass {

namespace {

std::string sentence(std::string words) {
  words[0] = static_cast<char>(std::toupper(words[0]));
  return words + ".";
}

}  // namespace

std::string diagnosis_markdown() {
  std::string out =
      "# Diagnosis while training\n\n"
      "`glass train` looks into the model every 50 steps (the first 16 sentences of the batch, in\n"
      "evaluation mode, and all gradients; 0.2 to 0.3 % of the training's time), checks these "
      "rules\n"
      "at every validation, prints an alarm when it is new, and keeps it in the run's\n"
      "`diagnosis.json` and `report.html`. `glass diagnose --run FOLDER` prints a run's alarms "
      "again,\n"
      "`glass diagnose --reproduce NAME` breaks a small training on purpose, shows the alarm, and\n"
      "cures it.\n\n"
      "Limits are measured. `healthy`: the largest reading in five healthy trainings\n"
      "(`glass_tests \"healthy*\"`); `broken`: the least of the demonstrations. This page is what\n"
      "`./glass diagnose --markdown` prints.\n";
  for (const Rule& rule : rules()) {
    out += text("\n## ", rule.name, "\n\n", sentence(rule.symptom), "\n\n");
    out += "| measured | healthy | alarm above | broken |\n|---|---|---|---|\n";
    out += text("| ", rule.quantity, " | ", number_text(rule.healthy), " | ",
                number_text(rule.limit), " | ", number_text(rule.broken), " |\n\n");
    out += text("Try: ", rule.remedy, "\n");
    for (const Demonstration& d : rule.demonstrations())
      out += text("\n* broken: ", d.broken, "; cured: ", d.cured);
    out += "\n";
  }
  return out;
}

}  // namespace glass
