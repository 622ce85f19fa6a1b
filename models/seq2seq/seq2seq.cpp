#include "models/seq2seq/seq2seq.h"

#include "autograd/ops/dropout.h"
#include "autograd/ops/loss.h"
#include "models/seq2seq/attention_cost.h"
#include "models/text/vocabulary.h"
#include "nn/attention/losses.h"
#include "tensor/ops.h"

namespace glass {
namespace {

EncoderOptions encoder_options(const Seq2SeqOptions& o) {
  return {o.source_vocabulary, o.embedding, o.hidden,        o.layers, o.cell,
          o.bidirectional,     o.dropout,   o.convolutional, o.picture};
}

DecoderOptions decoder_options(const Seq2SeqOptions& o) {
  DecoderOptions d;
  d.vocabulary = o.target_vocabulary;
  d.embedding = o.embedding;
  d.hidden = o.hidden;
  d.layers = o.decoder_layers;
  d.keys =
      o.picture ? o.picture->channels : o.hidden * (o.bidirectional && !o.convolutional ? 2 : 1);
  d.cell = o.cell;
  d.dropout = o.dropout;
  d.place = o.place;
  d.attention = o.attention;
  d.input_feeding = o.input_feeding;
  d.tied = o.tied;
  d.start = o.bridge;
  d.sentinel = o.sentinel;
  if (o.picture && o.place != AttentionPlace::none && needs_order(o.attention))
    fail("model", "the cells of a map have no order, which these attentions need",
         o.attention.scope, " and ", o.attention.normalizer);
  return d;
}

Dialect reduction_of(const DoublyStochastic& o) {
  if (o.target != "one" && o.target != "share")
    fail("doubly stochastic", "the target must be one or share", o.target);
  if (o.reduction == "paper") return Dialect::paper;
  if (o.reduction == "authors") return Dialect::authors;
  if (o.reduction == "popular") return Dialect::popular;
  fail("doubly stochastic", "the reduction must be paper, authors or popular", o.reduction);
}

}  // namespace

// Decoding one step at a time; what is known of a row follows it where the search moves it.
class Seq2SeqSteps : public StepModel {
 public:
  Seq2SeqSteps(Seq2Seq& model, const Seq2SeqBatch& batch)
      : model_(model),
        decoder_(model.decoder),
        source_(model.read(model.encoder.embed(batch.source), batch.source_lengths)) {}

  Step step(const Tensor& tokens) override {
    const Decoder::Written y =
        decoder_.step(decoder_.embedding(Var(tokens)), source_.state, source_.memory);
    source_.state = y.state;
    Step out{Seq2Seq::answer(decoder_.logits(select(y.features, 1, 0))), {}};
    if (!y.seen.empty()) out.weights = model_.aligned(y.seen[0]).value().select(1, 0);
    return out;
  }

  void reorder(const Tensor& rows) override {
    source_ = {Decoder::rows(source_.memory, rows), Decoder::rows(source_.state, rows)};
  }

 private:
  const Seq2Seq& model_;
  Decoder& decoder_;
  Seq2Seq::Known source_;
};

Seq2Seq::Seq2Seq(const Seq2SeqOptions& options, uint64_t seed)
    : Seq2Seq(options, std::make_shared<Generator>(seed)) {}

Seq2Seq::Seq2Seq(const Seq2SeqOptions& options, std::shared_ptr<Generator> generator)
    : Translator(std::move(generator)),
      encoder(encoder_options(options), *generator_),
      decoder(decoder_options(options), *generator_),
      options_(options) {
  options_.sampling.keep(0);     // throws for a wrong schedule
  reduction_of(options.doubly);  // throws for a wrong name
  const bool like_decoder = !options.bidirectional && !options.convolutional && !options.picture &&
                            options.layers == options.decoder_layers;
  if (options.bridge == Bridge::copy && !like_decoder)
    fail("model",
         "bridge copy needs texts, a recurrent encoder of one direction and as many layers as "
         "the decoder",
         options.picture         ? "pictures, "
         : options.convolutional ? "convolutional, "
                                 : "",
         options.layers, " and ", options.decoder_layers, " layers",
         options.bidirectional ? ", both directions" : "");
  if (options.place != AttentionPlace::none && is_reinforce(options.attention))
    baseline = Tensor::scalar(0);
}

void Seq2Seq::visit(Visitor& v) {
  v("encoder", encoder);
  v("decoder", decoder);
  v("baseline", baseline);
}

// Weights of all heads, averaged, one row of keys per query: [B, T, S].
Var Seq2Seq::aligned(const AttentionOutput& seen) const { return mean(decoder.places(seen), {1}); }

Seq2Seq::Known Seq2Seq::read(const Var& embedded, const std::vector<int64_t>& lengths) {
  const auto encoded = encoder.read(embedded, lengths, *generator_);
  const Mask mask = source_mask(lengths, embedded.size(1));
  return {decoder.read(encoded.states, encoded.last, mask),
          decoder.start(encoded.last, encoded.h, encoded.c)};
}

Decoder::Written Seq2Seq::write(const Seq2SeqBatch& batch, int64_t step) {
  const Known source = read(encoder.embed(batch.source), batch.source_lengths);
  const double keep = is_training() ? options_.sampling.keep(step) : 1;
  if (keep < 1) return sample(batch, source, keep);
  const Var embedded = dropout(decoder.embedding(Var(batch.target_in)), options_.dropout,
                               is_training(), *generator_);
  return decoder.all(embedded, source.state, source.memory);
}

// Each token is the right one with probability keep, else the likeliest of the step before.
Decoder::Written Seq2Seq::sample(const Seq2SeqBatch& batch, const Known& source, double keep) {
  const int64_t B = batch.target_in.size(0), T = batch.target_in.size(1);
  Decoder::Written y{source.state, {}, {}};
  std::vector<Var> features;
  Tensor own;  // [B]
  for (int64_t t = 0; t < T; ++t) {
    Tensor tokens = batch.target_in.select(1, t).contiguous();
    if (t > 0) {
      const Tensor right = bernoulli({B}, keep, *generator_);
      const Tensor given = tokens;
      tokens = Tensor::empty({B}, kInt64);
      for (int64_t b = 0; b < B; ++b)
        tokens.data<int64_t>()[b] = (right.data<bool>()[b] ? given : own).data<int64_t>()[b];
    }
    const Var embedded =
        dropout(decoder.embedding(Var(tokens)), options_.dropout, is_training(), *generator_);
    Decoder::Written one = decoder.step(embedded, y.state, source.memory);
    y.state = one.state;
    features.push_back(one.features);
    for (AttentionOutput& seen : one.seen) y.seen.push_back(std::move(seen));
    const NoGrad quiet;
    own = argmax(decoder.logits(select(one.features, 1, 0)), 1).value();
  }
  y.features = cat(features, 1);
  return y;
}

Translator::Loss Seq2Seq::loss(const Seq2SeqBatch& batch, int64_t step) {
  const Decoder::Written written = write(batch, step);
  const Var logits =
      decoder.logits(dropout(written.features, options_.dropout, is_training(), *generator_));
  Loss loss = token_loss(logits, batch.target_out, batch.target_tokens,
                         is_training() ? options_.label_smoothing : 0);
  if (is_training() && baseline.defined())
    loss.mean = loss.mean + reinforce(written, logits, batch);
  if (is_training() && options_.doubly.weight > 0 && attends())
    loss.mean = loss.mean + doubly_stochastic(written, batch);
  return loss;
}

Var Seq2Seq::doubly_stochastic(const Decoder::Written& written, const Seq2SeqBatch& batch) const {
  std::vector<Var> parts;
  for (const AttentionOutput& seen : written.seen) parts.push_back(decoder.places(seen));
  const Var weights = cat(parts, 2);  // [B, H, T, S]
  const int64_t B = weights.size(0), T = weights.size(2);
  const Tensor counts = Mask::from_lengths(batch.target_lengths, T).keys().reshape({B, 1, T, 1});
  Tensor target = Tensor::full({B, 1, 1}, 1, kFloat64);
  if (options_.doubly.target == "share")
    for (int64_t b = 0; b < B; ++b)
      target.data<double>()[b] = static_cast<double>(batch.target_lengths[static_cast<size_t>(b)]) /
                                 static_cast<double>(weights.size(3));
  return doubly_stochastic_loss(where(Var(counts), weights, 0.0), options_.doubly.weight,
                                Var(target.to(weights.dtype())), reduction_of(options_.doubly));
}

// The reward of a step's choice is log p of the right token there.
Var Seq2Seq::reinforce(const Decoder::Written& written, const Var& logits,
                       const Seq2SeqBatch& batch) {
  std::vector<Var> log_probabilities, entropies;  // [B, H, T] each
  for (const AttentionOutput& seen : written.seen) {
    log_probabilities.push_back(seen.log_probability);
    entropies.push_back(seen.entropy);
  }
  const Var right = -cross_entropy(logits.detach(), Var(batch.target_out),
                                   {.ignore_index = Vocabulary::kPad,
                                    .reduction = LossReduction::none});  // [B, T], 0 in padding
  const Var counts(Mask::from_lengths(batch.target_lengths, batch.target_in.size(1)).keys());
  const double mean_reward = sum(right).item() / static_cast<double>(batch.target_tokens);
  const Var rows = unsqueeze(counts, 1);  // [B, 1, T]
  const double before = baseline.item();
  const Var reward = where(rows, unsqueeze(right, 1), before);  // padding gives no advantage
  MovingBaseline moving(0.9, before);
  moving.update(mean_reward);
  baseline.fill_(moving.value());
  return reinforce_loss(where(rows, cat(log_probabilities, 2), 0.0), reward,
                        where(rows, cat(entropies, 2), 0.0), before);
}

int64_t Seq2Seq::longest_source() const {
  const bool limited = attends() && options_.attention.score == "location";
  return limited ? options_.attention.size : Translator::longest_source();
}

double Seq2Seq::attention_multiply_adds(int64_t source, int64_t target) const {
  return attends() ? glass::attention_multiply_adds(decoder.attention->options, source, target) : 0;
}

Tensor Seq2Seq::attention(const Seq2SeqBatch& batch) {
  const NoGrad no_grad;
  std::vector<Var> rows;
  for (const AttentionOutput& seen : write(batch, 0).seen) rows.push_back(aligned(seen));
  return rows.empty() ? Tensor() : cat(rows, 1).value();
}

std::array<Var, 2> Seq2Seq::embed(const Seq2SeqBatch& batch) {
  return {encoder.embed(batch.source), decoder.embedding(Var(batch.target_in))};
}

Var Seq2Seq::logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) {
  const Known known = read(source, batch.source_lengths);
  return decoder.logits(decoder.all(target, known.state, known.memory).features);
}

std::unique_ptr<StepModel> Seq2Seq::start(const Seq2SeqBatch& batch) {
  return std::make_unique<Seq2SeqSteps>(*this, batch);
}

}  // namespace glass
