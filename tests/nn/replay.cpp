#include "tests/nn/replay.h"

#include <cmath>

namespace glass::tests {
namespace {

std::string compare(const ReferenceCase& c, const std::string& name, const Tensor& got,
                    const Tensor& want) {
  if (!(got.shape() == want.shape()))
    return text(name, " has shape ", got.shape(), " instead of ", want.shape());
  const auto a = got.to_vector<double>(), b = want.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= c.atol + c.rtol * std::fabs(b[i])))
      return text(name, " element ", i, " is ", a[i], " instead of ", b[i]);
  return "";
}

// What stands in the file, or zeros: an absent second gradient is zero.
Tensor expected(const ReferenceCase& c, const std::string& name, const Shape& shape) {
  const Tensor* found = c.tensors.find(name);
  return found ? *found : Tensor::zeros(shape, kFloat64);
}

std::string compare_all(const ReferenceCase& c, const std::string& prefix,
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

Var input(const ReferenceCase& c, const std::string& name) {
  const Tensor* found = c.tensors.find("in." + name);
  return found ? Var(*found, is_floating(found->dtype())) : Var();
}

void load_parameters(const ReferenceCase& c, Module& module) {
  struct Load : Visitor {
    explicit Load(const ReferenceCase& from) : content(from) {}
    void parameter(std::string_view name, Var& value) override {
      value = glass::parameter(content.at("param." + path + std::string(name)));
    }
    void module(std::string_view name, Module& child) override {
      const std::string before = path;
      path += std::string(name) + ".";
      child.visit(*this);
      path = before;
    }
    const ReferenceCase& content;
    std::string path;
  } load(c);
  module.visit(load);
}

std::string replay(const ReferenceCase& c, const std::vector<Var>& outputs,
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
  if (c.tensors.metadata.at("gradgrad") != "true") return "";

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

std::string replay(const ReferenceCase& c, const std::vector<Var>& outputs,
                   std::vector<std::pair<std::string, Var>> inputs, Module& module) {
  for (const auto& [name, value] : module.named_parameters())
    inputs.emplace_back("param." + name, value);
  return replay(c, outputs, inputs);
}

}  // namespace glass::tests
