#pragma once

#include <string>
#include <string_view>

namespace glass {

/// What stands for every number where they are normalised.
inline constexpr const char* kNumberToken = "<number>";

/// A token that begins with a digit, or a sign and a digit, and holds nothing but digits and
/// . , : / % -: 42, -1.5, 1,000, 10:30, 3/4, 50%. Full-width forms (４２) count as what they are
/// forms of.
bool is_number(std::string_view token);
/// Full-width digits (４２), and the signs between them (．，：), in ASCII: tokenisers take ASCII
/// digits together, and full-width ones apart.
std::string with_narrow_digits(std::string_view text);
/// kNumberToken for a number, else the token.
std::string number_normalized(const std::string& token);

}  // namespace glass
