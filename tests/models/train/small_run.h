#pragma once

#include <csignal>

#include "models/seq2seq/evaluate.h"
#include "models/train/run_folder.h"
#include "models/train/trainer.h"

namespace glass::tests {

inline TrainOptions short_options() {
  return {.steps = 30, .batch_size = 16, .lr = 3e-3, .warmup = 5, .valid_every = 10};
}

inline Corpus small_corpus() {
  Corpus corpus = dates_corpus({}, 3);
  corpus.train.resize(200);
  corpus.valid.resize(20);
  corpus.test.resize(20);
  return corpus;
}

/// A run on a few dates that can be interrupted at a step.
struct Run : Trainee {
  Corpus corpus = small_corpus();
  TextCodec codec{TextOptions{}, corpus.train};
  std::unique_ptr<Translator> net;
  Seq2SeqTask task;
  explicit Run(bool transformer = false)
      : net(make_translator(transformer ? ModelOptions(attentive()) : recurrent(), 9)),
        task(*net, codec, corpus) {}
  int64_t interrupt_at = -1, calls = 0;

  Module& model() override { return *net; }
  Generator& generator() override { return net->generator(); }
  Loss loss(const Batch& batch, int64_t step) override {
    if (++calls == interrupt_at) std::raise(SIGINT);
    return task.loss(batch, step);
  }
  Score validate() override { return task.validate(); }

 private:
  Seq2SeqOptions recurrent() const {
    return {.source_vocabulary = codec.source.size(),
            .target_vocabulary = codec.target.size(),
            .embedding = 8,
            .hidden = 12,
            .attention = {.size = 8},
            .dropout = 0.2};
  }
  TransformerTranslatorOptions attentive() const {
    return {.source_vocabulary = codec.source.size(),
            .target_vocabulary = codec.target.size(),
            .d_model = 8,
            .ffn = 12,
            .heads = 2,
            .layers = 1,
            .decoder_layers = 1,
            .dropout = 0.2};
  }
};

inline std::vector<float> weights(Module& module) {
  std::vector<float> all;
  for (const auto& [name, tensor] : module.state_dict().tensors)
    for (float v : tensor.to_vector<float>()) all.push_back(v);
  return all;
}

}  // namespace glass::tests
