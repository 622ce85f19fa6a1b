#include "models/text/pairs.h"

#include <algorithm>
#include <unordered_map>

#include "models/text/draws.h"
#include "models/text/text_file.h"
#include "models/text/utf8.h"
#include "tensor/error.h"

namespace glass {
namespace {

bool is_stressed_vowel(std::string_view phone) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return phone.size() == 3 && capital(phone[0]) && capital(phone[1]) && phone[2] >= '0' &&
         phone[2] <= '2';
}

}  // namespace

namespace {

// What is left out of a file, line by line.
class Skipped {
 public:
  explicit Skipped(PairFile& file) : file_(file) {}
  void operator()(LineWarning& warning, bool blank) {
    warning.add(file_.lines);
    if (blank) {
      ++file_.blank;
    } else if (file_.skipped++ == 0) {
      file_.first_skipped = file_.lines;
    }
  }
  // Keeps the warnings there were. Throws where no pair is left.
  void finish(std::string_view name, std::initializer_list<LineWarning*> all) {
    for (LineWarning* warning : all)
      if (warning->count > 0) file_.warnings.push_back(std::move(*warning));
    if (!file_.pairs.empty()) return;
    std::string why = file_.lines == 0 ? "it is empty" : "";
    for (const LineWarning& warning : file_.warnings)
      why += (why.empty() ? "" : "; ") + warning.text();
    fail("read_pairs", "no line holds " + file_.form, name, " (", why, ")");
  }

 private:
  PairFile& file_;
};

}  // namespace

PairFile parse_pairs(std::string_view text, std::string_view name, PairOptions options) {
  PairFile file;
  file.form = options.labels_first ? "label TAB text" : "source TAB target";
  file.stamp = stamp_of(text);
  text = utf8_body(text, "read_pairs", name);
  LineWarning columns{"fewer than two columns, skipped", 0, {}};
  LineWarning empty{"empty side, skipped", 0, {}};
  LineWarning bad{"bad UTF-8, replaced by U+FFFD", 0, {}};
  Skipped skip(file);
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    ++file.lines;
    const bool blank = trim(line).empty();
    if (line.find('\t') == std::string_view::npos) {
      skip(columns, blank);
      continue;
    }
    RepairedText source = repair_utf8(trim(take_until(line, '\t')));
    RepairedText target = repair_utf8(trim(take_until(line, '\t')));
    if (options.labels_first) std::swap(source, target);
    if (source.text.empty() || target.text.empty()) {
      skip(empty, blank);
      continue;
    }
    if (source.replaced + target.replaced > 0) bad.add(file.lines);
    file.pairs.push_back(
        {source.text, options.strip_stress ? strip_stress(target.text) : target.text});
  }
  skip.finish(name, {&columns, &empty, &bad});
  return file;
}

PairFile parse_json_pairs(std::string_view text, std::string_view name, PairOptions options) {
  PairFile file;
  file.form = "a JSON object with source and target";
  file.stamp = stamp_of(text);
  text = utf8_body(text, "read_pairs", name);
  LineWarning foreign{"no JSON object with source and target, skipped", 0, {}};
  LineWarning bad{"bad UTF-8, replaced by U+FFFD", 0, {}};
  Skipped skip(file);
  while (!text.empty()) {
    const RepairedText line = repair_utf8(trim(take_until(text, '\n')));
    ++file.lines;
    std::vector<Pair> pairs = json_pairs(line.text);
    if (pairs.empty()) {
      skip(foreign, line.text.empty());
      continue;
    }
    if (line.replaced > 0) bad.add(file.lines);
    for (Pair& pair : pairs) {
      if (options.strip_stress) pair.target = strip_stress(pair.target);
      file.pairs.push_back(std::move(pair));
    }
  }
  skip.finish(name, {&foreign, &bad});
  return file;
}

PairFile read_pairs(const std::string& path, PairOptions options) {
  const bool json = path.ends_with(".jsonl") || path.ends_with(".jsonl.gz");
  const std::string text = read_text_file(path);
  return json ? parse_json_pairs(text, path, options) : parse_pairs(text, path, options);
}

std::string strip_stress(std::string_view phones) {
  std::string out;
  out.reserve(phones.size());
  for (size_t at = 0; at < phones.size();) {
    const size_t end = std::min(phones.find_first_of(" \t", at), phones.size());
    const std::string_view phone = phones.substr(at, end - at);
    out += is_stressed_vowel(phone) ? phone.substr(0, 2) : phone;
    if (end < phones.size()) out += phones[end];
    at = end + 1;
  }
  return out;
}

std::vector<References> references(const std::vector<Pair>& pairs) {
  std::vector<References> all;
  std::unordered_map<std::string_view, size_t> place;
  for (const Pair& pair : pairs) {
    const auto [found, is_new] = place.emplace(pair.source, all.size());
    if (is_new) all.push_back({pair.source, {}});
    std::vector<std::string>& targets = all[found->second].targets;
    if (std::find(targets.begin(), targets.end(), pair.target) == targets.end()) {
      targets.push_back(pair.target);
    }
  }
  return all;
}

uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001B3ULL;
  return hash;
}

PairSplit split_pairs(const std::vector<Pair>& pairs, double valid, double test, uint64_t seed) {
  if (!(valid >= 0 && test >= 0 && valid + test < 1)) {
    fail("split_pairs", "fractions must be at least 0 and leave something to train on", "valid ",
         valid, ", test ", test);
  }
  PairSplit parts;
  for (const Pair& pair : pairs) {
    // FNV-1a mixes its last bytes badly into the high bits: mix64 spreads them.
    const uint64_t hash = mix64(fnv1a(pair.source) ^ mix64(seed));
    const double place = static_cast<double>(hash >> 11) * 0x1p-53;  // in [0, 1)
    auto& part = place < test ? parts.test : place < test + valid ? parts.valid : parts.train;
    part.push_back(pair);
  }
  return parts;
}

}  // namespace glass
