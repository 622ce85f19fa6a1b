#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "models/cli/gradcheck_command.h"
#include "models/doctor/whole_models.h"
#include "models/names.h"

namespace glass {
namespace {

constexpr const char* kParameterRow = "{:<30} {:<40} {:<9} {:<8} {:>10} {:>10}\n";

std::string near_models(const std::vector<std::string>& known, const std::string& name) {
  const std::string near = did_you_mean(known, name);
  return near.empty() ? "; there are " + listed(known, "; ", "; ") : near;
}

std::vector<WholeModel> models_named(const std::vector<std::string>& names) {
  const std::vector<WholeModel> all = whole_models();
  const auto has = [](const WholeModel& model, const std::string& name) {
    return model.name.find(name) != std::string::npos;
  };
  std::vector<std::string> known;
  for (const WholeModel& model : all) known.push_back(model.name);
  for (const std::string& name : names)
    if (std::none_of(all.begin(), all.end(), [&](const auto& m) { return has(m, name); }))
      fail("gradcheck", "there is no model of this name", name, near_models(known, name));
  std::vector<WholeModel> chosen;
  for (const WholeModel& model : all)
    if (names.empty() ||
        std::any_of(names.begin(), names.end(), [&](const auto& name) { return has(model, name); }))
      chosen.push_back(model);
  return chosen;
}

// In the order of the parameters.
std::vector<GradBlock> blocks_of(const OrderReport& report) {
  std::vector<GradBlock> blocks = report.mismatches;
  blocks.insert(blocks.end(), report.others.begin(), report.others.end());
  std::stable_sort(blocks.begin(), blocks.end(), [](const GradBlock& a, const GradBlock& b) {
    return a.input_number < b.input_number;
  });
  return blocks;
}

}  // namespace

void list_models(const std::vector<std::string>& names, std::ostream& out) {
  for (const WholeModel& model : models_named(names)) out << model.name << "\n";
}

int run_model_checks(const std::vector<std::string>& names, std::ostream& out) {
  int passed = 0, failed = 0;
  const std::vector<WholeModel> chosen = models_named(names);
  out << fmt::format(kParameterRow, "model", "parameter", "shape", "verdict", "difference",
                     "gradient");
  for (const WholeModel& model : chosen) {
    const GradReport report = check_model(model);
    ++(report.ok() ? passed : failed);
    for (const GradBlock& b : blocks_of(report.first))
      out << fmt::format(kParameterRow, model.name, b.input, text(b.shape),
                         std::string(name_of(b.verdict)), fmt::format("{:.1e}", b.precision),
                         fmt::format("{:.1e}", b.size));
    if (!report.ok()) out << report.text();
    out << std::flush;
  }
  out << fmt::format("models: {} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace glass
