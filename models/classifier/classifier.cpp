#include "models/classifier/classifier.h"

#include <cmath>

#include "autograd/ops/dropout.h"
#include "autograd/ops/loss.h"
#include "models/text/vocabulary.h"
#include "nn/positions.h"
#include "tensor/ops.h"

namespace glass {
namespace {

int64_t state_size(const ClassifierOptions& o) {
  return o.encoder == "recurrent" ? 2 * o.hidden : o.embedding;
}

// What padding, unknown words and the borders of sentences are scored lower than labels: they are
// no answers, but what a file calls them stays possible.
Var never_special(const Var& weight) {
  const Tensor low = Tensor::zeros({weight.size(0)}, weight.dtype());
  low.narrow(0, 0, Vocabulary::kEos + 1).fill_(-20);
  return Var(low);
}

}  // namespace

// One step for the label, and one for the end.
class LabelSteps : public StepModel {
 public:
  LabelSteps(Classifier& model, const Seq2SeqBatch& batch) {
    const auto y = model.read(model.embedding(Var(batch.source)), batch.source_lengths);
    label_ = Classifier::answer(y.logits);
    for (const int64_t none : {Vocabulary::kEos, Vocabulary::kUnk})  // an answer is a label
      label_.narrow(1, none, 1).fill_(-INFINITY);
    weights_ = mean(y.weights, {1}).value();
  }

  Step step(const Tensor&) override {
    const Tensor label = label_;
    if (!written_) {
      end_ = Tensor::full(label.shape(), -INFINITY, label.dtype());
      end_.narrow(1, Vocabulary::kEos, 1).zero_();
    }
    return {std::exchange(written_, true) ? end_ : label, weights_};
  }

  void reorder(const Tensor& rows) override {
    label_ = index_select(label_, 0, rows);
    weights_ = index_select(weights_, 0, rows);
    if (end_.defined()) end_ = index_select(end_, 0, rows);
  }

 private:
  Tensor label_, end_, weights_;
  bool written_ = false;
};

Classifier::Classifier(const ClassifierOptions& options, uint64_t seed)
    : Classifier(options, std::make_shared<Generator>(seed)) {}

Classifier::Classifier(const ClassifierOptions& o, std::shared_ptr<Generator> generator)
    : Translator(std::move(generator)),
      embedding(o.source_vocabulary, o.embedding, Vocabulary::kPad, *generator_),
      pooling(state_size(o), o.attention_size, o.hops, *generator_),
      output(o.hops * state_size(o), o.target_vocabulary, true, *generator_),
      options_(o) {
  if (o.encoder == "recurrent")
    lstm.emplace(o.embedding, o.hidden,
                 RnnOptions{.num_layers = o.layers,
                            .batch_first = true,
                            .dropout = o.layers > 1 ? o.dropout : 0,
                            .bidirectional = true},
                 *generator_);
  else if (o.encoder == "transformer")
    encoder.emplace(
        o.layers, o.embedding, o.heads,
        TransformerOptions{.dim_feedforward = o.hidden, .dropout = o.dropout, .batch_first = true},
        true, *generator_);
  else
    fail("model", "the encoder must be recurrent or transformer", o.encoder);
}

void Classifier::visit(Visitor& v) {
  v("embedding", embedding);
  if (lstm) v("lstm", *lstm);
  if (encoder) v("encoder", *encoder);
  v("pooling", pooling);
  v("output", output);
}

Classifier::Read Classifier::read(const Var& embedded, const std::vector<int64_t>& lengths) {
  const auto drop = [&](const Var& x) {
    return dropout(x, options_.dropout, is_training(), *generator_);
  };
  const Mask mask = Mask::from_lengths(lengths, embedded.size(1));
  Var states;
  if (lstm) {
    states = (*lstm)(drop(embedded), lengths).output;
  } else {
    const Var places(sinusoidal_positions(embedded.size(1), options_.embedding, embedded.dtype()));
    states = (*encoder)(drop(embedded + places), {.mask = mask});
  }
  const SelfAttentivePooling::Output y = pooling(states, mask);
  return {output(drop(y.pooled)) + never_special(output.weight), y.weights};
}

Translator::Loss Classifier::loss(const Seq2SeqBatch& batch, int64_t) {
  const Read y = read(embedding(Var(batch.source)), batch.source_lengths);
  Loss loss = token_loss(y.logits, batch.target_out.select(1, 0).contiguous(), batch.source.size(0),
                         is_training() ? options_.label_smoothing : 0);
  if (is_training() && options_.penalty > 0)
    loss.mean = loss.mean + hop_penalty(y.weights) * options_.penalty;
  return loss;
}

double Classifier::attention_multiply_adds(int64_t source, int64_t) const {
  const int64_t D = state_size(options_), A = options_.attention_size, r = options_.hops;
  return static_cast<double>(source * (D * A + r * A + r * D));
}

Tensor Classifier::attention(const Seq2SeqBatch& batch) {
  const NoGrad no_grad;
  const Read y = read(embedding(Var(batch.source)), batch.source_lengths);
  const Tensor weights = mean(y.weights, {1}, true).value();
  return weights.expand({-1, batch.target_in.size(1), -1}).contiguous();
}

std::array<Var, 2> Classifier::embed(const Seq2SeqBatch& batch) {
  const Var nothing(Tensor::zeros({batch.target_in.size(0), batch.target_in.size(1), 1},
                                  embedding.weight.dtype()));
  return {embedding(Var(batch.source)), nothing};
}

Var Classifier::logits(const Var& source, const Var& target, const Seq2SeqBatch& batch) {
  constexpr double kCertain = 100;
  const Var label = unsqueeze(read(source, batch.source_lengths).logits, 1);
  const int64_t T = target.size(1);
  if (T < 2) return narrow(label, 1, 0, T);
  const Tensor end = Tensor::zeros({source.size(0), T - 1, label.size(2)}, label.dtype());
  end.narrow(2, Vocabulary::kEos, 1).fill_(kCertain);
  return cat({label, Var(end)}, 1);
}

std::unique_ptr<StepModel> Classifier::start(const Seq2SeqBatch& batch) {
  return std::make_unique<LabelSteps>(*this, batch);
}

}  // namespace glass
