#include "models/trust/translators.h"

namespace glass {

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
  q.logits = [&model, batch, answer = target.value()](const Var& inputs) {
    const int64_t n = inputs.size(0), T = answer.size(1);
    Seq2SeqBatch rows = batch;
    rows.source_lengths.assign(static_cast<size_t>(n), inputs.size(1));
    rows.target_lengths.assign(static_cast<size_t>(n), T);
    const Var written(answer.expand({n, -1, -1}).contiguous());
    return narrow(model.logits(inputs, written, rows), 1, 0, T - 1);  // without eos
  };
  q.model = &model;
  q.layer = layer.layer;
  return q;
}

}  // namespace glass
