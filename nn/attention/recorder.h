#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/module.h"

namespace glass {

struct AttentionWeights;

/// Every module below a root and its path, as parameters are named: "decoder.attention".
std::map<const Module*, std::string> module_paths(Module& root);

/// The weights of one call of an attention layer.
struct RecordedAttention {
  std::string layer;  ///< its path in the recorder's model, or "attention N", N by first call
  Tensor weights;     ///< [B, H, T, S]
  Tensor mass;        ///< [B, H, T]: what each row sums to
  Tensor gate = {};   ///< [B, T] of ContextGate, the mean over features; undefined without
};

/// While alive, every attention layer that runs on this thread leaves its weights here, without a
/// change to the model. Recorders may be nested: the innermost records.
class AttentionRecorder {
 public:
  AttentionRecorder() : AttentionRecorder(nullptr) {}
  /// Names layers by their place in model, which must not move meanwhile.
  explicit AttentionRecorder(Module& model) : AttentionRecorder(&model) {}
  ~AttentionRecorder();
  AttentionRecorder(const AttentionRecorder&) = delete;
  AttentionRecorder& operator=(const AttentionRecorder&) = delete;

  const std::vector<RecordedAttention>& calls() const { return calls_; }
  /// Layers in the order of their first calls.
  std::vector<std::string> layers() const;
  /// All queries of a layer, one call after the other: [B, H, T, S]. Throws Error when the layer
  /// was not called, or for batches or keys of different sizes.
  Tensor weights(const std::string& layer) const;
  /// The gates that belong to weights(): [B, T]; undefined without.
  Tensor gates(const std::string& layer) const;
  void clear() { calls_.clear(); }

  // For layers.
  static AttentionRecorder* active();
  static void see(const Module* layer, const AttentionWeights& weights, const Var& gate);
  static void see(const Module* layer, const Var& weights);  ///< [B, H, T, S]

 private:
  explicit AttentionRecorder(Module* model);
  void add(const Module* layer, const Tensor& weights, const Tensor& mass, const Tensor& gate);

  std::map<const Module*, std::string> names_;
  std::vector<RecordedAttention> calls_;
  AttentionRecorder* outer_;
};

/// An array as NumPy reads it (format 1.0): float32, float64, int64 or bool. Written atomically;
/// throws Error where it cannot be.
void save_npy(const std::string& path, const Tensor& array);

}  // namespace glass
