#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/text/lines.h"
#include "models/text/text_file.h"

namespace glass {

struct Pair {
  std::string source, target;
  bool operator==(const Pair&) const = default;
};

struct PairFile {
  std::vector<Pair> pairs;
  int64_t lines = 0, blank = 0;  ///< all, and those of nothing but white space
  /// Lines that are not blank and yet no pair, and the number of the first.
  int64_t skipped = 0, first_skipped = 0;
  std::vector<LineWarning> warnings;
  std::string form;  ///< what a line should be
  TextStamp stamp;   ///< of the whole text, before anything is dropped
};

struct PairOptions {
  bool strip_stress = false;  ///< apply glass::strip_stress to the targets
  bool labels_first = false;  ///< of tab-separated lines the target is the first column
};

/// Pairs from tab-separated lines, source first (unless options say otherwise); further columns are
/// ignored. A byte order mark at the start, a carriage return at the end of a line and white space
/// at the ends of a side are dropped; the last line need not be closed. Lines with fewer than two
/// columns (blank lines too) and lines with an empty side are skipped, bad UTF-8 is replaced
/// (utf8.h): each with a warning. Throws when no pair is left, naming `name`, and when the text is
/// UTF-16.
PairFile parse_pairs(std::string_view text, std::string_view name, PairOptions options = {});

/// The pairs of a line of JSON, {"source": …, "target": …}: each a text or a list of texts. Those
/// of a source are parts, joined with a blank; each target is a pair of its own. Other keys are
/// ignored; empty where the line is anything else.
std::vector<Pair> json_pairs(std::string_view line);

/// The same as parse_pairs from such lines.
PairFile parse_json_pairs(std::string_view text, std::string_view name, PairOptions options = {});

/// The pairs of a file, plain or .gz: JSON lines where its name ends in .jsonl or .jsonl.gz, else
/// tab-separated. Throws an environment error when it cannot be read whole.
PairFile read_pairs(const std::string& path, PairOptions options = {});

/// ARPAbet phones without the stress of vowels: "AA1 K AH0 N" -> "AA K AH N". A phone is white
/// space around two capitals and a digit 0, 1 or 2; all other text stays.
std::string strip_stress(std::string_view phones);

/// A source and every distinct target it was given.
struct References {
  std::string source;
  std::vector<std::string> targets;
  bool operator==(const References&) const = default;
};

/// Distinct sources and, for each, its distinct targets, both in the order they were first met.
std::vector<References> references(const std::vector<Pair>& pairs);

/// FNV-1a, 64 bit (Fowler, Noll and Vo).
uint64_t fnv1a(std::string_view bytes);

struct PairSplit {
  std::vector<Pair> train, valid, test;
};

/// Splits by a hash of the source and the seed alone: pairs of one source stand in one part, and a
/// pair keeps its part whatever other pairs there are. The fractions are met on average.
/// Throws unless both are at least 0 and their sum is less than 1.
PairSplit split_pairs(const std::vector<Pair>& pairs, double valid, double test, uint64_t seed = 0);

}  // namespace glass
