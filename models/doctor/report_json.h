#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "autograd/gradcheck.h"

namespace glass {

/// pass, fail, kink or vacuous.
std::string word_of(Verdict verdict);

/// All that a report holds; numbers that are not finite become null. An order that was not checked
/// is absent.
nlohmann::json to_json(const GradReport& report);

}  // namespace glass
