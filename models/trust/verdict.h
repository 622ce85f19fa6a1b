#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/report/html.h"
#include "models/report/overlay.h"
#include "models/trust/lens.h"

namespace glass {

enum class TrustVerdict : uint8_t {
  agree,     ///< most weight and most effect are on one place (cells: touch), or ρ is at least 0.5
  disagree,  ///< neither
  silent,    ///< no place alone changes log p by 0.01: there is nothing to explain
  single,    ///< one place: nothing to compare
};

/// Do the weights of a token agree with what erasure does to it? columns: the report's.
TrustVerdict verdict(const TokenTrust& token, int64_t columns = 0);
/// agree, disagree, silent or single.
std::string_view name(TrustVerdict verdict);
/// The verdict as a sentence that names places and numbers; source and columns: the report's.
std::string sentence(const TokenTrust& token, const std::vector<std::string>& source,
                     int64_t columns = 0);
/// How many of an answer's tokens agree, in a sentence.
std::string summary(const TrustReport& report);

/// Four maps: weights, and of gradient, input × gradient and erasure each place's share of a row.
std::vector<AttentionMap> trust_maps(const TrustReport& report);
/// The same of a report on a picture, on that picture.
PictureAttention trust_look(const TrustReport& report, PictureAttention looked);
/// A row for each token: the correlations, the shuffle, and the sentence.
ReportTable trust_table(const TrustReport& report);
nlohmann::json to_json(const TrustReport& report);

}  // namespace glass
