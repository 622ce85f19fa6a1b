#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glass {

/// Text that is safe to show: bad UTF-8, control characters, direction overrides and
/// non-characters become U+FFFD; line breaks and tabs become spaces.
std::string clean_text(std::string_view text);

/// A token as a label: clean, blanks visible as U+2423, a lone combining mark on a dotted circle.
std::string label_text(std::string_view token);

/// At most `width` (>= 1) terminal columns; what is cut ends in "…".
std::string shorten(std::string_view text, int64_t width);

/// clean_text with & < > " ' as entities: fit for XML and HTML, as content and as attribute.
std::string escape_xml(std::string_view text);

/// A number in at most `digits` significant digits without trailing zeros, the same in every
/// locale; "not a number" and "infinite" in words. 0.5 -> "0.5", 1000000 -> "1000000".
std::string number_text(double value, int digits = 4);

/// A coordinate: one decimal at most.
std::string pixels(double value);

}  // namespace glass
