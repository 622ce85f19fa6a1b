#pragma once

#include <nlohmann/json_fwd.hpp>

#include "models/captioner/picture_encoder.h"
#include "models/seq2seq/translator.h"
#include "nn/embedding.h"
#include "nn/transformer.h"

namespace glass {

struct TransformerTranslatorOptions {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t d_model = 128, ffn = 512, heads = 4;
  int64_t layers = 2, decoder_layers = 2;
  double dropout = 0.1;
  double label_smoothing = 0;
  bool norm_first = false;  ///< x + f(norm(x)) instead of norm(x + f(x))
  bool tied = false;        ///< the output layer shares the target embedding's weight
  std::optional<PictureEncoderOptions> picture = {};  ///< it reads pictures, not texts
};
nlohmann::json to_json(const TransformerTranslatorOptions& options);
/// Throws Error naming a missing or unknown key.
TransformerTranslatorOptions transformer_options(const nlohmann::json& json);

/// The Transformer as a translator (Vaswani et al. 2017). Token x at place t enters as
///   dropout(√d_model·embedding(x) + PE(t))
/// and the next token has the probabilities softmax(W_o·decoder + b_o). Embeddings begin with
/// variance 1/d_model, the rest as in torch.nn.Transformer; as there, encoder and decoder end in a
/// LayerNorm. The cells of a picture's map enter as dropout(W·cell), with their places in them;
/// there may be no encoder layer then.
class TransformerTranslator : public Translator {
 public:
  TransformerTranslator(const TransformerTranslatorOptions& options, uint64_t seed);
  void visit(Visitor& v) override;

  /// All places at once; each is given the right tokens before it.
  Loss loss(const Seq2SeqBatch& batch, int64_t step = 0) override;
  double attention_multiply_adds(int64_t source, int64_t target) const override;
  /// Of the last decoder layer to the source.
  Tensor attention(const Seq2SeqBatch& batch) override;
  std::array<Var, 2> embed(const Seq2SeqBatch& batch) override;
  Var logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) override;

  PictureEncoder* picture_encoder() override { return picture ? &*picture : nullptr; }
  int64_t picture_cells(int64_t side) const override { return picture ? picture->cells(side) : 0; }

  const TransformerTranslatorOptions& options() const { return options_; }

  std::optional<Embedding> source_embedding;  ///< of texts
  std::optional<PictureEncoder> picture;
  std::optional<Linear> cell_projection;  ///< W
  Embedding target_embedding;
  Transformer transformer;
  Linear output;

 protected:
  /// Each step computes its own place only: what the layers need of the others is kept.
  std::unique_ptr<StepModel> start(const Seq2SeqBatch& batch) override;

 private:
  TransformerTranslator(const TransformerTranslatorOptions& options,
                        std::shared_ptr<Generator> generator);
  Var placed(const Var& embedded, int64_t first = 0);
  Var embed_source(const Tensor& source);
  Var source_placed(const Var& embedded);
  TransformerDecoder::Cache read(const Seq2SeqBatch& batch);
  friend class TransformerSteps;

  TransformerTranslatorOptions options_;
};

}  // namespace glass
