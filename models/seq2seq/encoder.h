#pragma once

#include <optional>

#include "models/captioner/picture_encoder.h"
#include "models/seq2seq/recurrent.h"
#include "nn/convolution.h"
#include "nn/embedding.h"
#include "nn/linear.h"

namespace glass {

struct EncoderOptions {
  int64_t vocabulary = 0, embedding = 64, hidden = 128, layers = 1;
  CellKind cell = CellKind::lstm;
  bool bidirectional = true;
  double dropout = 0;          ///< of the embeddings and between layers
  bool convolutional = false;  ///< convolutions instead of a recurrent network
  std::optional<PictureEncoderOptions> picture = {};  ///< sources are pictures
};

/// Reads a batch of sentences or pictures. Recurrent: h_j = [→h_j; ←h_j] for every token j.
/// Convolutional (Gehring et al. 2017, section 3): embeddings and positions, then layers of a
/// convolution of width 3 with a gated linear unit and a residual connection. Pictures: h_j are the
/// cells of their map.
class Encoder : public Module {
 public:
  Encoder(const EncoderOptions& options, Generator& init);
  void visit(Visitor& v) override;

  struct Output {
    Var states;  ///< [B, S, output_size()], zero behind a sentence's end
    Var last;    ///< [B, output_size()]: the final state, both directions; else the mean
    Var h, c;    ///< final states of all layers [layers·directions, B, H]; c of an LSTM only
  };
  /// Embeddings [B, S, E] of tokens [B, S] int64, or the map's cells of pictures [B, 3, H, W].
  Var embed(const Tensor& source);
  /// What follows; drops: where dropout draws from.
  Output read(const Var& embedded, const std::vector<int64_t>& lengths, Generator& drops);
  int64_t output_size() const {
    if (picture) return options_.picture->channels;
    return options_.hidden * (options_.bidirectional && !options_.convolutional ? 2 : 1);
  }

  std::optional<Embedding> embedding;  // of texts
  std::optional<PictureEncoder> picture;
  std::optional<Recurrent> rnn;
  std::optional<Linear> widen;  // convolutional: embedding to hidden
  std::vector<Conv1d> convolutions;

 private:
  Output convolve(const Var& embedded, const std::vector<int64_t>& lengths, Generator& drops);
  EncoderOptions options_;
};

}  // namespace glass
