#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

// The JSON header of a safetensors file, for safetensors.cpp:
//   {"__metadata__": {"key": "text"}, "NAME": {"dtype": "F32", "shape": [2, 3],
//    "data_offsets": [0, 24]}, ...}
// The data of all tensors follow each other without gaps, in any order.
namespace glass::safetensors {

inline constexpr const char* kMetadata = "__metadata__";

struct Entry {
  std::string name;
  DType dtype = kFloat32;
  Shape shape;
  int64_t begin = 0, end = 0;  // bytes after the header
};

struct Header {
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
};

/// "F32" for float32, and so on.
std::string_view type_name(DType dtype);

/// The header as JSON, without padding. Throws Error (caller) for text that is no UTF-8.
std::string write_header(const Header& header);

/// Parses a header and checks it against the number of data bytes; throws Error (environment) with
/// the path and what is wrong.
Header parse_header(const std::string& path, std::string_view json, int64_t data_bytes);

}  // namespace glass::safetensors
