#include "models/metrics/alignment.h"

#include <algorithm>
#include <charconv>

#include "models/text/tokens.h"
#include "tensor/error.h"

namespace glass {
namespace {

int64_t shared(const Links& a, const Links& b) {
  return std::count_if(a.begin(), a.end(), [&](const Link& link) { return b.count(link) > 0; });
}

}  // namespace

GoldLinks gold_links(std::string_view line) {
  GoldLinks gold;
  for (const std::string& word : tokenise(line, Tokens::split)) {
    Link link;
    const char* end = word.data() + word.size();
    const auto source = std::from_chars(word.data(), end, link.source);
    const char mark = source.ec == std::errc() && source.ptr != end ? *source.ptr : 'x';
    const bool marked = mark == '-' || mark == '?' || mark == 'p';
    const auto target = marked ? std::from_chars(source.ptr + 1, end, link.target) : source;
    if (!marked || target.ec != std::errc() || target.ptr != end || link.source < 0 ||
        link.target < 0)
      fail("alignment", "a link must be SOURCE-TARGET or, if only possible, SOURCE?TARGET", "got ",
           word);
    if (mark == '-') gold.sure.insert(link);
    gold.possible.insert(link);
  }
  return gold;
}

Links links(std::string_view line) {
  GoldLinks gold = gold_links(line);
  if (gold.sure.size() != gold.possible.size())
    fail("alignment", "only a reference may hold possible links", "got ", line);
  return std::move(gold.sure);
}

Links strongest_links(const std::vector<std::vector<double>>& weights) {
  Links found;
  for (size_t t = 0; t < weights.size(); ++t) {
    const auto most = std::max_element(weights[t].begin(), weights[t].end());
    if (most != weights[t].end() && *most > 0)
      found.insert({most - weights[t].begin(), static_cast<int64_t>(t)});
  }
  return found;
}

double alignment_error_rate(const std::vector<Links>& found, const std::vector<GoldLinks>& gold) {
  if (found.size() != gold.size())
    fail("alignment_error_rate", "alignments differ in number", found.size(), " and ", gold.size());
  if (found.empty()) fail("alignment_error_rate", "there is no alignment");
  int64_t right = 0, all = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    right += shared(found[i], gold[i].sure) + shared(found[i], gold[i].possible);
    all += static_cast<int64_t>(found[i].size() + gold[i].sure.size());
  }
  return all == 0 ? 0 : 1 - static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace glass
