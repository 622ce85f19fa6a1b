#pragma once

#include <cstdint>
#include <string>

#include "models/report/attention_map.h"

namespace glass {

enum class TerminalColor : uint8_t { none, palette_256, rgb };

struct TerminalStyle {
  int64_t width = 80;  ///< columns; less than 20 counts as 20
  TerminalColor color = TerminalColor::none;
};

/// What standard output can show: its width (else COLUMNS, else 80), and colours only when it is a
/// terminal that has them and NO_COLOR is not set.
TerminalStyle standard_output_style();

/// A heat map in lines of at most style.width columns, each ending in a line break: source on top,
/// target at the left, a legend below. Shades of Unicode blocks, or colours. A source that is too
/// long goes on in further blocks below. NaN and infinities are drawn as "?". Throws Error when
/// the sizes of the map do not fit together.
std::string terminal_heat_map(const AttentionMap& map,
                              const TerminalStyle& style = standard_output_style());

}  // namespace glass
