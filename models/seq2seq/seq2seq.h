#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/decode/search.h"
#include "models/seq2seq/decoder.h"
#include "models/seq2seq/encoder.h"

namespace glass {

struct Seq2SeqOptions {
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t embedding = 64, hidden = 128, attention = 128, layers = 1;
  CellKind cell = CellKind::lstm;
  bool bidirectional = true;
  double dropout = 0.1;
  double label_smoothing = 0;
};
nlohmann::json to_json(const Seq2SeqOptions& options);
/// Throws Error naming a missing or unknown key.
Seq2SeqOptions seq2seq_options(const nlohmann::json& json);

/// Sentences of a batch, padded with Vocabulary::kPad.
struct Seq2SeqBatch {
  Tensor source;                        ///< [B, S] int64
  std::vector<int64_t> source_lengths;  ///< B
  Tensor target_in, target_out;         ///< [B, T] int64: from bos, and up to eos
  int64_t target_tokens = 0;            ///< eos counted, padding not
};
/// Ids without bos and eos; targets may be empty when only sources are wanted.
Seq2SeqBatch make_batch(const std::vector<std::vector<int64_t>>& sources,
                        const std::vector<std::vector<int64_t>>& targets);

/// Sequence to sequence with additive attention (Bahdanau, Cho, Bengio 2014), with an LSTM or GRU.
class Seq2Seq : public Module {
 public:
  Seq2Seq(const Seq2SeqOptions& options, uint64_t seed);
  void visit(Visitor& v) override;

  struct Loss {
    Var mean;            ///< cross-entropy per target token, label smoothing included
    int64_t tokens = 0;  ///< what the mean is over
  };
  /// Teacher forcing: the right tokens so far are given, the next one is to be predicted.
  Loss loss(const Seq2SeqBatch& batch);
  /// Attention weights [B, T, S] under teacher forcing.
  Tensor attention(const Seq2SeqBatch& batch);
  /// The best hypotheses for each source; the model must be in eval mode.
  std::vector<std::vector<Hypothesis>> translate(const std::vector<std::vector<int64_t>>& sources,
                                                 const SearchOptions& options);

  const Seq2SeqOptions& options() const { return options_; }
  Generator& generator() { return *generator_; }  ///< where dropout draws from

  Encoder encoder;
  Decoder decoder;

 private:
  Seq2Seq(const Seq2SeqOptions& options, std::shared_ptr<Generator> generator);
  struct Unrolled {
    Var features;              // [B, T, H + K]
    std::vector<Var> weights;  // T times [B, S]
  };
  Unrolled unroll(const Seq2SeqBatch& batch);

  Seq2SeqOptions options_;
  std::shared_ptr<Generator> generator_;  // initial weights first, then dropout
};

}  // namespace glass
