#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/data/source.h"
#include "models/metrics/alignment.h"
#include "models/text/pairs.h"
#include "models/text/tokens.h"
#include "models/text/vocabulary.h"

namespace glass {

/// How the text of a task becomes ids; part of a run's config.json.
struct TextOptions {
  Tokens source = Tokens::chars, target = Tokens::chars;
  bool lower_source = false;
  bool strip_stress = false;  ///< drop ARPAbet stress marks from the targets
  int64_t min_count = 1;      ///< rarer words become <unk>; labels never
  /// Sources are pictures, fitted to squares of so many pixels; 0: they are texts.
  int64_t picture_size = 0;
  bool normalize_numbers = false;  ///< each number of a source becomes one token (numbers.h)
};

/// Turns text into ids and back, with the vocabularies built from the training text only. Where
/// sources are pictures, their text is what names them: a path, or a scene (shapes.h).
class TextCodec {
 public:
  TextCodec() = default;
  TextCodec(const TextOptions& options, const std::vector<Pair>& train);

  std::vector<std::string> source_tokens(const std::string& text) const;  ///< of a picture: none
  std::vector<std::string> target_tokens(const std::string& text) const;
  /// Throws Error where a picture cannot be read.
  Source encode_source(const std::string& text) const;
  std::vector<int64_t> encode_target(const std::string& text) const;
  std::vector<std::string> decode_target(const std::vector<int64_t>& ids) const {
    return target.decode(ids);
  }
  bool reads_pictures() const { return options.picture_size > 0; }
  std::string join_target(const std::vector<std::string>& tokens) const {
    return join(tokens, options.target);
  }

  nlohmann::json to_json() const;
  static TextCodec from_json(const nlohmann::json& json);

  /// The most tokens, the end counted, that an answer to a source of so many may have: to a picture
  /// kLongestCaption, to a text growth·source + 10. That cuts no answer of the training data unless
  /// it would take a growth beyond kMostGrowth.
  int64_t max_length(int64_t source_tokens) const {
    return reads_pictures() ? kLongestCaption : growth * source_tokens + 10;
  }
  static constexpr int64_t kLeastGrowth = 2, kMostGrowth = 20;
  static constexpr int64_t kLongestCaption = 60;

  TextOptions options;
  Vocabulary source, target;
  int64_t growth = kLeastGrowth;
};

/// What was read, by the name of the file's role: "data", "valid", "test".
using TextStamps = std::map<std::string, TextStamp>;

/// Training pairs, and distinct sources with all their targets for validation and test.
struct Corpus {
  std::vector<Pair> train;
  std::vector<References> valid, test;
  std::vector<GoldLinks> valid_links = {}, test_links = {};  ///< of those; empty where not known
  std::vector<std::string> warnings = {};
  TextStamps stamps = {};
};

/// The part of the data that is split off for validation, and again for the test, where no other
/// files are given.
constexpr double kSplitOff = 0.05;

struct CorpusFiles {
  std::string data;         ///< TSV of source and target, or JSON lines (read_pairs)
  std::string valid, test;  ///< empty: split off from data by source text, 5 % each
  bool strip_stress = false;
  std::string captions = {};  ///< of the task captions: the columns' names
  bool labels_first = false;  ///< lines of label and text instead
};
/// Adds warnings where validation or test share sources with training, and where validation has
/// very few.
void warn_of_parts(Corpus& corpus);
/// Throws Error when a file cannot be read, when most of its lines are no pairs, when it has too
/// few sources to be split, and when all labels of the training are the same; warns of labels that
/// only validation or test have.
Corpus read_corpus(const CorpusFiles& files);
/// Sources with all their targets, of one file. Throws Error as read_corpus.
std::vector<References> read_references(const std::string& path, bool strip_stress,
                                        bool labels_first = false);

}  // namespace glass
