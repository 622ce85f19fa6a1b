#pragma once

#include <optional>

#include "models/seq2seq/encoder.h"
#include "nn/attention/attention.h"
#include "nn/linear.h"

namespace glass {

struct DecoderOptions {
  int64_t vocabulary = 0, embedding = 64, hidden = 128;
  int64_t keys = 256;       ///< size of an encoder state
  int64_t attention = 128;  ///< size of the additive attention's inner layer
  CellKind cell = CellKind::lstm;
  double dropout = 0;  ///< of the embeddings and before the output layer
};

/// Writes a sentence, attending before each step (Bahdanau, Cho, Bengio 2014, appendix A.2):
///   c_t = attention(s_{t-1}, h)           context
///   s_t = cell([y_{t-1}; c_t], s_{t-1})   state
///   p_t = softmax(W_o [s_t; c_t])         next token
class Decoder : public Module {
 public:
  Decoder(const DecoderOptions& options, Generator& init);
  void visit(Visitor& v) override;

  struct State {
    Var h, c;  ///< [B, H]; c is undefined for a GRU
  };
  struct Step {
    State state;
    Var context;  ///< [B, K]
    Var weights;  ///< [B, S]
  };
  /// s_0 = tanh(W_s h_last), for an LSTM also its cell.
  State start(const Var& last);
  Step step(const Var& embedded, const State& state, const Keys& keys);
  Var logits(const Var& features);  ///< [..., H + K] -> [..., V]

  Embedding embedding;
  Attention attention;
  std::optional<LSTMCell> lstm;  // one of the two
  std::optional<GRUCell> gru;
  Linear start_h;
  std::optional<Linear> start_c;
  Linear output;
};

}  // namespace glass
