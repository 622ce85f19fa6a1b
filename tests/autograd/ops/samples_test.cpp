// Every sample row of the registry: values, types, layouts, fused against definition, gradients,
// and the rows that must throw. Of float64 unless a line says otherwise.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/registry.h"
#include "tensor/random.h"
#include "tests/autograd/ops/layouts.h"
#include "tests/catch.h"

using namespace glass;
using namespace glass::tests;

namespace {

constexpr uint64_t kSeed = 20;

Vars inputs_of(const Sample& sample, DType dtype = kFloat64) {
  Generator generator(kSeed);
  return make_inputs(sample, generator, dtype);
}

std::vector<double> elements_of(const Tensor& x) { return x.to(kFloat64).to_vector<double>(); }

bool has_gradient(const Sample& sample) {
  for (const Input& input : sample.inputs)
    if (input.kind == Input::Kind::real && input.requires_grad) return true;
  return false;
}

// "" when got and want agree up to the tolerance times the largest number of want (at least 1).
std::string difference(const std::vector<double>& got, const std::vector<double>& want,
                       double tolerance) {
  if (got.size() != want.size()) return text(got.size(), " elements instead of ", want.size());
  double scale = 1;
  for (double w : want)
    if (std::isfinite(w)) scale = std::max(scale, std::fabs(w));
  for (size_t i = 0; i < got.size(); ++i) {
    const bool same = got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])) ||
                      std::fabs(got[i] - want[i]) <= tolerance * scale;
    if (!same) return text("element ", i, " is ", got[i], " instead of ", want[i]);
  }
  return "";
}

std::string difference(const std::vector<Tensor>& got, const std::vector<Tensor>& want,
                       double tolerance) {
  if (got.size() != want.size()) return text(got.size(), " results instead of ", want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (!(got[i].shape() == want[i].shape()))
      return text("result ", i, " has shape ", got[i].shape(), " instead of ", want[i].shape());
    const std::string found = difference(elements_of(got[i]), elements_of(want[i]), tolerance);
    if (!found.empty()) return text("result ", i, ": ", found);
  }
  return "";
}

// A random upstream gradient for every output of real numbers, the same ones in both types.
Vars upstreams(const Vars& outputs) {
  Generator generator(kSeed + 1);
  Vars seeds;
  for (const Var& y : outputs)
    seeds.push_back(is_floating(y.dtype())
                        ? Var(uniform(y.shape(), -1, 1, kFloat32, generator).to(y.dtype()))
                        : Var());
  return seeds;
}

// Outputs and gradients of a call; an absent gradient counts as zeros.
struct Run {
  std::vector<Tensor> values, gradients, second;
};

Vars needed(const Vars& all) {
  Vars some;
  for (const Var& v : all)
    if (v.requires_grad()) some.push_back(v);
  return some;
}

std::vector<Tensor> dense(const Vars& gradients, const Vars& inputs) {
  std::vector<Tensor> all;
  for (size_t i = 0; i < inputs.size(); ++i)
    all.push_back(gradients[i].defined() ? gradients[i].value()
                                         : Tensor::zeros(inputs[i].shape(), inputs[i].dtype()));
  return all;
}

Run run(const Function& f, const Vars& inputs, bool second_order, bool strided_upstream = false) {
  Run result;
  const Vars outputs = f(inputs), leaves = needed(inputs);
  for (const Var& y : outputs) result.values.push_back(y.value());
  Vars used, seeds, all_seeds = upstreams(outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!all_seeds[i].defined()) continue;
    const Tensor seed = all_seeds[i].value();
    all_seeds[i] = Var(strided_upstream ? strided(seed) : seed, second_order);
    if (!outputs[i].requires_grad()) continue;
    used.push_back(outputs[i]);
    seeds.push_back(all_seeds[i]);
  }
  if (leaves.empty()) return result;
  if (used.empty()) {
    result.gradients = dense(Vars(leaves.size()), leaves);
    return result;
  }
  const Vars gradients = grad(used, leaves, seeds, {.create_graph = second_order});
  result.gradients = dense(gradients, leaves);
  if (!second_order) return result;
  Vars again;
  for (const Var& g : gradients)
    if (g.defined() && g.requires_grad()) again.push_back(g);
  Vars targets = leaves, found;
  for (const Var& seed : all_seeds)
    if (seed.defined()) targets.push_back(seed);
  if (!again.empty()) found = grad(again, targets, upstreams(again));
  found.resize(targets.size());
  result.second = dense(found, targets);
  return result;
}

template <class F>
void for_each_sample(const F& f) {
  for (const Entry& entry : op_entries())
    for (const Sample& sample : entry.samples) {
      INFO(entry.name << ", " << sample.label);
      f(entry, sample);
    }
}

// Bytes of every element, strided or not.
std::vector<std::vector<std::byte>> bits(const Vars& inputs) {
  std::vector<std::vector<std::byte>> all;
  for (const Var& v : inputs) {
    const Tensor dense = v.value().contiguous();
    const auto* from = static_cast<const std::byte*>(dense.raw());
    all.emplace_back(from, from + static_cast<size_t>(dense.numel()) * size_of(dense.dtype()));
  }
  return all;
}

}  // namespace

// The kernels' functions are right to 4 units in the last place and sums here have few terms:
// 1e-13 of the largest number leaves a wide margin.
TEST_CASE("values agree with an independent computation", "[samples]") {
  for_each_sample([](const Entry&, const Sample& sample) {
    if (!sample.reference) return;
    const Vars inputs = inputs_of(sample);
    std::vector<std::vector<double>> plain;
    for (const Var& v : inputs) plain.push_back(elements_of(v.value()));
    const Vars outputs = sample.f(inputs);
    REQUIRE(!outputs.empty());
    CHECK(difference(elements_of(outputs[0].value()), sample.reference(plain), 1e-13) == "");
  });
}

// float32 has the same inputs to the last bit, so what differs is rounding inside: a few dozen
// roundings of 6e-8, each at most multiplied by the slopes met here (below 20).
TEST_CASE("float32 agrees with float64", "[samples]") {
  for_each_sample([](const Entry&, const Sample& sample) {
    const Run exact = run(sample.f, inputs_of(sample), false);
    const Run single = run(sample.f, inputs_of(sample, kFloat32), false);
    for (size_t i = 0; i < single.values.size(); ++i)
      CHECK(single.values[i].dtype() ==
            (exact.values[i].dtype() == kFloat64 ? kFloat32 : exact.values[i].dtype()));
    for (const Tensor& g : single.gradients) CHECK(g.dtype() == kFloat32);
    CHECK(difference(single.values, exact.values, 4e-6) == "");
    CHECK(difference(single.gradients, exact.gradients, 4e-6) == "");
  });
}

// Sums may run in another order: their rounding is all that may differ.
TEST_CASE("the layout of the inputs does not matter", "[samples]") {
  for_each_sample([](const Entry&, const Sample& sample) {
    const Vars inputs = inputs_of(sample);
    const Run dense = run(sample.f, inputs, sample.second_order);
    for (auto* layout : {strided, transposed}) {
      Vars others;
      for (const Var& v : inputs) others.emplace_back(layout(v.value()), v.requires_grad());
      const Run other = run(sample.f, others, sample.second_order, true);
      INFO((layout == strided ? "every second element" : "axes reversed in memory"));
      CHECK(difference(other.values, dense.values, 1e-13) == "");
      CHECK(difference(other.gradients, dense.gradients, 1e-13) == "");
      CHECK(difference(other.second, dense.second, 1e-13) == "");
    }
  });
}

TEST_CASE("inputs and upstream gradients stay as they are", "[samples]") {
  for_each_sample([](const Entry&, const Sample& sample) {
    const Vars inputs = inputs_of(sample);
    const auto before = bits(inputs);
    const Vars outputs = sample.f(inputs);
    CHECK(bits(inputs) == before);
    Vars seeds = upstreams(outputs);
    const auto values = bits(outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].requires_grad()) continue;
      const auto seed = bits({seeds[i]});
      outputs[i].backward(seeds[i], {.retain_graph = true});
      CHECK(bits({seeds[i]}) == seed);
    }
    CHECK(bits(inputs) == before);
    CHECK(bits(outputs) == values);
    for (const Var& v : inputs) CHECK(v.value().version() == 0);
  });
}

// The fused path rounds at other places than the definition.
TEST_CASE("a fused op equals its definition", "[samples]") {
  int compared = 0;
  for_each_sample([&](const Entry&, const Sample& sample) {
    if (!sample.definition) return;
    ++compared;
    const Run fused = run(sample.f, inputs_of(sample), false);
    const Run defined = run(sample.definition, inputs_of(sample), false);
    CHECK(difference(fused.values, defined.values, 1e-13) == "");
    CHECK(difference(fused.gradients, defined.gradients, 1e-12) == "");
    if (!sample.second_order) return;
    const Run fused_twice = run(sample.f, inputs_of(sample), true);
    const Run defined_twice = run(sample.definition, inputs_of(sample), true);
    CHECK(difference(fused_twice.gradients, fused.gradients, 1e-12) == "");
    CHECK(difference(fused_twice.second, defined_twice.second, 1e-12) == "");
  });
  CHECK(compared > 20);
}

TEST_CASE("gradients have the shape and type of their inputs", "[samples]") {
  for_each_sample([](const Entry&, const Sample& sample) {
    for (DType dtype : {kFloat32, kFloat64}) {
      const Vars inputs = inputs_of(sample, dtype);
      const Vars outputs = sample.f(inputs), seeds = upstreams(outputs);
      bool reached = false;
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].requires_grad()) continue;
        outputs[i].backward(seeds[i], {.retain_graph = true});
        reached = true;
      }
      for (const Var& v : needed(inputs)) {
        if (!reached || !v.grad().defined()) continue;
        CHECK(v.grad().shape() == v.shape());
        CHECK(v.grad().dtype() == dtype);
      }
    }
  });
}

TEST_CASE("gradients and second gradients agree with finite differences", "[samples][gradient]") {
  for_each_sample([](const Entry& entry, const Sample& sample) {
    if (!entry.differentiable || !has_gradient(sample)) return;
    const GradReport report = check(sample.f, inputs_of(sample),
                                    {.name = entry.name + ", " + sample.label,
                                     .tolerance = sample.tolerance,
                                     .second_order = sample.second_order});
    INFO(report.text());
    CHECK(report.verdict == sample.expect);
  });
}

TEST_CASE("what does not differentiate records nothing", "[samples]") {
  for (const Entry& entry : op_entries()) {
    if (entry.differentiable) continue;
    for (const Sample& sample : entry.samples) {
      INFO(entry.name << ", " << sample.label);
      Vars inputs;
      for (const Var& v : inputs_of(sample)) inputs.emplace_back(v.value(), is_floating(v.dtype()));
      for (const Var& y : sample.f(inputs)) CHECK(!y.requires_grad());
    }
  }
}

TEST_CASE("calls that make no sense throw an error that says why", "[samples]") {
  for (const Entry& entry : op_entries())
    for (const ErrorRow& row : entry.errors) {
      INFO(entry.name << ", " << row.label);
      std::string message = "nothing was thrown";
      try {
        row.call();
      } catch (const Error& error) {
        message = error.what();
      }
      INFO(message);
      CHECK(message.find(row.message) != std::string::npos);
    }
}
