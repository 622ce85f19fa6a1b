#include "models/seq2seq/translator.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/loss.h"
#include "models/text/vocabulary.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// Rows of ids, padded to the longest. first: an id put before every row, or -1.
Tensor padded(const std::vector<std::vector<int64_t>>& rows, int64_t first, int64_t last) {
  size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  const int64_t width = static_cast<int64_t>(longest) + (first >= 0) + (last >= 0);
  const Tensor out = Tensor::full({static_cast<int64_t>(rows.size()), std::max<int64_t>(width, 1)},
                                  static_cast<double>(Vocabulary::kPad), kInt64);
  int64_t* data = out.data<int64_t>();
  for (const auto& row : rows) {
    int64_t* to = data;
    if (first >= 0) *to++ = first;
    to = std::copy(row.begin(), row.end(), to);
    if (last >= 0) *to = last;
    data += out.size(1);
  }
  return out;
}

}  // namespace

Seq2SeqBatch make_batch(const std::vector<Source>& sources,
                        const std::vector<std::vector<int64_t>>& targets) {
  if (!targets.empty() && targets.size() != sources.size())
    fail("make_batch", "needs one target per source", sources.size(), " sources, ", targets.size(),
         " targets");
  Seq2SeqBatch batch;
  std::vector<std::vector<int64_t>> texts;
  std::vector<const Image*> pictures;
  for (const Source& source : sources) {
    if (source.picture)
      pictures.push_back(source.picture.get());
    else
      texts.push_back(source.ids);
  }
  if (!pictures.empty() && !texts.empty())
    fail("make_batch", "texts and pictures in one batch", texts.size(), " and ", pictures.size());
  batch.source = pictures.empty() ? padded(texts, -1, -1) : image_batch(pictures);
  for (const auto& row : texts) batch.source_lengths.push_back(static_cast<int64_t>(row.size()));
  if (targets.empty()) return batch;
  batch.target_in = padded(targets, Vocabulary::kBos, -1);
  batch.target_out = padded(targets, -1, Vocabulary::kEos);
  for (const auto& row : targets) {
    batch.target_lengths.push_back(static_cast<int64_t>(row.size()) + 1);
    batch.target_tokens += batch.target_lengths.back();
  }
  return batch;
}

Mask source_mask(const std::vector<int64_t>& lengths, int64_t S) {
  return lengths.empty() ? Mask() : Mask::from_lengths(lengths, S);
}

Tensor Translator::answer(const Var& logits) {
  const Tensor log_probs = log_softmax(logits.value(), -1);
  log_probs.narrow(1, Vocabulary::kPad, 1).fill_(-INFINITY);
  log_probs.narrow(1, Vocabulary::kBos, 1).fill_(-INFINITY);
  return log_probs;
}

Translator::Loss Translator::token_loss(const Var& logits, const Tensor& targets, int64_t tokens,
                                        double smoothing) {
  const auto with = [&](double label_smoothing) {
    return cross_entropy(logits, Var(targets),
                         {.ignore_index = Vocabulary::kPad, .label_smoothing = label_smoothing});
  };
  const Var mean = with(smoothing);
  if (smoothing == 0) return {mean, tokens, mean.value()};
  const NoGrad no_grad;
  return {mean, tokens, with(0).value()};
}

namespace {

void check_mode(bool training) {
  if (training)
    fail("translate", "the model is in training mode", "call eval() first, or dropout disturbs it");
}

}  // namespace

std::vector<std::vector<Hypothesis>> Translator::translate(const std::vector<Source>& sources,
                                                           const SearchOptions& options) {
  if (sources.empty()) return {};
  check_mode(is_training());
  const NoGrad no_grad;
  const auto steps = start(make_batch(sources, {}));
  return beam_search(*steps, static_cast<int64_t>(sources.size()), options);
}

std::vector<std::vector<Hypothesis>> Translator::sample(const std::vector<Source>& sources,
                                                        const SamplingOptions& options) {
  if (sources.empty()) return {};
  check_mode(is_training());
  const NoGrad no_grad;
  const auto steps = start(make_batch(sources, {}));
  return sample_search(*steps, static_cast<int64_t>(sources.size()), options);
}

}  // namespace glass
