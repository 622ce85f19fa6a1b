#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace glass {

/// Word alignments: links between a source and a target token, counted from 0.
struct Link {
  int64_t source = 0, target = 0;
  auto operator<=>(const Link&) const = default;
};
using Links = std::set<Link>;

/// A person's alignment: links that must be there and links that may be (the sure ones included).
struct GoldLinks {
  Links sure, possible;
};

/// "0-0 1?2 3-3": source and target; - is a sure link, ? (or p) a possible one. Throws, quoting the
/// word, for anything else. In links() every link is sure.
GoldLinks gold_links(std::string_view line);
Links links(std::string_view line);

/// The source token with the most weight for each target token, the first of equals; none for a row
/// without weight. weights: [target][source].
Links strongest_links(const std::vector<std::vector<double>>& weights);

/// Alignment error rate (Och and Ney 2003) over a corpus, in [0, 1]:
///   AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|)
/// 0 where neither side has a link. Throws where the two differ in number or are empty.
double alignment_error_rate(const std::vector<Links>& found, const std::vector<GoldLinks>& gold);

}  // namespace glass
