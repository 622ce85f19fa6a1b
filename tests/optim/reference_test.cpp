// Ten steps of every optimiser, against PyTorch's numbers.

#include "tests/reference.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/catch.h"
#include "tests/skip.h"

using namespace glass;
using namespace glass::tests;
using nlohmann::json;

namespace {

template <class Options>
Options options_from(const json& j);

template <>
SgdOptions options_from(const json& j) {
  SgdOptions o;
  o.lr = j.value("lr", o.lr);
  o.momentum = j.value("momentum", o.momentum);
  o.dampening = j.value("dampening", o.dampening);
  o.weight_decay = j.value("weight_decay", o.weight_decay);
  o.nesterov = j.value("nesterov", o.nesterov);
  o.maximize = j.value("maximize", o.maximize);
  return o;
}

template <class Options>
Options adam_options(const json& j) {
  Options o;
  o.lr = j.value("lr", o.lr);
  o.betas = j.value("betas", o.betas);
  o.eps = j.value("eps", o.eps);
  o.weight_decay = j.value("weight_decay", o.weight_decay);
  o.amsgrad = j.value("amsgrad", o.amsgrad);
  o.maximize = j.value("maximize", o.maximize);
  return o;
}
template <>
AdamOptions options_from(const json& j) {
  return adam_options<AdamOptions>(j);
}
template <>
AdamWOptions options_from(const json& j) {
  return adam_options<AdamWOptions>(j);
}

template <class Optim, class Options>
void replay(const ReferenceCase& c) {
  INFO(c.name);
  const bool grouped = c.kwargs.contains("groups");
  std::vector<ParamGroup<Options>> groups;
  std::vector<std::string> suffixes;
  for (size_t i = 0; i < (grouped ? c.kwargs["groups"].size() : 1); ++i) {
    json arguments = c.kwargs;
    if (grouped) arguments.update(c.kwargs["groups"][i]);
    suffixes.push_back(grouped ? "." + std::to_string(i) : "");
    groups.push_back(
        {{Var(c.at("in.param" + suffixes[i]).clone(), true)}, options_from<Options>(arguments)});
  }
  Optim optimizer(groups);
  for (int64_t step = 0; step < 10; ++step) {
    INFO("step " << step);
    for (size_t i = 0; i < groups.size(); ++i)
      groups[i].params[0].set_grad(Var(c.at("in.grads" + suffixes[i]).select(0, step).clone()));
    optimizer.step();
    for (size_t i = 0; i < groups.size(); ++i)
      CHECK(excess(groups[i].params[0].value(), c.at("out.param" + suffixes[i]).select(0, step),
                   c.rtol) <= c.atol);
  }
}

}  // namespace

TEST_CASE("optimisers give PyTorch's numbers", "[optimizer][reference]") {
  const auto sgd = load_reference("optim.SGD"), adam = load_reference("optim.Adam"),
             adamw = load_reference("optim.AdamW");
  if (sgd.empty()) return skip("no reference values");
  for (const auto& c : sgd) replay<SGD, SgdOptions>(c);
  for (const auto& c : adam) replay<Adam, AdamOptions>(c);
  for (const auto& c : adamw) replay<AdamW, AdamWOptions>(c);
}
