#pragma once

#include "models/diagnosis/rule.h"
#include "nn/attention/attention.h"
#include "nn/embedding.h"
#include "nn/layer_norm.h"

namespace glass {

struct LookupOptions {
  AttentionScore score = ScaledDotScore{};
  AttentionScope scope = GlobalScope{};
  bool masked = true;  ///< padding is hidden from the attention
  int64_t size = 64;
  int64_t shortest = 6, longest = 16;  ///< pairs of a sentence
  int64_t steps = 300;
};

/// Lists of pairs, a symbol and its colour, and some of the symbols again, whose colours are asked
/// for: a task that nothing but attention can do. Keys and values are norm(S[symbol] + C[colour]),
/// queries norm(Q[symbol]), and the colour has the probabilities softmax(W·context + b).
class Lookup : public Trainee {
 public:
  explicit Lookup(const LookupOptions& options);
  Module& model() override { return network_; }
  Generator& generator() override { return generator_; }
  Loss loss(const Batch& batch, int64_t step) override;
  Score validate() override;
  BatchLengths lengths(const Batch& batch) override;
  Course train();

 private:
  struct Network : Module {
    Network(const LookupOptions& options, Generator& generator);
    void visit(Visitor& v) override;
    Embedding symbols, colours, asked;
    LayerNorm norm;
    Attention attention;
    Linear output;
  };
  struct Example {
    std::vector<int64_t> symbols, colours, asked, answers;
  };
  struct Tensors {
    Tensor symbols, colours, asked, answers;
    std::vector<int64_t> lengths;
  };
  Tensors tensors(const std::vector<int64_t>& rows) const;
  Var logits(const Tensors& batch);

  LookupOptions options_;
  Generator generator_;
  Network network_;
  std::vector<Example> examples_;
};

}  // namespace glass
