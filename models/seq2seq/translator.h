#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/data/source.h"
#include "models/decode/sampling.h"
#include "models/decode/search.h"
#include "nn/mask.h"
#include "nn/module.h"

namespace glass {

class PictureEncoder;

/// Sources and targets of a batch, texts padded with Vocabulary::kPad.
struct Seq2SeqBatch {
  Tensor source;                        ///< [B, S] int64; pictures: [B, 3, H, W] float32
  std::vector<int64_t> source_lengths;  ///< B; empty: pictures, which have no padding
  Tensor target_in, target_out;         ///< [B, T] int64: from bos, and up to eos
  std::vector<int64_t> target_lengths;  ///< B: eos counted
  int64_t target_tokens = 0;            ///< eos counted, padding not
};
/// Ids without bos and eos; targets may be empty when only sources are wanted. Throws Error for
/// texts and pictures in one batch.
Seq2SeqBatch make_batch(const std::vector<Source>& sources,
                        const std::vector<std::vector<int64_t>>& targets);
/// Which of S places of a source may be attended to.
Mask source_mask(const std::vector<int64_t>& lengths, int64_t S);

/// A model that reads a text or a picture and writes a text: what training, decoding and reports
/// need.
class Translator : public Module {
 public:
  struct Loss {
    Var mean;            ///< what training lowers, per target token
    int64_t tokens = 0;  ///< what the mean is over
    /// 0-d: its cross-entropy alone, without label smoothing, penalties and estimators: what
    /// validation measures.
    Tensor cross_entropy = {};
  };
  /// step: how many training steps were done, for what changes while training.
  virtual Loss loss(const Seq2SeqBatch& batch, int64_t step = 0) = 0;
  virtual bool attends() const { return true; }
  /// The most tokens of a source that it can read.
  virtual int64_t longest_source() const { return INT64_MAX; }
  /// Multiply-adds of the attention over a sentence of so many tokens (attention_cost.h).
  virtual double attention_multiply_adds(int64_t source, int64_t target) const = 0;
  /// Attention weights [B, T, S] under teacher forcing, averaged over heads; undefined for a model
  /// without attention.
  virtual Tensor attention(const Seq2SeqBatch& batch) = 0;
  /// What stands at each place of a batch: embeddings of a source [B, S, E] (of a picture the cells
  /// of its map) and of target_in [B, T, E'].
  virtual std::array<Var, 2> embed(const Seq2SeqBatch& batch) = 0;
  /// Logits [B, T, V] under teacher forcing from such embeddings; of the batch only the lengths are
  /// read. For audits: derivatives by what stands at each place.
  virtual Var logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) = 0;
  /// The best hypotheses for each source; the model must be in eval mode.
  std::vector<std::vector<Hypothesis>> translate(const std::vector<Source>& sources,
                                                 const SearchOptions& options);
  /// The same, drawn by chance.
  std::vector<std::vector<Hypothesis>> sample(const std::vector<Source>& sources,
                                              const SamplingOptions& options);

  /// What reads pictures; null in a model that reads texts.
  virtual PictureEncoder* picture_encoder() { return nullptr; }
  /// Cells of the map of a square picture of so many pixels a side.
  virtual int64_t picture_cells(int64_t) const { return 0; }

  Generator& generator() { return *generator_; }  ///< where dropout draws from

 protected:
  explicit Translator(std::shared_ptr<Generator> generator) : generator_(std::move(generator)) {}
  /// Reads the sources and waits to write.
  virtual std::unique_ptr<StepModel> start(const Seq2SeqBatch& batch) = 0;
  /// The model's answer to a step: log p of logits [N, V] without the tokens that are none.
  static Tensor answer(const Var& logits);
  /// Cross-entropy of logits [B, T, V] with targets [B, T] (or without T), padding left out.
  static Loss token_loss(const Var& logits, const Tensor& targets, int64_t tokens,
                         double smoothing);

  std::shared_ptr<Generator> generator_;  // initial weights first, then what training draws
};

}  // namespace glass
