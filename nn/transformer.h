#pragma once

#include "nn/dropout.h"
#include "nn/layer_norm.h"
#include "nn/multihead_attention.h"

// The Transformer (Vaswani et al. 2017), with torch.nn's names, layouts and defaults. Inputs are
// [T, B, d_model], with batch_first [B, T, d_model], or without B.
namespace glass {

struct TransformerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  enum class Activation : uint8_t { relu, gelu } activation = Activation::relu;
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  ///< x + f(norm(x)) instead of norm(x + f(x)) (Xiong et al. 2020)
};

/// What a layer attends to: masks, and terms added to the scores.
struct AttendTo {
  Mask mask = {};
  Var bias = {};
};

/// x = norm1(x + attention(x, x, x)); x = norm2(x + linear2(activation(linear1(x)))).
class TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, const TransformerOptions& options,
                          Generator& generator);
  void visit(Visitor& v) override;
  Var operator()(const Var& src, const AttendTo& self = {}) const;

  TransformerOptions options;
  MultiheadAttention self_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2;

 private:
  Dropout dropout_;
};

/// The same with attention to the encoder's output (memory) in between.
class TransformerDecoderLayer : public Module {
 public:
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, const TransformerOptions& options,
                          Generator& generator);
  void visit(Visitor& v) override;
  Var operator()(const Var& tgt, const Var& memory, const AttendTo& self = {},
                 const AttendTo& cross = {}) const;

  /// What the layer keeps between the steps of a text that is being written.
  struct Cache {
    ProjectedKeys past;    ///< of what was written; undefined before the first step
    ProjectedKeys memory;  ///< of the encoder's output
  };
  struct Step {
    Var output;   ///< of tgt's shape
    Var weights;  ///< of the attention to memory: [B, H, T, S]
    Cache cache;  ///< for the next step
  };
  Cache start(const Var& memory, const Mask& mask = {}) const;
  /// The next places of tgt, each of which sees itself and what was written before: what the whole
  /// under a causal mask would give there.
  Step step(const Var& tgt, const Cache& cache) const;

  TransformerOptions options;
  MultiheadAttention self_attn, multihead_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2, norm3;

 private:
  template <class Self, class Cross>
  Var through(const Var& tgt, Self self, Cross cross) const;
  Dropout dropout_;
};

/// num_layers encoder layers of equal shape (each with values of its own; there may be none), then
/// a LayerNorm where final_norm.
class TransformerEncoder : public Module {
 public:
  TransformerEncoder(int64_t num_layers, int64_t d_model, int64_t nhead,
                     const TransformerOptions& options, bool final_norm, Generator& generator);
  void visit(Visitor& v) override;
  Var operator()(Var src, const AttendTo& self = {}) const;

  std::vector<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
};

class TransformerDecoder : public Module {
 public:
  TransformerDecoder(int64_t num_layers, int64_t d_model, int64_t nhead,
                     const TransformerOptions& options, bool final_norm, Generator& generator);
  void visit(Visitor& v) override;
  Var operator()(Var tgt, const Var& memory, const AttendTo& self = {},
                 const AttendTo& cross = {}) const;

  using Cache = std::vector<TransformerDecoderLayer::Cache>;  ///< one per layer
  struct Step {
    Var output;   ///< of tgt's shape
    Var weights;  ///< of the last layer's attention to memory: [B, H, T, S]
    Cache cache;
  };
  Cache start(const Var& memory, const Mask& mask = {}) const;
  Step step(const Var& tgt, const Cache& cache) const;
  /// The cache of these rows of the batch (int64), in their order: for a beam.
  static Cache rows(const Cache& cache, const Tensor& index);

  std::vector<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
};

/// Encoder and decoder, each ending in a LayerNorm; matrices from Xavier's uniform distribution.
class Transformer : public Module {
 public:
  Transformer(int64_t d_model, int64_t nhead, int64_t num_encoder_layers,
              int64_t num_decoder_layers, const TransformerOptions& options, Generator& generator);
  void visit(Visitor& v) override;
  Var operator()(const Var& src, const Var& tgt, const AttendTo& encoder_self = {},
                 const AttendTo& decoder_self = {}, const AttendTo& cross = {}) const;

  TransformerEncoder encoder;
  TransformerDecoder decoder;
};

}  // namespace glass
