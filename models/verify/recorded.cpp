#include "models/verify/recorded.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "models/json.h"

namespace glass {
namespace {

namespace fs = std::filesystem;

Argument to_argument(const Json& json) {
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_number_integer()) return {json.get<int64_t>()};
  if (json.is_number()) return {json.get<double>()};
  if (json.is_string()) return {json.get<std::string>()};
  if (json.is_null()) return {};
  std::vector<Argument> parts;
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) parts.push_back({key});
    parts.push_back(to_argument(value));
  }
  return {parts};
}

// A tensor with the given strides in elements and NaN (or zero) in the gaps.
Tensor laid_out(const Tensor& values, const std::vector<int64_t>& strides) {
  int64_t last = 0;
  for (int i = 0; i < values.ndim(); ++i)
    last += std::max<int64_t>(values.shape()[i] - 1, 0) * strides[static_cast<size_t>(i)];
  const double gap = is_floating(values.dtype()) ? std::nan("") : 0;
  const Tensor whole = Tensor::full({last + 1}, gap, values.dtype());
  const Tensor view(whole.storage(), 0, values.shape(),
                    Strides(std::span<const int64_t>(strides.data(), strides.size())),
                    values.dtype());
  view.copy_(values);
  return view;
}

const std::string& metadata(const Recorded& recorded, const std::string& key) {
  const auto found = recorded.file.metadata.find(key);
  if (found == recorded.file.metadata.end())
    fail_environment("verify", "the file has no metadata of this name", recorded.path, ": ", key);
  return found->second;
}

Json metadata_json(const Recorded& recorded, const std::string& key, const char* otherwise) {
  const auto found = recorded.file.metadata.find(key);
  return parse_json(found == recorded.file.metadata.end() ? otherwise : found->second);
}

double tolerance(const Recorded& recorded, const std::string& key) {
  const Json json = parse_json(metadata(recorded, key));
  if (!json.is_number() || !(json.get<double>() >= 0))
    fail_environment("verify", "a tolerance must be a number of at least 0", recorded.path, ": ",
                     key, " is ", json.dump());
  return json.get<double>();
}

}  // namespace

bool Recorded::tagged(const std::string& tag) const {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

Replay Recorded::call() const {
  const Json strides = metadata_json(*this, "strides", "{}");
  Replay replay;
  replay.op = op;
  replay.arguments = arguments;
  replay.training = training;
  for (const auto& [name, tensor] : file.tensors) {
    if (name.rfind("param.", 0) == 0) replay.state.emplace(name.substr(6), tensor);
    if (name.rfind("buffer.", 0) == 0) replay.state.emplace(name.substr(7), tensor);
    if (name.rfind("in.", 0) != 0) continue;
    const std::string input = name.substr(3);
    const Tensor value = strides.contains(input)
                             ? laid_out(tensor, strides[input].get<std::vector<int64_t>>())
                             : tensor;
    replay.inputs.emplace(input, Var(value, is_floating(value.dtype())));
  }
  return replay;
}

Recorded read_recorded(const std::string& path) {
  Recorded recorded;
  recorded.path = path;
  recorded.file = load_safetensors(path);
  try {
    recorded.op = metadata(recorded, "op");
    for (const char* key : {"kwargs", "call"}) {
      const Json arguments = metadata_json(recorded, key, "{}");
      for (const auto& [name, value] : arguments.items())
        recorded.arguments[name] = to_argument(value);
    }
    for (const Json& tag : metadata_json(recorded, "tags", "[]"))
      recorded.tags.push_back(tag.get<std::string>());
    const auto mode = recorded.file.metadata.find("mode");
    recorded.training = mode == recorded.file.metadata.end() || mode->second != "eval";
    recorded.second_order = metadata_json(recorded, "gradgrad", "false") == Json(true);
    recorded.rtol = tolerance(recorded, "rtol");
    recorded.atol = tolerance(recorded, "atol");
  } catch (const Json::exception& e) {
    fail_environment("verify", "the file's metadata are damaged", path, ": ", e.what());
  }
  return recorded;
}

std::vector<std::string> recorded_files(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {path};
  std::vector<std::string> paths;
  fs::directory_iterator entries(path, error);
  if (error) fail_environment("verify", "cannot be read", path, ": ", error.message());
  for (const auto& entry : entries)
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path().string());
  if (paths.empty()) fail_environment("verify", "no *.safetensors files in the folder", path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace glass
