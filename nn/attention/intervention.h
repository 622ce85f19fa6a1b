#pragma once

#include <functional>
#include <string>

#include "nn/module.h"

namespace glass {

/// While alive, the weights of an attention layer that runs on this thread pass through a function
/// before values are summed by them: what would the model say if it had looked elsewhere? The
/// changed weights are constants: no gradient reaches the scores. Scopes may be nested: the
/// innermost alone acts.
class AttentionIntervention {
 public:
  /// Weights [B, H, T, S] to weights of the same shape and type. Called for every call of the
  /// layer, in their order; a decoder that goes step by step calls it with T = 1.
  using Change = std::function<Tensor(const Tensor& weights)>;

  /// Of every attention layer.
  explicit AttentionIntervention(Change change) : AttentionIntervention(nullptr, change) {}
  /// Of the layer at this path in the model (as an AttentionRecorder names it), which must not move
  /// meanwhile. Throws Error when there is no such module.
  AttentionIntervention(Module& model, const std::string& layer, Change change);
  ~AttentionIntervention();
  AttentionIntervention(const AttentionIntervention&) = delete;
  AttentionIntervention& operator=(const AttentionIntervention&) = delete;

  int64_t calls() const { return calls_; }  ///< how often the layer's weights were changed

  // For layers.
  static bool touches(const Module* layer);
  /// The weights, changed where the layer is touched. Throws Error for a change of another shape.
  static Var changed(const Module* layer, const Var& weights);

 private:
  AttentionIntervention(const Module* layer, Change change);

  const Module* layer_;  // null: every one
  Change change_;
  int64_t calls_ = 0;
  AttentionIntervention* outer_;
};

}  // namespace glass
