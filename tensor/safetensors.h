#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

/// Tensors with names, in order, and free text about them: the content of a safetensors file.
struct NamedTensors {
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::map<std::string, std::string> metadata;

  void add(std::string name, Tensor tensor) {
    tensors.emplace_back(std::move(name), std::move(tensor));
  }
  /// The tensor of that name, or null.
  const Tensor* find(std::string_view name) const;
  /// The tensor of that name; throws Error listing what there is.
  const Tensor& at(std::string_view name) const;
};

/// Writes a safetensors file in one step (write_file_atomically): the logical values in row-major
/// order, whatever the layout of the tensors. Equal content gives equal bytes. Throws Error when a
/// name occurs twice, is "__metadata__", is no UTF-8, or its tensor is undefined.
void save_safetensors(const std::string& path, const NamedTensors& content);

/// Reads a safetensors file with types F64, F32, I64 and BOOL. The header is checked as a whole
/// before anything of its size is allocated: a file that is not exactly right is an Error
/// (environment) naming the file and what is wrong in it.
NamedTensors load_safetensors(const std::string& path);

}  // namespace glass
