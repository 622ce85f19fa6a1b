#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/seq2seq/decoder.h"
#include "models/seq2seq/encoder.h"
#include "models/seq2seq/sampling.h"
#include "models/seq2seq/translator.h"

namespace glass {

/// doubly_stochastic_loss in training (nn/attention/losses.h).
struct DoublyStochastic {
  double weight = 0;                ///< λ; 0: none
  std::string target = "one";       ///< one: 1; share: what each place can get, T/S
  std::string reduction = "paper";  ///< paper, authors, popular
};

struct Seq2SeqOptions {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t embedding = 64, hidden = 128;
  AttentionChoice attention = {};
  int64_t layers = 1, decoder_layers = 1;
  CellKind cell = CellKind::lstm;
  bool bidirectional = true, convolutional = false;  ///< of the encoder
  double dropout = 0.1;
  double label_smoothing = 0;
  AttentionPlace place = AttentionPlace::before;
  bool input_feeding = true, tied = false;
  ScheduledSampling sampling = {};
  Bridge bridge = Bridge::dense;
  bool sentinel = false;
  DoublyStochastic doubly = {};
  std::optional<PictureEncoderOptions> picture = {};  ///< it reads pictures, not texts
};
nlohmann::json to_json(const Seq2SeqOptions& options);
/// Throws Error naming a missing or unknown key.
Seq2SeqOptions seq2seq_options(const nlohmann::json& json);

/// Sequence to sequence: an encoder, and a decoder that attends to it as options say. The default
/// is the model of Bahdanau, Cho and Bengio 2014 with an LSTM; with pictures that of Xu et al.
/// 2015.
class Seq2Seq : public Translator {
 public:
  Seq2Seq(const Seq2SeqOptions& options, uint64_t seed);
  void visit(Visitor& v) override;

  /// Teacher forcing: the right tokens so far are given, the next one is to be predicted; with
  /// scheduled sampling some of them are the model's own. Hard attention adds its REINFORCE term.
  Loss loss(const Seq2SeqBatch& batch, int64_t step = 0) override;
  bool attends() const override { return decoder.attends(); }
  /// That of location scores, which know so many places.
  int64_t longest_source() const override;
  double attention_multiply_adds(int64_t source, int64_t target) const override;
  Tensor attention(const Seq2SeqBatch& batch) override;
  std::array<Var, 2> embed(const Seq2SeqBatch& batch) override;
  Var logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) override;

  PictureEncoder* picture_encoder() override {
    return encoder.picture ? &*encoder.picture : nullptr;
  }
  int64_t picture_cells(int64_t side) const override {
    return encoder.picture ? encoder.picture->cells(side) : 0;
  }

  const Seq2SeqOptions& options() const { return options_; }

  Encoder encoder;
  Decoder decoder;
  Tensor baseline;  ///< 0-d: what REINFORCE compares rewards with; undefined without hard attention

 protected:
  std::unique_ptr<StepModel> start(const Seq2SeqBatch& batch) override;

 private:
  Seq2Seq(const Seq2SeqOptions& options, std::shared_ptr<Generator> generator);
  struct Known {
    Decoder::Memory memory;
    Decoder::State state;
  };
  Known read(const Var& embedded, const std::vector<int64_t>& lengths);
  Decoder::Written write(const Seq2SeqBatch& batch, int64_t step);
  Decoder::Written sample(const Seq2SeqBatch& batch, const Known& source, double keep);
  Var aligned(const AttentionOutput& seen) const;
  Var doubly_stochastic(const Decoder::Written& written, const Seq2SeqBatch& batch) const;
  Var reinforce(const Decoder::Written& written, const Var& logits, const Seq2SeqBatch& batch);
  friend class Seq2SeqSteps;

  Seq2SeqOptions options_;
};

}  // namespace glass
