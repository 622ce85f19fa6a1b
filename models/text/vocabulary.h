#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace glass {

struct VocabularyOptions {
  int64_t min_count = 1;  ///< rarer tokens become unk; at least 1
  int64_t max_size = 0;   ///< ids in all, the four specials counted; 0: no limit, else at least 4
};

/// Tokens and their ids. Ids 0 … 3 are the specials pad, unk, bos and eos; then the tokens by
/// falling count, equal counts by byte order: the same on every machine and for every order of the
/// same sentences. A token that spells a special (`<pad>`, `<unk>`, `<bos>`, `<eos>`) is data like
/// any other that is not known: it has the id of unk.
class Vocabulary {
 public:
  static constexpr int64_t kPad = 0;
  static constexpr int64_t kUnk = 1;
  static constexpr int64_t kBos = 2;
  static constexpr int64_t kEos = 3;

  /// Only the specials.
  Vocabulary();

  /// Throws when a token is not valid UTF-8 (read files with read_pairs, which repairs them).
  static Vocabulary from_counts(const std::map<std::string, int64_t>& counts,
                                VocabularyOptions options = {});
  /// Counts the tokens of these sentences; give it training text only.
  static Vocabulary build(const std::vector<std::vector<std::string>>& sentences,
                          VocabularyOptions options = {});

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  /// kUnk where the token is not known.
  int64_t id(std::string_view token) const;
  bool contains(std::string_view token) const { return id(token) != kUnk; }
  /// Throws where id is not in [0, size()).
  const std::string& token(int64_t id) const;
  /// How often the token stood in the training text; 0 for the specials. Throws as token().
  int64_t count(int64_t id) const;

  /// One id per token, without bos and eos.
  std::vector<int64_t> encode(const std::vector<std::string>& tokens) const;
  /// The tokens up to the first eos, without pad and bos. Throws as token() for the ids it reads.
  std::vector<std::string> decode(const std::vector<int64_t>& ids) const;

  /// {"specials": [four], "tokens": [...], "counts": [...]}, tokens from id 4 on.
  nlohmann::json to_json() const;
  /// Throws when the value was not written by to_json().
  static Vocabulary from_json(const nlohmann::json& json);

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view token) const { return std::hash<std::string_view>{}(token); }
  };

  void add(std::string token, int64_t count);
  void check(int64_t id) const;

  std::vector<std::string> tokens_;
  std::vector<int64_t> counts_;
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> ids_;  // no special is in it
};

}  // namespace glass
