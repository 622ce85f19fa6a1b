#include "tests/nn/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "tests/skip.h"

namespace glass::tests {
namespace {

double number(const NamedTensors& c, const std::string& key) {
  return std::stod(c.metadata.at(key));
}

std::string compare(const NamedTensors& c, const std::string& name, const Tensor& got,
                    const Tensor& want) {
  if (!(got.shape() == want.shape()))
    return text(name, " has shape ", got.shape(), " instead of ", want.shape());
  const auto a = got.to_vector<double>(), b = want.to_vector<double>();
  const double rtol = number(c, "rtol"), atol = number(c, "atol");
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= atol + rtol * std::fabs(b[i])))
      return text(name, " element ", i, " is ", a[i], " instead of ", b[i]);
  return "";
}

// What stands in the file, or zeros: an absent second gradient is zero.
Tensor expected(const NamedTensors& c, const std::string& name, const Shape& shape) {
  const Tensor* found = c.find(name);
  return found ? *found : Tensor::zeros(shape, kFloat64);
}

std::string compare_all(const NamedTensors& c, const std::string& prefix,
                        const std::vector<std::pair<std::string, Var>>& inputs,
                        const std::vector<Var>& gradients) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = inputs[i].second.shape();
    const Tensor got =
        gradients[i].defined() ? gradients[i].value() : Tensor::zeros(shape, kFloat64);
    const std::string name = prefix + inputs[i].first;
    const std::string found = compare(c, name, got, expected(c, name, shape));
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

std::vector<NamedTensors> reference_cases(const std::string& op) {
  const char* given = std::getenv("GLASS_REFERENCE");
  const std::string folder = given ? given : std::string(GLASS_SOURCE_DIR) + "/../shared/reference";
  std::vector<NamedTensors> cases;
  if (!std::filesystem::is_directory(folder)) {
    skip("no reference values in " + folder);
    return cases;
  }
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().filename().string().rfind(op + "__", 0) == 0) paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) cases.push_back(load_safetensors(path));
  return cases;
}

double argument(const NamedTensors& c, const std::string& name, double fallback) {
  const std::string& all = c.metadata.at("kwargs");
  const size_t at = all.find("\"" + name + "\": ");
  if (at == std::string::npos) return fallback;
  const std::string value = all.substr(at + name.size() + 4);
  if (value.rfind("true", 0) == 0) return 1;
  if (value.rfind("false", 0) == 0) return 0;
  return std::stod(value);
}

Var input(const NamedTensors& c, const std::string& name) {
  const Tensor* found = c.find("in." + name);
  return found ? Var(*found, is_floating(found->dtype())) : Var();
}

void load_parameters(const NamedTensors& c, Module& module) {
  struct Load : Visitor {
    explicit Load(const NamedTensors& from) : content(from) {}
    void parameter(std::string_view name, Var& value) override {
      value = glass::parameter(content.at("param." + path + std::string(name)));
    }
    void module(std::string_view name, Module& child) override {
      const std::string before = path;
      path += std::string(name) + ".";
      child.visit(*this);
      path = before;
    }
    const NamedTensors& content;
    std::string path;
  } load(c);
  module.visit(load);
}

std::string replay(const NamedTensors& c, const std::vector<Var>& outputs,
                   const std::vector<std::pair<std::string, Var>>& inputs) {
  std::vector<Var> wanted, upstream;
  for (const auto& [name, value] : inputs) wanted.push_back(value);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string place = std::to_string(i);
    const std::string found = compare(c, "out." + place, outputs[i].value(), c.at("out." + place));
    if (!found.empty()) return found;
    upstream.emplace_back(c.at("grad_out." + place), true);
  }
  std::string found =
      compare_all(c, "grad.", inputs, grad(outputs, wanted, upstream, {.retain_graph = true}));
  if (!found.empty()) return found;
  const std::vector<Var> first = grad(outputs, wanted, upstream, {.create_graph = true});
  found = compare_all(c, "grad.", inputs, first);
  if (!found.empty()) return "under create_graph, " + found;
  if (c.metadata.at("gradgrad") != "true") return "";

  std::vector<Var> used, directions;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!first[i].defined() || !first[i].requires_grad()) continue;
    used.push_back(first[i]);
    directions.emplace_back(c.at("v." + inputs[i].first));
  }
  std::vector<std::pair<std::string, Var>> all;
  for (const auto& [name, value] : inputs) all.emplace_back("." + name, value);
  for (size_t i = 0; i < upstream.size(); ++i)
    all.emplace_back("_out." + std::to_string(i), upstream[i]);
  wanted.insert(wanted.end(), upstream.begin(), upstream.end());
  return compare_all(c, "ggrad", all, grad(used, wanted, directions));
}

std::string replay(const NamedTensors& c, const std::vector<Var>& outputs,
                   std::vector<std::pair<std::string, Var>> inputs, Module& module) {
  for (const auto& [name, value] : module.named_parameters())
    inputs.emplace_back("param." + name, value);
  return replay(c, outputs, inputs);
}

}  // namespace glass::tests
