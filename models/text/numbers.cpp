#include "models/text/numbers.h"

namespace glass {

bool is_number(std::string_view token) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (token.starts_with("-") || token.starts_with("+")) token.remove_prefix(1);
  if (token.empty() || !is_digit(token[0])) return false;
  for (const char c : token)
    if (!is_digit(c) && std::string_view(".,:/%-").find(c) == std::string_view::npos) return false;
  return true;
}

std::string number_normalized(const std::string& token) {
  return is_number(token) ? kNumberToken : token;
}

}  // namespace glass
