#include "models/seq2seq/seq2seq.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/dropout.h"
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

EncoderOptions encoder_options(const Seq2SeqOptions& o) {
  return {o.source_vocabulary, o.embedding, o.hidden, o.layers, o.cell, o.bidirectional, o.dropout};
}
DecoderOptions decoder_options(const Seq2SeqOptions& o) {
  return {o.target_vocabulary, o.embedding, o.hidden, o.hidden * (o.bidirectional ? 2 : 1),
          o.attention,         o.cell,      o.dropout};
}

// Decoding one step at a time; keys and states are rows that the search may reorder.
class Seq2SeqSteps : public StepModel {
 public:
  Seq2SeqSteps(Seq2Seq& model, const Seq2SeqBatch& batch) : decoder_(model.decoder) {
    const auto encoded = model.encoder(batch.source, batch.source_lengths, model.generator());
    keys_ = decoder_.attention.prepare(
        encoded.states, Mask::from_lengths(batch.source_lengths, batch.source.size(1)));
    state_ = decoder_.start(encoded.last);
  }

  Step step(const Tensor& tokens) override {
    const Decoder::Step next = decoder_.step(decoder_.embedding(Var(tokens)), state_, keys_);
    state_ = next.state;
    const Var scores = decoder_.logits(cat({next.state.h, next.context}, 1));
    const Tensor log_probs = log_softmax(scores.value(), -1);
    // These two are never an answer.
    log_probs.narrow(1, Vocabulary::kPad, 1).fill_(-INFINITY);
    log_probs.narrow(1, Vocabulary::kBos, 1).fill_(-INFINITY);
    return {log_probs, next.weights.value()};
  }

  void reorder(const Tensor& rows) override {
    const Var index(rows);
    state_.h = index_select(state_.h, 0, index);
    if (state_.c.defined()) state_.c = index_select(state_.c, 0, index);
    keys_ = keys_.rows(rows);
  }

 private:
  Decoder& decoder_;
  Keys keys_;
  Decoder::State state_;
};

}  // namespace

Seq2SeqBatch make_batch(const std::vector<std::vector<int64_t>>& sources,
                        const std::vector<std::vector<int64_t>>& targets) {
  if (!targets.empty() && targets.size() != sources.size())
    fail("make_batch", "needs one target per source", sources.size(), " sources, ", targets.size(),
         " targets");
  Seq2SeqBatch batch;
  batch.source = padded(sources, -1, -1);
  for (const auto& row : sources) batch.source_lengths.push_back(static_cast<int64_t>(row.size()));
  if (targets.empty()) return batch;
  batch.target_in = padded(targets, Vocabulary::kBos, -1);
  batch.target_out = padded(targets, -1, Vocabulary::kEos);
  for (const auto& row : targets) batch.target_tokens += static_cast<int64_t>(row.size()) + 1;
  return batch;
}

Seq2Seq::Seq2Seq(const Seq2SeqOptions& options, uint64_t seed)
    : Seq2Seq(options, std::make_shared<Generator>(seed)) {}

Seq2Seq::Seq2Seq(const Seq2SeqOptions& options, std::shared_ptr<Generator> generator)
    : encoder(encoder_options(options), *generator),
      decoder(decoder_options(options), *generator),
      options_(options),
      generator_(std::move(generator)) {}

void Seq2Seq::visit(Visitor& v) {
  v("encoder", encoder);
  v("decoder", decoder);
}

Seq2Seq::Unrolled Seq2Seq::unroll(const Seq2SeqBatch& batch) {
  const auto encoded = encoder(batch.source, batch.source_lengths, *generator_);
  const Mask mask = Mask::from_lengths(batch.source_lengths, batch.source.size(1));
  const auto keys = decoder.attention.prepare(encoded.states, mask);
  Decoder::State state = decoder.start(encoded.last);
  const Var embedded = dropout(decoder.embedding(Var(batch.target_in)), options_.dropout,
                               is_training(), *generator_);
  Unrolled out;
  std::vector<Var> features;
  for (int64_t t = 0; t < batch.target_in.size(1); ++t) {
    const Decoder::Step step = decoder.step(select(embedded, 1, t), state, keys);
    state = step.state;
    features.push_back(cat({step.state.h, step.context}, 1));
    out.weights.push_back(step.weights);
  }
  out.features = stack(features, 1);
  return out;
}

Seq2Seq::Loss Seq2Seq::loss(const Seq2SeqBatch& batch) {
  const Var features =
      dropout(unroll(batch).features, options_.dropout, is_training(), *generator_);
  const Var logits = decoder.logits(features);
  return {cross_entropy(logits, Var(batch.target_out),
                        {.ignore_index = Vocabulary::kPad,
                         .label_smoothing = is_training() ? options_.label_smoothing : 0}),
          batch.target_tokens};
}

Tensor Seq2Seq::attention(const Seq2SeqBatch& batch) {
  const NoGrad no_grad;
  return stack(unroll(batch).weights, 1).value();
}

std::vector<std::vector<Hypothesis>> Seq2Seq::translate(
    const std::vector<std::vector<int64_t>>& sources, const SearchOptions& options) {
  if (sources.empty()) return {};
  if (is_training())
    fail("translate", "the model is in training mode", "call eval() first, or dropout disturbs it");
  const NoGrad no_grad;
  Seq2SeqSteps steps(*this, make_batch(sources, {}));
  return beam_search(steps, static_cast<int64_t>(sources.size()), options);
}

}  // namespace glass
