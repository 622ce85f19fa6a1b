#include "models/transformer/translator.h"

#include <cmath>

#include "models/seq2seq/attention_cost.h"
#include "models/text/vocabulary.h"
#include "nn/init.h"
#include "nn/positions.h"

namespace glass {
namespace {

TransformerOptions layer_options(const TransformerTranslatorOptions& o) {
  return {.dim_feedforward = o.ffn,
          .dropout = o.dropout,
          .batch_first = true,
          .norm_first = o.norm_first};
}

Embedding embedding_of(int64_t vocabulary, int64_t d_model, Generator& init) {
  const Var weight = parameter(Tensor::zeros({vocabulary, d_model}));
  normal_(weight, 0, 1 / std::sqrt(static_cast<double>(d_model)), init);
  weight.value().select(0, Vocabulary::kPad).zero_();
  return Embedding::from(weight, Vocabulary::kPad);
}

}  // namespace

// Decoding one step at a time; the rows of the cache follow the hypotheses.
class TransformerSteps : public StepModel {
 public:
  TransformerSteps(TransformerTranslator& model, const Seq2SeqBatch& batch)
      : model_(model), cache_(model.read(batch)) {}

  Step step(const Tensor& tokens) override {
    const Var embedded = model_.target_embedding(Var(tokens.unsqueeze(1)));
    TransformerDecoder::Step y =
        model_.transformer.decoder.step(model_.placed(embedded, length_++), cache_);
    cache_ = std::move(y.cache);
    return {TransformerTranslator::answer(model_.output(select(y.output, 1, 0))),
            MultiheadAttention::averaged(y.weights).value().select(1, 0)};
  }

  void reorder(const Tensor& rows) override { cache_ = TransformerDecoder::rows(cache_, rows); }

 private:
  TransformerTranslator& model_;
  TransformerDecoder::Cache cache_;
  int64_t length_ = 0;
};

TransformerTranslator::TransformerTranslator(const TransformerTranslatorOptions& options,
                                             uint64_t seed)
    : TransformerTranslator(options, std::make_shared<Generator>(seed)) {}

TransformerTranslator::TransformerTranslator(const TransformerTranslatorOptions& o,
                                             std::shared_ptr<Generator> generator)
    : Translator(std::move(generator)),
      source_embedding(
          o.picture ? std::nullopt
                    : std::optional(embedding_of(o.source_vocabulary, o.d_model, *generator_))),
      target_embedding(embedding_of(o.target_vocabulary, o.d_model, *generator_)),
      transformer(o.d_model, o.heads, o.layers, o.decoder_layers, layer_options(o), *generator_),
      output(o.d_model, o.target_vocabulary, true, *generator_),
      options_(o) {
  if (o.tied) output.weight = target_embedding.weight;
  if (!o.picture) return;
  picture.emplace(*o.picture, *generator_);
  cell_projection.emplace(o.picture->channels, o.d_model, true, *generator_);
}

void TransformerTranslator::visit(Visitor& v) {
  if (source_embedding) v("source_embedding", *source_embedding);
  if (picture) v("picture", *picture);
  if (cell_projection) v("cell_projection", *cell_projection);
  v("target_embedding", target_embedding);
  v("transformer", transformer);
  v("output", output);
}

// Embeddings [B, T, d] at the places first, first + 1, …
Var TransformerTranslator::placed(const Var& embedded, int64_t first) {
  const int64_t d = options_.d_model;
  const Var places(sinusoidal_positions(embedded.size(1), d, embedded.dtype(), first));
  return dropout(embedded * std::sqrt(static_cast<double>(d)) + places, options_.dropout,
                 is_training(), *generator_);
}

Var TransformerTranslator::embed_source(const Tensor& source) {
  return picture ? (*picture)(source) : (*source_embedding)(Var(source));
}

Var TransformerTranslator::source_placed(const Var& embedded) {
  if (!picture) return placed(embedded);
  return dropout((*cell_projection)(embedded), options_.dropout, is_training(), *generator_);
}

std::array<Var, 2> TransformerTranslator::embed(const Seq2SeqBatch& batch) {
  return {embed_source(batch.source), target_embedding(Var(batch.target_in))};
}

Var TransformerTranslator::logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) {
  const int64_t T = target.size(1);
  const AttendTo read{.mask = source_mask(batch.source_lengths, source.size(1))};
  const AttendTo written{.mask = Mask::causal(T, T) & Mask::from_lengths(batch.target_lengths, T)};
  return output(transformer(source_placed(source), placed(target), read, written, read));
}

Translator::Loss TransformerTranslator::loss(const Seq2SeqBatch& batch, int64_t) {
  const auto [source, target] = embed(batch);
  return token_loss(logits(source, target, batch), batch.target_out, batch.target_tokens,
                    is_training() ? options_.label_smoothing : 0);
}

TransformerDecoder::Cache TransformerTranslator::read(const Seq2SeqBatch& batch) {
  const Var source = source_placed(embed_source(batch.source));
  const Mask mask = source_mask(batch.source_lengths, source.size(1));
  return transformer.decoder.start(transformer.encoder(source, {.mask = mask}), mask);
}

double TransformerTranslator::attention_multiply_adds(int64_t source, int64_t target) const {
  return transformer_multiply_adds(options_.d_model, options_.layers, options_.decoder_layers,
                                   source, target);
}

Tensor TransformerTranslator::attention(const Seq2SeqBatch& batch) {
  const NoGrad no_grad;
  const TransformerDecoder::Cache cache = read(batch);
  const Var target = placed(target_embedding(Var(batch.target_in)));
  return MultiheadAttention::averaged(transformer.decoder.step(target, cache).weights).value();
}

std::unique_ptr<StepModel> TransformerTranslator::start(const Seq2SeqBatch& batch) {
  return std::make_unique<TransformerSteps>(*this, batch);
}

}  // namespace glass
