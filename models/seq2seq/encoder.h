#pragma once

#include <optional>

#include "nn/embedding.h"
#include "nn/gru.h"
#include "nn/lstm.h"

namespace glass {

enum class CellKind : uint8_t { lstm, gru };

struct EncoderOptions {
  int64_t vocabulary = 0, embedding = 64, hidden = 128, layers = 1;
  CellKind cell = CellKind::lstm;
  bool bidirectional = true;
  double dropout = 0;  ///< of the embeddings and between layers
};

/// Reads a batch of sentences: h_j = [→h_j; ←h_j] for every token j.
class Encoder : public Module {
 public:
  Encoder(const EncoderOptions& options, Generator& init);
  void visit(Visitor& v) override;

  struct Output {
    Var states;  ///< [B, S, output_size()], zero behind a sentence's end
    Var last;    ///< [B, output_size()]: the last layer's final state, both directions
  };
  /// tokens: [B, S] int64. drops: where dropout draws from.
  Output operator()(const Tensor& tokens, const std::vector<int64_t>& lengths, Generator& drops);
  int64_t output_size() const { return options_.hidden * (options_.bidirectional ? 2 : 1); }

  Embedding embedding;
  std::optional<LSTM> lstm;  // one of the two
  std::optional<GRU> gru;

 private:
  EncoderOptions options_;
};

}  // namespace glass
