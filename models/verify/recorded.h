#pragma once

#include <string>
#include <vector>

#include "autograd/replay.h"
#include "tensor/safetensors.h"

namespace glass {

/// One recorded call of another framework: its inputs, upstream gradients, and what came out. The
/// names of tensors and metadata are those of the reference files (tests/reference/README.md).
struct Recorded {
  std::string path;
  std::string op;  ///< e.g. "add", "nn.LSTM"
  NamedTensors file;
  std::map<std::string, Argument> arguments;            ///< kwargs, and a module's call
  std::map<std::string, std::vector<int64_t>> strides;  ///< of inputs, in elements
  std::vector<std::string> tags;
  bool training = true, second_order = false;
  double rtol = 0, atol = 0;

  /// The inputs in the recorded layout, as leaves where they are of a floating type.
  Replay call() const;
  bool tagged(const std::string& tag) const;
};

/// Throws Error naming the file and what is wrong with it.
Recorded read_recorded(const std::string& path);

/// The recorded calls of folders (*.safetensors, in the order of their names) and single files,
/// each file once however often it is given.
std::vector<std::string> recorded_files(const std::vector<std::string>& paths);

}  // namespace glass
