#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tensor/error.h"

namespace glass {

using TokenList = std::vector<std::string>;

/// Throws unless each hypothesis has at least one reference and there is a hypothesis.
/// `op` is the metric the error shall name.
template <class Text>
void check_references(const char* op, const std::vector<Text>& hypotheses,
                      const std::vector<std::vector<Text>>& references) {
  if (hypotheses.size() != references.size()) {
    fail(op, "hypotheses and reference lists differ in number", hypotheses.size(), " and ",
         references.size());
  }
  if (hypotheses.empty()) fail(op, "there is no hypothesis");
  for (size_t i = 0; i < references.size(); ++i) {
    if (references[i].empty()) fail(op, "hypothesis has no reference", "number ", i);
  }
}

/// How a signature begins: "nrefs:2|case:mixed", "nrefs:1-4|case:lc" for unequally many references.
template <class Text>
std::string signature_start(const std::vector<std::vector<Text>>& references, bool lower) {
  size_t fewest = references.front().size(), most = fewest;
  for (const auto& list : references) {
    fewest = std::min(fewest, list.size());
    most = std::max(most, list.size());
  }
  return text("nrefs:", fewest, fewest == most ? "" : text("-", most),
              "|case:", lower ? "lc" : "mixed");
}

}  // namespace glass
