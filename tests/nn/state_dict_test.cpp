// State dicts that PyTorch wrote, loaded into the same models here.
#include "models/verify/verify.h"
#include "tests/nn/models.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

NamedTensors clones_of(const NamedTensors& state) {
  NamedTensors copy;
  for (const auto& [name, tensor] : state.tensors) copy.add(name, tensor.clone());
  return copy;
}

/// "" or where the two differ.
std::string apart(const Var& got, const Var& want, double rtol, double atol) {
  double worst = 0;
  return difference("output", got.value(), want.value(), rtol, atol, worst);
}

bool same(const NamedTensors& a, const NamedTensors& b) {
  bool equal = a.tensors.size() == b.tensors.size();
  for (size_t i = 0; equal && i < a.tensors.size(); ++i)
    equal = a.tensors[i].first == b.tensors[i].first &&
            apart(Var(a.tensors[i].second), Var(b.tensors[i].second), 0, 0).empty();
  return equal;
}

}  // namespace

// Sums of float32 of at most 24 terms near 1, in another order: a few roundings of 6e-8.
TEST_CASE("a state dict that PyTorch wrote gives PyTorch's outputs", "[state_dict]") {
  const NamedTensors cases = load_safetensors(state_dict_path("cases"));
  for (const Model& m : pytorch_models()) {
    INFO(m.name);
    m.module->load_state_dict(load_safetensors(state_dict_path(m.name)));
    const Vars outputs = m.call(recorded(cases, m.name + ".in"));
    const Vars wanted = recorded(cases, m.name + ".out");
    REQUIRE(!wanted.empty());
    REQUIRE(outputs.size() == wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      INFO("output " << i);
      CHECK(apart(outputs[i], wanted[i], 2e-6, 1e-6) == "");
    }
  }
}

TEST_CASE("a batch of one gives the numbers of its row in a larger batch", "[state_dict]") {
  const NamedTensors cases = load_safetensors(state_dict_path("cases"));
  for (const Model& m : pytorch_models()) {
    const Vars inputs = recorded(cases, m.name + ".in"), whole = m.call(inputs);
    REQUIRE(whole.size() == m.output_batch.size());
    for (int64_t row = 0; row < inputs[0].size(m.input_batch); ++row) {
      INFO(m.name << ", row " << row);
      Vars alone;
      for (const Var& x : inputs) alone.push_back(narrow(x, m.input_batch, row, 1));
      const Vars outputs = m.call(alone);
      for (size_t i = 0; i < whole.size(); ++i)
        CHECK(apart(outputs[i], narrow(whole[i], m.output_batch[i], row, 1), 1e-6, 1e-6) == "");
    }
  }
}

TEST_CASE("a model writes the entries it read, in PyTorch's order", "[state_dict]") {
  for (const Model& m : pytorch_models()) {
    INFO(m.name);
    const NamedTensors read = load_safetensors(state_dict_path(m.name));
    m.module->load_state_dict(read);
    CHECK(same(m.module->state_dict(), read));
  }
}

TEST_CASE("a state dict that does not fit is named and changes nothing", "[state_dict]") {
  for (const Model& m : pytorch_models()) {
    INFO(m.name);
    const NamedTensors read = load_safetensors(state_dict_path(m.name));
    const NamedTensors before = clones_of(m.module->state_dict());
    const auto refused = [&](const NamedTensors& state, const std::string& what) {
      CHECK_THAT(message_of([&] { m.module->load_state_dict(state); }), ContainsSubstring(what));
      CHECK(same(m.module->state_dict(), before));
    };
    for (size_t i = 0; i < read.tensors.size(); ++i) {
      const auto& [name, tensor] = read.tensors[i];
      NamedTensors missing = read, surplus = read, misshapen = read;
      missing.tensors.erase(missing.tensors.begin() + static_cast<std::ptrdiff_t>(i));
      refused(missing, "missing: " + name);
      surplus.add(name + "_again", tensor);
      refused(surplus, "surplus: " + name + "_again");
      misshapen.tensors[i].second = tensor.unsqueeze(0);
      refused(misshapen, text(name, " is ", tensor.unsqueeze(0).shape()));
    }
  }
}
