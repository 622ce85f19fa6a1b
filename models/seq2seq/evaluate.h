#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/corpus.h"
#include "models/seq2seq/translator.h"
#include "models/train/trainer.h"

namespace glass {

/// One translated sentence with where the model looked.
struct Translation {
  std::string source, text = {};
  std::vector<std::string> source_tokens = {}, tokens = {};
  /// [tokens][source tokens], of a picture [tokens][cells]; empty if not kept.
  std::vector<std::vector<double>> weights = {};
  double log_prob = 0;
  bool finished = true;  ///< false: cut at the length limit
};

/// How texts are translated.
struct TranslateOptions {
  SearchOptions search = {};
  std::optional<SamplingOptions> sampling = {};  ///< drawn by chance instead of searched
  /// An unknown word is replaced by the source token that it looked at most (Luong, Sutskever, Le,
  /// Vinyals, Zaremba 2015 copy by alignment); needs kept weights.
  bool replace_unknown = false;
};

/// The most tokens of a source or a target. Attention of one that long over another holds 10^8
/// weights, and more of what it needs for its gradient.
constexpr int64_t kLongestText = 10'000;

/// Throws Error of this operation, with a piece of the text, for more than kLongestText tokens.
/// side: "source" or "target".
void check_text_length(std::string_view op, std::string_view side, const std::string& text,
                       int64_t tokens);
/// Throws Error, naming the limit, for a source of more tokens than the model can read.
void check_source_length(const Translator& model, const std::string& text, int64_t tokens);

using Poll = std::function<void()>;

/// Translates in batches of similar length; results in the order of the texts, n_best each. Each
/// answer may have codec.max_length of its own text (max_length is not used, but at least
/// min_length fits), and a text of nothing but white space has one answer, the empty one. poll is
/// called before each batch: what it throws ends the work. Throws Error before the first where a
/// text is too long for the model.
std::vector<std::vector<Translation>> translate(
    Translator& model, const TextCodec& codec, const std::vector<std::string>& texts,
    TranslateOptions options, const Poll& poll = [] {});
/// Every row once, in batches that fit in memory: the fewer sentences, the longer they are.
/// beam: hypotheses of each.
std::vector<Batch> evaluation_batches(const std::vector<Source>& sources, int64_t beam = 1);

struct Evaluation {
  Score score;
  std::string bleu_signature;
  /// Of captions: cider_d, and where the truth is known (scenes, a model that attends)
  /// attention_iou beside uniform_iou and shuffled_iou (models/captioner/overlap.h).
  std::vector<std::pair<std::string, double>> more;
  std::vector<Translation> translations;  ///< in the order of the references
};
/// Translates every source and compares with all its targets; the loss is over every pair.
Evaluation evaluate(
    Translator& model, const TextCodec& codec, const std::vector<References>& data, int64_t beam,
    const Poll& poll = [] {});

/// What attention has to choose from: tokens of a text, cells of a picture's map.
int64_t source_places(const Translator& model, const TextCodec& codec, const std::string& text);

/// Mean multiply-adds of the attention per sentence, its (first) target given.
double attention_multiply_adds(const Translator& model, const TextCodec& codec,
                               const std::vector<References>& data);

/// The training pairs of a corpus as what the trainer needs.
class Seq2SeqTask : public Trainee {
 public:
  /// Throws Error where a text, of validation and test too, is too long, or for the model.
  Seq2SeqTask(Translator& model, const TextCodec& codec, const Corpus& corpus);
  Batches batches(const TrainOptions& options) const;
  Module& model() override { return model_; }
  Generator& generator() override { return model_.generator(); }
  Loss loss(const Batch& batch, int64_t step) override;
  Score validate() override;
  BatchLengths lengths(const Batch& batch) override;

 private:
  Translator& model_;
  const TextCodec& codec_;
  const Corpus& corpus_;
  std::vector<Source> sources_;
  std::vector<std::vector<int64_t>> targets_;
};

}  // namespace glass
