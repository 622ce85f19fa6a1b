#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "models/classifier/pooling.h"
#include "models/seq2seq/translator.h"
#include "nn/embedding.h"
#include "nn/lstm.h"
#include "nn/transformer.h"

namespace glass {

struct ClassifierOptions {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  std::string encoder = "recurrent";  ///< or transformer
  int64_t embedding = 64;             ///< of tokens; the transformer's d_model
  int64_t hidden = 64;  ///< of the LSTM, each direction; the transformer's feed-forward
  int64_t layers = 1;
  int64_t heads = 4;            ///< transformer only
  int64_t attention_size = 32;  ///< of the pooling
  int64_t hops = 1;
  double penalty = 0;  ///< of hop_penalty
  double dropout = 0.1;
  double label_smoothing = 0;
};
nlohmann::json to_json(const ClassifierOptions& options);
/// Throws Error naming a missing or unknown key.
ClassifierOptions classifier_options(const nlohmann::json& json);

/// A text to a label: a translator whose answer is one token. States of a bidirectional LSTM or a
/// Transformer's encoder, self-attentive pooling, and softmax(W·M + b) over the labels. The first
/// token of a target is its label.
class Classifier : public Translator {
 public:
  Classifier(const ClassifierOptions& options, uint64_t seed);
  void visit(Visitor& v) override;

  /// Cross-entropy per text, and in training the hops' penalty.
  Loss loss(const Seq2SeqBatch& batch, int64_t step = 0) override;
  double attention_multiply_adds(int64_t source, int64_t target) const override;
  /// Of the pooling, the mean over hops, the same for each token of an answer.
  Tensor attention(const Seq2SeqBatch& batch) override;
  /// The target's are zeros [B, T, 1]: nothing is read of it.
  std::array<Var, 2> embed(const Seq2SeqBatch& batch) override;
  /// Those of the label, and behind it those of a certain end.
  Var logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) override;

  const ClassifierOptions& options() const { return options_; }

  Embedding embedding;
  std::optional<LSTM> lstm;
  std::optional<TransformerEncoder> encoder;
  SelfAttentivePooling pooling;
  Linear output;

 protected:
  std::unique_ptr<StepModel> start(const Seq2SeqBatch& batch) override;

 private:
  Classifier(const ClassifierOptions& options, std::shared_ptr<Generator> generator);
  struct Read {
    Var logits;   // [B, V]
    Var weights;  // [B, r, S]
  };
  Read read(const Var& embedded, const std::vector<int64_t>& lengths);
  friend class LabelSteps;

  ClassifierOptions options_;
};

}  // namespace glass
