#include "nn/attention/intervention.h"

#include "nn/attention/recorder.h"

namespace glass {
namespace {

thread_local AttentionIntervention* intervening = nullptr;

const Module* module_at(Module& model, const std::string& layer) {
  for (const auto& [module, path] : module_paths(model))
    if (path == layer) return module;
  fail("AttentionIntervention", "the model has no layer of this name", layer);
}

}  // namespace

AttentionIntervention::AttentionIntervention(const Module* layer, Change change)
    : layer_(layer), change_(std::move(change)), outer_(intervening) {
  intervening = this;
}

AttentionIntervention::AttentionIntervention(Module& model, const std::string& layer, Change change)
    : AttentionIntervention(module_at(model, layer), std::move(change)) {}

AttentionIntervention::~AttentionIntervention() { intervening = outer_; }

bool AttentionIntervention::touches(const Module* layer) {
  return intervening && (!intervening->layer_ || intervening->layer_ == layer);
}

Var AttentionIntervention::changed(const Module* layer, const Var& weights) {
  if (!touches(layer)) return weights;
  ++intervening->calls_;
  Tensor other = intervening->change_(weights.value());
  if (!(other.shape() == weights.shape()) || other.dtype() != weights.dtype())
    fail("AttentionIntervention", "changed weights must keep their shape and type", other.shape(),
         " of ", name_of(other.dtype()), ", not ", weights.shape(), " of ",
         name_of(weights.dtype()));
  return Var(std::move(other));
}

}  // namespace glass
