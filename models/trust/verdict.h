#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/report/html.h"
#include "models/trust/lens.h"

namespace glass {

enum class TrustVerdict : uint8_t {
  agree,     ///< most weight and most effect are on one place, or ρ is at least 0.5
  disagree,  ///< neither
  silent,    ///< no place alone changes log p by 0.01: there is nothing to explain
  single,    ///< one place: nothing to compare
};

/// Do the weights of a token agree with what erasure does to it?
TrustVerdict verdict(const TokenTrust& token);
/// agree, disagree, silent or single.
std::string_view name(TrustVerdict verdict);
/// The verdict as a sentence that names places and numbers; source: the report's.
std::string sentence(const TokenTrust& token, const std::vector<std::string>& source);
/// How many of an answer's tokens agree, in a sentence.
std::string summary(const TrustReport& report);

/// Four maps: weights, and of gradient, input × gradient and erasure each place's share of a row.
std::vector<AttentionMap> trust_maps(const TrustReport& report);
/// A row for each token: the correlations, the shuffle, and the sentence.
ReportTable trust_table(const TrustReport& report);
nlohmann::json to_json(const TrustReport& report);

}  // namespace glass
