#include "models/trust/translators.h"

#include "models/captioner/picture_encoder.h"
#include "models/trust/patches.h"

namespace glass {
namespace {

// Inputs are the pixels of each cell.
void ask_of_picture(TrustQuestion& q, Translator& model, const Seq2SeqBatch& batch) {
  PictureEncoder& eye = *model.picture_encoder();
  const Tensor picture = batch.source.to(eye.stem.weight.dtype());
  const int64_t height = picture.size(2), width = picture.size(3);
  const int64_t rows = eye.cells_along(height), columns = eye.cells_along(width);
  const Patches patches(height, width, rows, columns);
  q.source = cell_names(rows * columns, columns);
  q.columns = columns;
  q.input = patches.cut(picture);
  q.blank = patches.mean_color(picture);
  q.logits = [read = std::move(q.logits), patches, &eye](const Var& inputs) {
    return read(eye(patches.joined(inputs)));
  };
}

}  // namespace

TrustQuestion trust_question(Translator& model, const TextCodec& codec, const AttentionRecording& r,
                             const LayerAttention& layer, int64_t head) {
  if (layer.rows != r.target || layer.columns != r.source)
    fail("trust", "this layer does not look from the answer to the source", layer.layer);
  TrustQuestion q;
  q.source = r.source;
  q.answer = r.target;
  for (const std::string& token : r.target) q.ids.push_back(codec.target.id(token));
  q.weights = attention_map(r, layer, head).weights;
  const Seq2SeqBatch batch = make_batch({codec.encode_source(r.source_text)}, {q.ids});
  const NoGrad quiet;
  const auto [source, target] = model.embed(batch);
  q.input = source.value();
  const bool picture = codec.reads_pictures();
  q.logits = [&model, batch, picture, answer = target.value()](const Var& inputs) {
    const int64_t n = inputs.size(0), T = answer.size(1);
    Seq2SeqBatch rows = batch;
    if (!picture) rows.source_lengths.assign(static_cast<size_t>(n), inputs.size(1));
    rows.target_lengths.assign(static_cast<size_t>(n), T);
    const Var written(answer.expand({n, -1, -1}).contiguous());
    return narrow(model.logits(inputs, written, rows), 1, 0, T - 1);  // without eos
  };
  if (picture) ask_of_picture(q, model, batch);
  q.model = &model;
  q.layer = layer.layer;
  return q;
}

}  // namespace glass
