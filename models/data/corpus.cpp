#include "models/data/corpus.h"

#include "models/json.h"
#include "models/text/dates.h"
#include "tensor/error.h"

namespace glass {

TextCodec::TextCodec(const TextOptions& text, const std::vector<Pair>& train) : options(text) {
  std::vector<std::vector<std::string>> sources, targets;
  for (const Pair& pair : train) {
    sources.push_back(source_tokens(pair.source));
    targets.push_back(target_tokens(pair.target));
  }
  source = Vocabulary::build(sources, {.min_count = text.min_count});
  target = Vocabulary::build(targets, {.min_count = text.min_count});
}

std::vector<std::string> TextCodec::source_tokens(const std::string& text) const {
  return tokenise(options.lower_source ? lower_case(text) : text, options.source);
}
std::vector<std::string> TextCodec::target_tokens(const std::string& text) const {
  return tokenise(text, options.target);
}
std::vector<int64_t> TextCodec::encode_source(const std::string& text) const {
  return source.encode(source_tokens(text));
}
std::vector<int64_t> TextCodec::encode_target(const std::string& text) const {
  return target.encode(target_tokens(text));
}

Json TextCodec::to_json() const {
  return {{"source_tokens", std::string(name(options.source))},
          {"target_tokens", std::string(name(options.target))},
          {"lower_source", options.lower_source},
          {"strip_stress", options.strip_stress},
          {"min_count", options.min_count},
          {"source_vocabulary", source.to_json()},
          {"target_vocabulary", target.to_json()}};
}

TextCodec TextCodec::from_json(const Json& json) {
  const char* where = "config.json";
  TextCodec codec;
  codec.options.source = tokens_named(entry<std::string>(json, "source_tokens", where));
  codec.options.target = tokens_named(entry<std::string>(json, "target_tokens", where));
  codec.options.lower_source = entry<bool>(json, "lower_source", where);
  codec.options.strip_stress = entry<bool>(json, "strip_stress", where);
  codec.options.min_count = entry<int64_t>(json, "min_count", where);
  codec.source = Vocabulary::from_json(require(json, "source_vocabulary", where));
  codec.target = Vocabulary::from_json(require(json, "target_vocabulary", where));
  return codec;
}

namespace {

std::vector<Pair> read(const std::string& path, bool strip, std::vector<std::string>& warnings) {
  PairFile file = read_pairs(path, {.strip_stress = strip});
  for (const LineWarning& warning : file.warnings) warnings.push_back(path + ": " + warning.text());
  if (file.pairs.empty()) fail_environment("read_corpus", "no pairs in file", path);
  return std::move(file.pairs);
}

}  // namespace

Corpus read_corpus(const CorpusFiles& files) {
  if (files.valid.empty() != files.test.empty())
    fail("read_corpus", "give both a validation and a test file, or neither",
         files.valid.empty() ? "--valid is missing" : "--test is missing");
  Corpus corpus;
  std::vector<Pair> all = read(files.data, files.strip_stress, corpus.warnings);
  if (files.valid.empty()) {
    PairSplit split = split_pairs(all, 0.05, 0.05);
    if (split.train.empty() || split.valid.empty() || split.test.empty())
      fail_environment("read_corpus", "too few sources to split into training, validation and test",
                       files.data, " has ", all.size(), " pairs");
    corpus.train = std::move(split.train);
    corpus.valid = references(split.valid);
    corpus.test = references(split.test);
  } else {
    corpus.train = std::move(all);
    corpus.valid = references(read(files.valid, files.strip_stress, corpus.warnings));
    corpus.test = references(read(files.test, files.strip_stress, corpus.warnings));
  }
  return corpus;
}

Corpus dates_corpus(uint64_t seed) {
  DateSets sets = make_dates(20000, 500, 2000, seed);
  return {std::move(sets.train), references(sets.valid), references(sets.test), {}};
}

}  // namespace glass
