#include "models/data/corpus.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "models/data/shapes.h"
#include "models/image/resize.h"
#include "models/json.h"
#include "models/text/numbers.h"
#include "tensor/error.h"

namespace glass {

TextCodec::TextCodec(const TextOptions& text, const std::vector<Pair>& train) : options(text) {
  std::vector<std::vector<std::string>> sources, targets;
  for (const Pair& pair : train) {
    sources.push_back(source_tokens(pair.source));
    targets.push_back(target_tokens(pair.target));
    const auto from = static_cast<int64_t>(sources.back().size());
    const auto beyond = static_cast<int64_t>(targets.back().size()) + 1 - max_length(from);
    if (beyond > 0 && from > 0) growth += (beyond + from - 1) / from;
  }
  growth = std::min(growth, kMostGrowth);
  source = Vocabulary::build(sources, {.min_count = text.min_count});
  const int64_t fewest = text.target == Tokens::whole ? 1 : text.min_count;  // labels all stay
  target = Vocabulary::build(targets, {.min_count = fewest});
}

std::vector<std::string> TextCodec::source_tokens(const std::string& text) const {
  if (reads_pictures()) return {};
  const std::string read = options.normalize_numbers ? with_narrow_digits(text) : text;
  auto tokens = tokenise(options.lower_source ? lower_case(read) : read, options.source);
  if (options.normalize_numbers)
    std::transform(tokens.begin(), tokens.end(), tokens.begin(), number_normalized);
  return tokens;
}
std::vector<std::string> TextCodec::target_tokens(const std::string& text) const {
  return tokenise(text, options.target);
}
Source TextCodec::encode_source(const std::string& text) const {
  if (!reads_pictures()) return source.encode(source_tokens(text));
  const auto scene = scene_number(text);
  std::error_code ignored;
  if (!scene && text.starts_with("scene ") && !std::filesystem::exists(text, ignored))
    fail("picture", "a scene's number is a whole number from 0 to 18446744073709551615",
         "got " + text);
  return Source(fitted(scene ? draw(make_scene(*scene)) : read_image(text), options.picture_size));
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
          {"normalize_numbers", options.normalize_numbers},
          {"growth", growth},
          {"picture_size", options.picture_size},
          {"source_vocabulary", source.to_json()},
          {"target_vocabulary", target.to_json()}};
}

namespace {

// The error of a part as one of config.json's entry.
template <class Read>
auto read_entry(const char* key, Read read) {
  try {
    return read();
  } catch (const Error& e) {
    throw Error(ErrorKind::environment, std::string("text, ") + key, e.relation(), e.values());
  }
}

constexpr WholeRange kGrowthRange{TextCodec::kLeastGrowth, TextCodec::kMostGrowth};

Tokens tokens_entry(const Json& json, const char* key) {
  const auto name = entry<std::string>(json, key, "text");
  return read_entry(key, [&] { return tokens_named(name); });
}

Vocabulary vocabulary_entry(const Json& json, const char* key) {
  const Json& value = require(json, key, "text");
  return read_entry(key, [&] { return Vocabulary::from_json(value); });
}

}  // namespace

TextCodec TextCodec::from_json(const Json& json) {
  const char* where = "text";
  TextCodec codec;
  codec.options.source = tokens_entry(json, "source_tokens");
  codec.options.target = tokens_entry(json, "target_tokens");
  codec.options.lower_source = entry<bool>(json, "lower_source", where);
  codec.options.strip_stress = entry<bool>(json, "strip_stress", where);
  codec.options.min_count = entry(json, "min_count", where, kCountRange);
  // Runs of older versions have none of these.
  if (json.contains("growth")) codec.growth = entry(json, "growth", where, kGrowthRange);
  if (json.contains("picture_size"))
    codec.options.picture_size = entry(json, "picture_size", where, kPictureSizeRange);
  if (json.contains("normalize_numbers"))
    codec.options.normalize_numbers = entry<bool>(json, "normalize_numbers", where);
  codec.source = vocabulary_entry(json, "source_vocabulary");
  codec.target = vocabulary_entry(json, "target_vocabulary");
  return codec;
}

namespace {

constexpr int64_t kFewest = 100;  // sources, of which a split leaves none empty, as a rule

std::vector<Pair> read(const std::string& path, const char* role, const PairOptions& options,
                       Corpus& corpus) {
  PairFile file = read_pairs(path, options);
  const int64_t written = file.lines - file.blank;
  if (2 * file.skipped > written)
    fail_environment("read_corpus", "most lines are not " + file.form, path, ": ", file.skipped,
                     " of ", written, ", the first is line ", file.first_skipped);
  for (const LineWarning& warning : file.warnings)
    corpus.warnings.push_back(path + ": " + warning.text());
  corpus.stamps[role] = file.stamp;
  return std::move(file.pairs);
}

// Labels that occur once suggest that the columns are swapped. Whether they are most.
bool warn_of_lone_labels(Corpus& corpus) {
  std::map<std::string, int64_t> times;
  for (const Pair& pair : corpus.train) ++times[pair.target];
  const auto once =
      std::count_if(times.begin(), times.end(), [](const auto& each) { return each.second == 1; });
  if (2 * once <= static_cast<int64_t>(corpus.train.size())) return false;
  corpus.warnings.push_back(text(once, " of ", corpus.train.size(),
                                 " lines of training have a label of their own: a line is "
                                 "label, tab, text"));
  return true;
}

// Labels that training lacks are answered wrong, whatever is learnt.
void check_labels(Corpus& corpus, const CorpusFiles& files) {
  constexpr size_t kNamed = 5;  // labels that get a warning each
  std::set<std::string> known;
  for (const Pair& pair : corpus.train) known.insert(pair.target);
  if (known.size() == 1)
    fail_environment("read_corpus",
                     "all training texts have one label, so there is nothing to tell", files.data,
                     ": ", *known.begin());
  if (warn_of_lone_labels(corpus)) return;
  const auto warn = [&](const char* part, const std::vector<References>& data) {
    std::map<std::string, int64_t> unknown;
    for (const References& each : data)
      for (const std::string& label : each.targets)
        if (known.count(label) == 0) ++unknown[label];
    for (const auto& [label, count] : unknown)
      if (unknown.size() <= kNamed)
        corpus.warnings.push_back(
            text("no training text has the label \"", label, "\" of ", count, " in ", part));
    if (unknown.size() > kNamed)
      corpus.warnings.push_back(text("no training text has ", unknown.size(), " of the labels in ",
                                     part, ", as \"", unknown.begin()->first, "\""));
  };
  warn("validation", corpus.valid);
  warn("the test", corpus.test);
}

}  // namespace

void warn_of_parts(Corpus& corpus) {
  constexpr size_t kFewSources = 10;
  std::set<std::string> known;
  for (const Pair& pair : corpus.train) known.insert(pair.source);
  const auto warn = [&](const char* part, const std::vector<References>& data) {
    const auto seen = std::count_if(data.begin(), data.end(), [&](const References& each) {
      return known.count(each.source) > 0;
    });
    if (seen > 0)
      corpus.warnings.push_back(text(seen, " of ", data.size(), " sources of ", part,
                                     " occur in training, too: its scores are too good"));
  };
  warn("validation", corpus.valid);
  warn("the test", corpus.test);
  if (corpus.valid.size() < kFewSources)
    corpus.warnings.push_back(text("the best model is chosen on ", corpus.valid.size(),
                                   corpus.valid.size() == 1 ? " source" : " sources",
                                   " of validation: that is chance"));
}

Corpus read_corpus(const CorpusFiles& files) {
  if (files.valid.empty() != files.test.empty())
    fail("read_corpus", "give both a validation and a test file, or neither",
         files.valid.empty() ? "--valid is missing" : "--test is missing");
  Corpus corpus;
  const PairOptions options{files.strip_stress, files.labels_first};
  std::vector<Pair> all = read(files.data, "data", options, corpus);
  if (files.valid.empty()) {
    PairSplit split = split_pairs(all, kSplitOff, kSplitOff);
    if (split.train.empty() || split.valid.empty() || split.test.empty())
      fail_environment("read_corpus", "too few sources to split off validation and test, 5 % each",
                       files.data, " has ", references(all).size(), ", about ", kFewest,
                       " are needed; or give --valid and --test",
                       files.labels_first ? "; a line is label, tab, text" : "");
    corpus.train = std::move(split.train);
    corpus.valid = references(split.valid);
    corpus.test = references(split.test);
  } else {
    corpus.train = std::move(all);
    corpus.valid = references(read(files.valid, "valid", options, corpus));
    corpus.test = references(read(files.test, "test", options, corpus));
  }
  if (files.labels_first) check_labels(corpus, files);
  warn_of_parts(corpus);
  return corpus;
}

std::vector<References> read_references(const std::string& path, bool strip_stress,
                                        bool labels_first) {
  Corpus unused;
  return references(read(path, "data", {strip_stress, labels_first}, unused));
}

}  // namespace glass
