#pragma once

#include <string>

namespace glass {

/// The bytes of a file, unpacked if it is a gzip file (known by its first two bytes, not by its
/// name). An unreadable, cut or damaged file throws an environment error: nothing is half read.
/// Unpacked text larger than 4 GiB is refused.
std::string read_text_file(const std::string& path);

}  // namespace glass
