#include "tests/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace glass::tests {

namespace fs = std::filesystem;

static fs::path reference_folder() {
  const char* given = std::getenv("GLASS_REFERENCE");
  return given ? fs::path(given) : fs::path(GLASS_SOURCE_DIR) / "tests" / "reference";
}

std::vector<ReferenceCase> load_reference(const std::string& op) {
  std::vector<fs::path> paths;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(reference_folder(), absent)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".safetensors" && stem.substr(0, stem.rfind("__")) == op)
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ReferenceCase> cases;
  for (const fs::path& path : paths) {
    ReferenceCase c{path.stem().string(), load_safetensors(path.string()), {}};
    c.kwargs = nlohmann::json::parse(c.tensors.metadata.at("kwargs"));
    c.rtol = std::stod(c.tensors.metadata.at("rtol"));
    c.atol = std::stod(c.tensors.metadata.at("atol"));
    cases.push_back(std::move(c));
  }
  return cases;
}

double excess(const Tensor& got, const Tensor& want, double rtol) {
  if (!(got.shape() == want.shape())) return INFINITY;
  const auto a = got.to(kFloat64).to_vector<double>(), b = want.to(kFloat64).to_vector<double>();
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double wrong = std::fabs(a[i] - b[i]) - rtol * std::fabs(b[i]);
    worst = std::max(worst, std::isnan(wrong) ? INFINITY : wrong);
  }
  return worst;
}

}  // namespace glass::tests
