#include "models/seq2seq/alignment_errors.h"

#include "tensor/error.h"

namespace glass {
namespace {

// The weights of one sentence of a batch [B, T, S], without the end's row and without padding.
std::vector<std::vector<double>> rows_of(const Tensor& weights, int64_t sentence, size_t targets,
                                         size_t sources) {
  const Tensor own = weights.select(0, sentence)
                         .narrow(0, 0, static_cast<int64_t>(targets))
                         .narrow(1, 0, static_cast<int64_t>(sources))
                         .to(kFloat64);
  std::vector<std::vector<double>> rows;
  for (int64_t t = 0; t < own.size(0); ++t) rows.push_back(own.select(0, t).to_vector<double>());
  return rows;
}

}  // namespace

double attention_alignment_error_rate(Translator& model, const TextCodec& codec,
                                      const std::vector<References>& data,
                                      const std::vector<GoldLinks>& gold, const Poll& poll) {
  if (!model.attends()) fail("alignment_error_rate", "the model has no attention");
  const bool was_training = model.is_training();
  model.eval();
  std::vector<Source> sources;
  std::vector<std::vector<int64_t>> targets;
  for (const References& r : data) {
    sources.push_back(codec.encode_source(r.source));
    targets.push_back(codec.encode_target(r.targets.at(0)));
  }
  std::vector<Links> found(data.size());
  for (const Batch& batch : evaluation_batches(sources)) {
    poll();
    std::vector<Source> batch_sources;
    std::vector<std::vector<int64_t>> batch_targets;
    for (int64_t row : batch.rows) {
      batch_sources.push_back(sources[static_cast<size_t>(row)]);
      batch_targets.push_back(targets[static_cast<size_t>(row)]);
    }
    const Tensor weights = model.attention(make_batch(batch_sources, batch_targets));
    for (size_t i = 0; i < batch.rows.size(); ++i)
      found[static_cast<size_t>(batch.rows[i])] = strongest_links(rows_of(
          weights, static_cast<int64_t>(i), batch_targets[i].size(), batch_sources[i].size()));
  }
  model.train(was_training);
  return alignment_error_rate(found, gold);
}

}  // namespace glass
