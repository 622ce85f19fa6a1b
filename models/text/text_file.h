#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glass {

/// By what a text is known again: its size and its CRC-32.
struct TextStamp {
  uint64_t bytes = 0, crc32 = 0;
  bool operator==(const TextStamp&) const = default;
};
TextStamp stamp_of(std::string_view text);

/// Known by its first two bytes.
bool is_gzip(std::string_view bytes);

/// The bytes of a file, unpacked if it is a gzip file (a name that ends in .gz must not promise
/// what its first bytes do not keep). An unreadable, cut or damaged file throws
/// an environment error: nothing is half read. Unpacked text larger than 4 GiB is refused.
std::string read_text_file(const std::string& path);

}  // namespace glass
