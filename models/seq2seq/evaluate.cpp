#include "models/seq2seq/evaluate.h"

#include <algorithm>

#include "models/captioner/overlap.h"
#include "models/metrics/answers.h"
#include "models/metrics/cider.h"
#include "models/report/label.h"
#include "models/text/utf8.h"
#include "models/text/vocabulary.h"

namespace glass {
namespace {

constexpr int64_t kRows = 128, kSourceTokens = 8192;  // of a batch, at most

Translation translation(const TextCodec& codec, const std::string& text, const Hypothesis& h,
                        bool replace_unknown) {
  Translation t;
  t.source = text;
  t.source_tokens = codec.source_tokens(text);
  for (int64_t id : h.ids) t.tokens.push_back(codec.target.token(id));
  t.weights = h.weights;
  // Padding got no weight; it is cut off.
  for (auto& row : t.weights)
    if (!codec.reads_pictures()) row.resize(t.source_tokens.size());
  for (size_t i = 0; replace_unknown && !t.source_tokens.empty() && i < t.weights.size(); ++i) {
    if (h.ids[i] != Vocabulary::kUnk) continue;
    const auto& row = t.weights[i];
    t.tokens[i] = t.source_tokens[static_cast<size_t>(std::max_element(row.begin(), row.end()) -
                                                      row.begin())];
  }
  t.text = codec.join_target(t.tokens);
  t.log_prob = h.log_prob;
  t.finished = h.finished;
  return t;
}

// Cross-entropy per token over all pairs, each counted by its tokens, not by its batch.
double corpus_loss(Translator& model, const TextCodec& codec, const std::vector<References>& data,
                   const Poll& poll) {
  std::vector<Source> sources;
  std::vector<std::vector<int64_t>> targets;
  for (const References& r : data) {
    const Source source = codec.encode_source(r.source);
    for (const std::string& target : r.targets) {
      sources.push_back(source);
      targets.push_back(codec.encode_target(target));
    }
  }
  const NoGrad no_grad;
  double sum = 0;
  int64_t tokens = 0;
  for (const Batch& batch : evaluation_batches(sources)) {
    poll();
    std::vector<Source> batch_sources;
    std::vector<std::vector<int64_t>> batch_targets;
    for (int64_t row : batch.rows) {
      batch_sources.push_back(sources[static_cast<size_t>(row)]);
      batch_targets.push_back(targets[static_cast<size_t>(row)]);
    }
    const auto loss = model.loss(make_batch(batch_sources, batch_targets));
    sum += loss.mean.item() * static_cast<double>(loss.tokens);
    tokens += loss.tokens;
  }
  return sum / static_cast<double>(std::max<int64_t>(1, tokens));
}

int64_t count_of(const std::vector<std::string>& tokens) {
  return static_cast<int64_t>(tokens.size());
}

// Of both sides; a picture has no length.
void check_lengths(std::string_view op, const TextCodec& codec, const std::string& source,
                   const std::vector<std::string>& targets) {
  if (!codec.reads_pictures())
    check_text_length(op, "source", source, count_of(codec.source_tokens(source)));
  for (const std::string& target : targets)
    check_text_length(op, "target", target, count_of(codec.target_tokens(target)));
}

}  // namespace

void check_text_length(std::string_view op, std::string_view side, const std::string& text,
                       int64_t tokens) {
  if (tokens > kLongestText)
    fail(op, "a " + std::string(side) + " is too long; divide it or leave it out", tokens,
         " tokens, at most ", kLongestText, ": ", shorten(clean_text(text), 60));
}

void check_source_length(const Translator& model, const std::string& text, int64_t tokens) {
  if (tokens > model.longest_source())
    fail("translate", "a source has more places than location scores know", tokens, ", at most ",
         model.longest_source(),
         " (--attention-size in training): ", shorten(clean_text(text), 60));
}

std::vector<Batch> evaluation_batches(const std::vector<Source>& sources, int64_t beam) {
  return sorted_batches(sources, std::max<int64_t>(1, kRows / beam), kSourceTokens / beam);
}

std::vector<std::vector<Translation>> translate(Translator& model, const TextCodec& codec,
                                                const std::vector<std::string>& texts,
                                                TranslateOptions options, const Poll& poll) {
  SearchOptions& search = options.search;
  if (search.beam < 1) fail("translate", "beam must be at least 1", search.beam);
  std::vector<std::vector<Translation>> results(texts.size());
  std::vector<Source> sources;
  std::vector<size_t> places;  // of the sources among the texts
  for (size_t i = 0; i < texts.size(); ++i) {
    if (trim(texts[i]).empty()) {
      results[i].push_back({.source = texts[i]});
      continue;
    }
    check_lengths("translate", codec, texts[i], {});
    sources.push_back(codec.encode_source(texts[i]));
    check_source_length(model, texts[i], static_cast<int64_t>(sources.back().size()));
    places.push_back(i);
  }
  const int64_t wide = options.sampling ? options.sampling->samples : search.beam;
  for (const Batch& batch : evaluation_batches(sources, std::max<int64_t>(1, wide))) {
    poll();
    std::vector<Source> batch_sources;
    std::vector<int64_t> most;
    for (int64_t row : batch.rows) {
      batch_sources.push_back(sources[static_cast<size_t>(row)]);
      most.push_back(std::max(codec.max_length(static_cast<int64_t>(batch_sources.back().size())),
                              search.min_length + 1));
    }
    search.max_lengths = most;
    search.max_length = *std::max_element(most.begin(), most.end());
    if (options.sampling) options.sampling->max_lengths = most;
    const auto found = options.sampling ? model.sample(batch_sources, *options.sampling)
                                        : model.translate(batch_sources, search);
    for (size_t i = 0; i < found.size(); ++i) {
      const size_t place = places[static_cast<size_t>(batch.rows[i])];
      for (const Hypothesis& h : found[i])
        results[place].push_back(translation(codec, texts[place], h, options.replace_unknown));
    }
  }
  return results;
}

Evaluation evaluate(Translator& model, const TextCodec& codec, const std::vector<References>& data,
                    int64_t beam, const Poll& poll) {
  if (data.empty()) fail("evaluate", "no data to evaluate on");
  const bool was_training = model.is_training();
  model.eval();
  Evaluation out;
  std::vector<std::string> texts;
  std::vector<std::vector<TokenList>> references;
  for (const References& r : data) {
    check_lengths("evaluate", codec, r.source, r.targets);
    texts.push_back(r.source);
    references.emplace_back();
    for (const std::string& target : r.targets)
      references.back().push_back(codec.target_tokens(target));
  }
  std::vector<TokenList> hypotheses;
  for (auto& best : translate(model, codec, texts, {.search = {.beam = beam}}, poll)) {
    hypotheses.push_back(best[0].tokens);
    out.translations.push_back(std::move(best[0]));
  }
  out.score.loss = corpus_loss(model, codec, data, poll);
  if (codec.reads_pictures()) {
    out.more.emplace_back("cider_d", cider(hypotheses, references).value);
    for (const auto& found : scene_overlaps(model, codec, texts, poll)) out.more.push_back(found);
  }
  const AnswerScores scores =
      answer_scores(std::move(hypotheses), std::move(references), codec.options.target);
  out.score.exact_match = scores.exact_match;
  out.score.symbol_error_rate = scores.symbol_error_rate;
  out.score.bleu = scores.bleu.value;
  out.bleu_signature = scores.bleu.signature;
  model.train(was_training);
  return out;
}

int64_t source_places(const Translator& model, const TextCodec& codec, const std::string& text) {
  if (codec.reads_pictures()) return model.picture_cells(codec.options.picture_size);
  return static_cast<int64_t>(codec.source_tokens(text).size());
}

double attention_multiply_adds(const Translator& model, const TextCodec& codec,
                               const std::vector<References>& data) {
  double sum = 0;
  for (const References& r : data)
    sum += model.attention_multiply_adds(
        source_places(model, codec, r.source),
        static_cast<int64_t>(codec.target_tokens(r.targets.at(0)).size()) + 1);
  return data.empty() ? 0 : sum / static_cast<double>(data.size());
}

Seq2SeqTask::Seq2SeqTask(Translator& model, const TextCodec& codec, const Corpus& corpus)
    : model_(model), codec_(codec), corpus_(corpus) {
  for (const Pair& pair : corpus.train) {
    // Captions of one picture stand together and share it.
    const bool again = !sources_.empty() && pair.source == corpus.train[sources_.size() - 1].source;
    check_lengths("train", codec, pair.source, {pair.target});
    sources_.push_back(again ? Source(sources_.back()) : codec.encode_source(pair.source));
    targets_.push_back(codec.encode_target(pair.target));
    check_source_length(model, pair.source, source_places(model, codec, pair.source));
  }
  for (const auto* data : {&corpus.valid, &corpus.test})
    for (const References& r : *data) {
      check_lengths("train", codec, r.source, r.targets);
      check_source_length(model, r.source, source_places(model, codec, r.source));
    }
}

Batches Seq2SeqTask::batches(const TrainOptions& options) const {
  return {sources_, targets_, {.batch_size = options.batch_size, .seed = options.seed}};
}

Trainee::Loss Seq2SeqTask::loss(const Batch& batch, int64_t step) {
  std::vector<Source> sources;
  std::vector<std::vector<int64_t>> targets;
  for (int64_t row : batch.rows) {
    sources.push_back(sources_[static_cast<size_t>(row)]);
    targets.push_back(targets_[static_cast<size_t>(row)]);
  }
  const auto loss = model_.loss(make_batch(sources, targets), step);
  return {loss.mean, loss.tokens, loss.cross_entropy};
}

BatchLengths Seq2SeqTask::lengths(const Batch& batch) {
  BatchLengths lengths;
  for (int64_t row : batch.rows) {
    lengths.source.push_back(static_cast<int64_t>(sources_[static_cast<size_t>(row)].size()));
    lengths.target.push_back(static_cast<int64_t>(targets_[static_cast<size_t>(row)].size()) + 1);
  }
  return lengths;
}

Score Seq2SeqTask::validate() { return evaluate(model_, codec_, corpus_.valid, 1).score; }

}  // namespace glass
