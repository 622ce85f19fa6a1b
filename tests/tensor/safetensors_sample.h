#pragma once

#include <fstream>
#include <string>

#include "tensor/safetensors.h"

namespace glass::tests {

// Without the trip to the disk that write_file_atomically makes: the tests write thousands of
// files.
inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<int64_t>(bytes.size()));
}

// Each kind of number, a text that must be quoted, and no tensor like another.
inline NamedTensors sample() {
  NamedTensors content;
  content.metadata = {{"step", "3"}, {"quoted \"name\"", "line\nbreak, tab\t, \xC3\xA9"}};
  content.add("layers.0.weight", Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  content.add("mask", Tensor::from<bool>({true, false, true}));
  content.add("ids", Tensor::from<int64_t>({INT64_MIN, -1, INT64_MAX}));
  content.add("scale", Tensor::scalar(0.1, kFloat64));
  return content;
}

}  // namespace glass::tests
