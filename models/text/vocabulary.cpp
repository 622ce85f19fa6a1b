#include "models/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>

#include "models/json.h"
#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {
namespace {

// Invariant: in the order of their ids.
constexpr std::array<std::string_view, 4> kSpecials = {"<pad>", "<unk>", "<bos>", "<eos>"};

bool is_special(std::string_view token) {
  return std::find(kSpecials.begin(), kSpecials.end(), token) != kSpecials.end();
}

}  // namespace

Vocabulary::Vocabulary() {
  for (std::string_view special : kSpecials) {
    tokens_.emplace_back(special);
    counts_.push_back(0);
  }
}

void Vocabulary::add(std::string token, int64_t count) {
  ids_.emplace(token, size());
  tokens_.push_back(std::move(token));
  counts_.push_back(count);
}

Vocabulary Vocabulary::from_counts(const std::map<std::string, int64_t>& counts,
                                   VocabularyOptions options) {
  const auto specials = static_cast<int64_t>(kSpecials.size());
  if (options.min_count < 1) {
    fail("Vocabulary", "min_count must be at least 1", options.min_count);
  }
  if (options.max_size != 0 && options.max_size < specials) {
    fail("Vocabulary", "max_size must be 0 (no limit) or at least 4, for the specials",
         options.max_size);
  }
  std::vector<std::pair<std::string, int64_t>> kept;
  for (const auto& [token, count] : counts) {
    if (const RepairedText repaired = repair_utf8(token); repaired.replaced > 0) {
      fail("Vocabulary", "token is not valid UTF-8", repaired.text);
    }
    if (count >= options.min_count && !is_special(token)) kept.emplace_back(token, count);
  }
  // A map holds its keys in byte order, and a stable sort keeps that order among equal counts.
  std::stable_sort(kept.begin(), kept.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (options.max_size != 0) {
    kept.resize(std::min(kept.size(), static_cast<size_t>(options.max_size - specials)));
  }
  Vocabulary vocabulary;
  for (auto& [token, count] : kept) vocabulary.add(std::move(token), count);
  return vocabulary;
}

Vocabulary Vocabulary::build(const std::vector<std::vector<std::string>>& sentences,
                             VocabularyOptions options) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const auto& sentence : sentences) {
    for (const std::string& token : sentence) ++counts[token];
  }
  return from_counts({counts.begin(), counts.end()}, options);
}

int64_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? kUnk : found->second;
}

void Vocabulary::check(int64_t id) const {
  if (id < 0 || id >= size()) {
    fail("Vocabulary", "id is out of range", id, " (ids are 0 … ", size() - 1, ")");
  }
}

const std::string& Vocabulary::token(int64_t id) const {
  check(id);
  return tokens_[static_cast<size_t>(id)];
}

int64_t Vocabulary::count(int64_t id) const {
  check(id);
  return counts_[static_cast<size_t>(id)];
}

std::vector<int64_t> Vocabulary::encode(const std::vector<std::string>& tokens) const {
  std::vector<int64_t> ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens) ids.push_back(id(token));
  return ids;
}

std::vector<std::string> Vocabulary::decode(const std::vector<int64_t>& ids) const {
  std::vector<std::string> tokens;
  for (int64_t id : ids) {
    if (id == kEos) break;
    if (id != kPad && id != kBos) tokens.push_back(token(id));
  }
  return tokens;
}

Json Vocabulary::to_json() const {
  const auto specials = static_cast<std::ptrdiff_t>(kSpecials.size());
  return {{"specials", kSpecials},
          {"tokens", std::vector<std::string>(tokens_.begin() + specials, tokens_.end())},
          {"counts", std::vector<int64_t>(counts_.begin() + specials, counts_.end())}};
}

Vocabulary Vocabulary::from_json(const Json& json) {
  const auto list = [&](const char* key) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_array()) {
      fail("Vocabulary::from_json", "an array is missing", '"', key, '"');
    }
    return json[key];
  };
  if (const Json specials = list("specials"); specials != Json(kSpecials)) {
    fail("Vocabulary::from_json", "specials must be <pad>, <unk>, <bos>, <eos>", specials.dump());
  }
  const Json tokens = list("tokens");
  const Json counts = list("counts");
  if (tokens.size() != counts.size()) {
    fail("Vocabulary::from_json", "tokens and counts differ in number", tokens.size(), " and ",
         counts.size());
  }
  Vocabulary vocabulary;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is_string() || repair_utf8(tokens[i].get_ref<const std::string&>()).replaced) {
      fail("Vocabulary::from_json", "token must be a string of valid UTF-8", "number ", i);
    }
    if (!counts[i].is_number_integer() || counts[i] < 0 ||
        counts[i] > std::numeric_limits<int64_t>::max()) {
      fail("Vocabulary::from_json", "count must be a whole number of at least 0", "number ", i);
    }
    const std::string& token = tokens[i].get_ref<const std::string&>();
    if (is_special(token) || vocabulary.contains(token)) {
      fail("Vocabulary::from_json", "token would have two ids", token);
    }
    vocabulary.add(token, counts[i].get<int64_t>());
  }
  return vocabulary;
}

}  // namespace glass
