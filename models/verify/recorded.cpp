#include "models/verify/recorded.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

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

[[noreturn]] void wrong(const Recorded& recorded, const std::string& key, const char* wanted,
                        const Json& met) {
  fail_environment(recorded.path, key + " must be " + wanted, "got ", brief(met));
}

// The metadata of that name as JSON, absent: otherwise.
Json metadata_json(const Recorded& recorded, const std::string& key, const Json& otherwise) {
  const auto found = recorded.file.metadata.find(key);
  if (found == recorded.file.metadata.end()) return otherwise;
  return parse_json(recorded.path + ", " + key, found->second);
}

void read_arguments(Recorded& recorded, const std::string& key) {
  const Json arguments = metadata_json(recorded, key, Json::object());
  if (!arguments.is_object()) wrong(recorded, key, "an object, {} for no arguments", arguments);
  for (const auto& [name, value] : arguments.items()) recorded.arguments[name] = to_argument(value);
}

double tolerance(const Recorded& recorded, const std::string& key) {
  const Json json = parse_json(recorded.path + ", " + key, metadata(recorded, key));
  if (!json.is_number() || !(json.get<double>() >= 0))
    wrong(recorded, key, "a number of at least 0", json);
  return json.get<double>();
}

// Of the inputs, in elements: small enough that the layout fits in memory.
std::map<std::string, std::vector<int64_t>> strides_of(const Recorded& recorded) {
  constexpr int64_t kMost = int64_t{1} << 27;
  const char* wanted = "an object of lists of whole numbers, one for each axis of its input";
  const Json all = metadata_json(recorded, "strides", Json::object());
  if (!all.is_object()) wrong(recorded, "strides", wanted, all);
  std::map<std::string, std::vector<int64_t>> strides;
  for (const auto& [name, list] : all.items()) {
    const Tensor* input = recorded.file.find("in." + name);
    if (!input || !list.is_array() || static_cast<int>(list.size()) != input->ndim())
      wrong(recorded, "strides", wanted, all);
    int64_t last = 0;
    for (int axis = 0; axis < input->ndim(); ++axis) {
      const Json& stride = list[static_cast<size_t>(axis)];
      if (!stride.is_number_unsigned() || stride > kMost) wrong(recorded, "strides", wanted, all);
      strides[name].push_back(stride.get<int64_t>());
      last += std::max<int64_t>(input->size(axis) - 1, 0) * strides[name].back();
    }
    if (last > kMost) wrong(recorded, "strides", "of a layout that fits in memory", all);
  }
  return strides;
}

}  // namespace

bool Recorded::tagged(const std::string& tag) const {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

Replay Recorded::call() const {
  Replay replay;
  replay.op = op;
  replay.arguments = arguments;
  replay.training = training;
  for (const auto& [name, tensor] : file.tensors) {
    if (name.rfind("param.", 0) == 0) replay.state.emplace(name.substr(6), tensor);
    if (name.rfind("buffer.", 0) == 0) replay.state.emplace(name.substr(7), tensor);
    if (name.rfind("in.", 0) != 0) continue;
    const std::string input = name.substr(3);
    const auto found = strides.find(input);
    const Tensor value = found == strides.end() ? tensor : laid_out(tensor, found->second);
    replay.inputs.emplace(input, Var(value, is_floating(value.dtype())));
  }
  return replay;
}

Recorded read_recorded(const std::string& path) {
  Recorded recorded;
  recorded.path = path;
  recorded.file = load_safetensors(path);
  recorded.op = metadata(recorded, "op");
  metadata(recorded, "kwargs");
  read_arguments(recorded, "kwargs");
  read_arguments(recorded, "call");
  const Json tags = metadata_json(recorded, "tags", Json::array());
  if (!tags.is_array()) wrong(recorded, "tags", "a list of texts", tags);
  for (const Json& tag : tags) {
    if (!tag.is_string()) wrong(recorded, "tags", "a list of texts", tags);
    recorded.tags.push_back(tag.get<std::string>());
  }
  const auto mode = recorded.file.metadata.find("mode");
  recorded.training = mode == recorded.file.metadata.end() || mode->second != "eval";
  if (recorded.training && mode != recorded.file.metadata.end() && mode->second != "train")
    wrong(recorded, "mode", "train or eval", mode->second);
  const Json second = metadata_json(recorded, "gradgrad", false);
  if (!second.is_boolean()) wrong(recorded, "gradgrad", "true or false", second);
  recorded.second_order = second.get<bool>();
  recorded.rtol = tolerance(recorded, "rtol");
  recorded.atol = tolerance(recorded, "atol");
  recorded.strides = strides_of(recorded);
  return recorded;
}

std::vector<std::string> recorded_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::set<fs::path> known;
  const auto add = [&](const std::string& file) {
    std::error_code ignored;
    if (known.insert(fs::weakly_canonical(file, ignored)).second) files.push_back(file);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) {
      add(path);
      continue;
    }
    std::set<std::string> found;
    fs::directory_iterator entries(path, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error))
      if (entries->path().extension() == ".safetensors") found.insert(entries->path().string());
    if (error) fail_environment("verify", "cannot be read", path, ": ", error.message());
    if (found.empty()) fail_environment("verify", "no *.safetensors files in the folder", path);
    for (const std::string& file : found) add(file);
  }
  return files;
}

}  // namespace glass
