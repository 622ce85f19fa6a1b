#pragma once

#include <optional>

#include "models/seq2seq/attention_choice.h"
#include "models/seq2seq/recurrent.h"
#include "nn/attention/attention.h"
#include "nn/embedding.h"
#include "nn/linear.h"

namespace glass {

/// When a decoder attends: never, before its step with the last state (Bahdanau), or after it with
/// the new one (Luong).
enum class AttentionPlace : uint8_t { none, before, after };
std::string name(AttentionPlace place);
AttentionPlace place_named(const std::string& name);  ///< throws Error for another name

/// What the decoder begins with: zeros; the encoder's final states, layer by layer; or s_0 =
/// tanh(W_s·h_S) of its last one, a matrix for each layer (and for the cells of an LSTM).
enum class Bridge : uint8_t { none, copy, dense };
std::string name(Bridge bridge);
Bridge bridge_named(const std::string& name);  ///< throws Error for another name

struct DecoderOptions {
  int64_t vocabulary = 0, embedding = 64, hidden = 128, layers = 1;
  int64_t keys = 256;  ///< size of an encoder state
  CellKind cell = CellKind::lstm;
  double dropout = 0;  ///< between layers
  AttentionPlace place = AttentionPlace::before;
  AttentionChoice attention = {};
  bool input_feeding = true;  ///< attention after the step: the last h̃ is an input
  bool tied = false;          ///< the output layer shares the embedding's weight
  Bridge start = Bridge::dense;
  /// Attention after the step of an LSTM: one more key, what the cell itself knows.
  bool sentinel = false;
};

/// Writes a sentence. s_t = state, c_t = context, h the encoder's states:
///   none    s_t = cell([y_{t-1}; h_S], s_{t-1})                     features [s_t; h_S]
///           (Cho et al. 2014: one fixed context, the baseline)
///   before  c_t = attention(s_{t-1}, h), s_t = cell([y_{t-1}; c_t], s_{t-1})   features [s_t; c_t]
///           (Bahdanau, Cho, Bengio 2014, appendix A.2)
///   after   s_t = cell([y_{t-1}; h̃_{t-1}], s_{t-1}), c_t = attention(s_t, h)
///           h̃_t = tanh(W_c[c_t; s_t])                               features h̃_t
///           (Luong, Pham, Manning 2015, section 3; h̃_{t-1} with input feeding, section 3.3)
/// With a sentinel (Lu, Xiong, Parikh, Socher 2017), x_t the step's input and m_t its cell:
///   g_t = σ(W_x·x_t + W_h·s_{t-1}), v_t = g_t∘tanh(m_t)
/// stands behind the keys, which have a state's size then; its weight β_t says how much the model
/// trusts itself instead of the source. Its key is W_v·v_t.
/// The next token has the probabilities softmax(W_o·features).
class Decoder : public Module {
 public:
  Decoder(const DecoderOptions& options, Generator& init);
  void visit(Visitor& v) override;

  /// What is known of the source.
  struct Memory {
    Keys keys;  ///< without attention: empty
    Var last;   ///< [B, K]
  };
  struct State {
    Var h, c;  ///< [layers, B, H]; c of an LSTM only
    Var feed;  ///< [B, F]: h̃ of the last step, with input feeding
    AttentionState attention;
  };
  struct Written {
    State state;
    Var features;                       ///< [B, T, F]
    std::vector<AttentionOutput> seen;  ///< of one query each, or of all at once; empty without
  };
  /// Weights [B, H, T, S] of the source's places alone, without the sentinel's.
  Var places(const AttentionOutput& seen) const;
  Memory read(const Var& states, const Var& last, const Mask& mask) const;
  /// s_0, as Bridge says. h and c: the encoder's final states [layers, B, H], for copy.
  State start(const Var& last, const Var& h = {}, const Var& c = {}) const;
  /// One step: embedded [B, E].
  Written step(const Var& embedded, const State& state, const Memory& memory);
  /// All steps: embedded [B, T, E]. Where no step needs what the last one attended to, at once.
  Written all(const Var& embedded, const State& state, const Memory& memory);
  Var logits(const Var& features);  ///< [..., F] -> [..., V]

  bool attends() const { return options_.place != AttentionPlace::none; }
  static Memory rows(const Memory& memory, const Tensor& index);
  static State rows(const State& state, const Tensor& index);

  Embedding embedding;
  std::optional<Attention> attention;
  std::optional<Linear> start_h, start_c,
      bridge;  ///< bridge: keys to the size of queries, where needed
  std::optional<Linear> sentinel_input, sentinel_state, sentinel_key;  ///< W_x, W_h, W_v
  Recurrent rnn;
  Linear output;

 private:
  bool goes_at_once() const;
  Keys with_sentinel(const Keys& keys, const Var& input, const Var& before, const Var& cell) const;
  int64_t features() const;

  DecoderOptions options_;
};

}  // namespace glass
