#include "models/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "models/names.h"

namespace glass {
namespace {

// "[1, 2]" for the third element of a [2, 3]... in row-major order.
std::string index_text(int64_t i, const Shape& shape) {
  std::string all;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    all = text(i % shape[axis], axis + 1 < shape.size() ? ", " : "", all);
    i /= shape[axis];
  }
  return "[" + all + "]";
}

constexpr std::string_view kPrefixes[] = {"", "nn.functional.", "nn."};  // PyTorch's

// The entry that a recorded name means: as written, or without a prefix.
const Entry* find_entry(const std::vector<Entry>& entries, std::string name) {
  if (name.starts_with("attn.")) name.replace(0, 5, "attention.");
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string rest = name.substr(prefix.size());
    for (const Entry& entry : entries)
      if (entry.name == rest) return &entry;
  }
  return nullptr;
}

std::string near_names(const std::vector<Entry>& entries, const std::string& name) {
  std::vector<std::string> names = training_step_names();
  for (const Entry& entry : entries)
    if (entry.replay) names.push_back(entry.name);
  std::string rest = name;
  for (const std::string_view prefix : kPrefixes)
    if (rest.starts_with(prefix)) rest.erase(0, prefix.size());
  return did_you_mean(names, rest);
}

class Comparison {
 public:
  Comparison(const Recorded& recorded, const Entry& entry)
      : recorded_(recorded), replay_(recorded.call()) {
    outputs_ = entry.replay(replay_);
  }

  Verified run() {
    if (const auto names = replay_.unread(); !names.empty()) {
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
      return {Coverage::not_covered, -1, "not covered: argument " + list};
    }
    compare_outputs();
    for (const auto& [name, tensor] : recorded_.file.tensors) {
      if (name.rfind("post.", 0) != 0) continue;
      const auto found = replay_.buffers.find(name.substr(5));
      compare(name, found == replay_.buffers.end() ? Tensor() : found->second, tensor);
    }
    compare_gradients();
    if (result_.coverage == Coverage::passed) check_all_compared();
    return result_;
  }

 private:
  void compare(const std::string& name, const Tensor& got, const Tensor& want) {
    compared_.insert(name);
    const std::string wrong =
        difference(name, got, want, recorded_.rtol, recorded_.atol, result_.worst);
    if (wrong.empty()) return;
    if (result_.coverage == Coverage::passed) result_.message = wrong;
    result_.coverage = Coverage::failed;
  }

  void compare_outputs() {
    size_t recorded = 0;
    for (const Tensor* want; (want = recorded_.file.find(text("out.", recorded))); ++recorded)
      compare(text("out.", recorded),
              recorded < outputs_.size() ? outputs_[recorded].value() : Tensor(), *want);
    if (recorded != outputs_.size() && result_.coverage == Coverage::passed) {
      result_.coverage = Coverage::failed;
      result_.message = text("gives ", outputs_.size(), " outputs, recorded are ", recorded);
    }
  }

  // Nothing that is recorded may be passed over: a name that is misspelt would prove nothing.
  void check_all_compared() {
    for (const auto& [name, tensor] : recorded_.file.tensors) {
      if (name.rfind("in.", 0) == 0 || compared_.count(name)) continue;
      const bool state = name.rfind("param.", 0) == 0 || name.rfind("buffer.", 0) == 0;
      if (state && !(replay_.parameters.empty() && replay_.buffers.empty())) continue;
      result_ = {Coverage::failed, result_.worst, name + ": was compared with nothing"};
      return;
    }
  }

  // The leaf of a recorded gradient's name: an input, or "param." and a parameter.
  Var leaf(const std::string& name) {
    const bool parameter = name.rfind("param.", 0) == 0;
    const auto& all = parameter ? replay_.parameters : replay_.inputs;
    const auto found = all.find(parameter ? name.substr(6) : name);
    return found == all.end() ? Var() : found->second;
  }

  void compare_gradients() {
    std::vector<std::string> names;
    Vars leaves;
    for (const auto& [name, tensor] : recorded_.file.tensors) {
      if (name.rfind("grad.", 0) != 0) continue;
      names.push_back(name.substr(5));
      leaves.push_back(leaf(names.back()));
      if (!leaves.back().defined()) return compare(name, Tensor(), tensor);
    }
    Vars outputs, seeds;
    std::vector<std::string> seed_names;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const Tensor* seed = recorded_.file.find(text("grad_out.", i));
      compared_.insert(text("grad_out.", i));
      if (!seed || !outputs_[i].requires_grad()) continue;
      outputs.push_back(outputs_[i]);
      seeds.emplace_back(*seed, recorded_.second_order);
      seed_names.push_back(text("ggrad_out.", i));
    }
    if (leaves.empty()) return;
    Vars gradients(leaves.size());
    const auto run = [&](bool create_graph) {
      if (!outputs.empty())
        gradients =
            grad(outputs, leaves, seeds, {.retain_graph = true, .create_graph = create_graph});
      for (size_t i = 0; i < leaves.size(); ++i)
        compare("grad." + names[i], value_or_zero(gradients[i], leaves[i]),
                recorded_.file.at("grad." + names[i]));
    };
    run(false);  // the plain backward, and then the one that can be differentiated
    if (!recorded_.second_order) return;
    run(true);
    compare_second(names, leaves, gradients, seed_names, seeds);
  }

  // S = Σ grad·v, by inputs, parameters and upstream gradients. What is not recorded is zero.
  void compare_second(const std::vector<std::string>& names, const Vars& leaves,
                      const Vars& gradients, const std::vector<std::string>& seed_names,
                      const Vars& seeds) {
    Vars sums, weights;
    for (size_t i = 0; i < names.size(); ++i) {
      const Tensor* v = recorded_.file.find("v." + names[i]);
      compared_.insert("v." + names[i]);
      if (!v || !gradients[i].defined() || !gradients[i].requires_grad()) continue;
      sums.push_back(gradients[i]);
      weights.emplace_back(*v);
    }
    Vars wanted = leaves;
    wanted.insert(wanted.end(), seeds.begin(), seeds.end());
    Vars second(wanted.size());
    if (!sums.empty()) second = grad(sums, wanted, weights);
    for (size_t i = 0; i < wanted.size(); ++i) {
      const std::string name =
          i < names.size() ? "ggrad." + names[i] : seed_names[i - names.size()];
      const Tensor* want = recorded_.file.find(name);
      compare(name, value_or_zero(second[i], wanted[i]),
              want ? *want : Tensor::zeros(wanted[i].shape(), wanted[i].dtype()));
    }
  }

  static Tensor value_or_zero(const Var& gradient, const Var& leaf) {
    return gradient.defined() ? gradient.value() : Tensor::zeros(leaf.shape(), leaf.dtype());
  }

  const Recorded& recorded_;
  std::set<std::string> compared_;  // names of tensors that took part
  Replay replay_;
  Vars outputs_;
  Verified result_;
};

}  // namespace

std::string difference(const std::string& name, const Tensor& got, const Tensor& want, double rtol,
                       double atol, double& worst) {
  if (!got.defined()) return name + ": is missing";
  if (!(got.shape() == want.shape()))
    return text(name, ": shape is ", got.shape(), ", recorded ", want.shape());
  if (got.dtype() != want.dtype())
    return text(name, ": type is ", got.dtype(), ", recorded ", want.dtype());
  worst = std::max(worst, 0.0);
  const std::vector<double> a = got.to(kFloat64).to_vector<double>();
  const std::vector<double> b = want.to(kFloat64).to_vector<double>();
  const double floor = rtol > 0 ? atol / rtol : 0;
  double largest = -1;
  size_t at = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double error = std::fabs(a[i] - b[i]);
    const double relative = std::isfinite(error) ? error / (std::fabs(b[i]) + floor) : INFINITY;
    worst = std::max(worst, relative);
    const bool right = std::isfinite(error) && error <= atol + rtol * std::fabs(b[i]);
    if (right || relative <= largest) continue;
    largest = relative;
    at = i;
  }
  if (largest < 0) return "";
  std::ostringstream out;
  out.precision(12);
  out << name << index_text(static_cast<int64_t>(at), got.shape()) << ": is " << a[at]
      << ", recorded " << b[at];
  return out.str();
}

Verified verify(const Recorded& recorded, const std::vector<Entry>& entries) {
  try {
    Replay replay = recorded.call();
    if (const auto outputs = replay_training_step(replay)) {
      if (const auto names = replay.unread(); !names.empty())
        return {Coverage::not_covered, -1, "not covered: argument " + names[0]};
      Verified result;
      for (const auto& [name, want] : recorded.file.tensors) {
        if (name.rfind("out.", 0) != 0) continue;
        const auto found = outputs->find(name.substr(4));
        const std::string wrong =
            difference(name, found == outputs->end() ? Tensor() : found->second, want,
                       recorded.rtol, recorded.atol, result.worst);
        if (wrong.empty() || result.coverage == Coverage::failed) continue;
        result.coverage = Coverage::failed;
        result.message = wrong;
      }
      return result;
    }
    const Entry* entry = find_entry(entries, recorded.op);
    if (!entry || !entry->replay)
      return {Coverage::not_covered, -1, "not covered" + near_names(entries, recorded.op)};
    return Comparison(recorded, *entry).run();
  } catch (const std::exception& error) {
    return {Coverage::failed, -1, error.what()};
  }
}

}  // namespace glass
