#include "tensor/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "tensor/file.h"
#include "tensor/safetensors_header.h"

namespace glass {
namespace {

using safetensors::Entry;
using safetensors::Header;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");
constexpr const char* kSave = "save_safetensors";
constexpr const char* kLoad = "load_safetensors";
constexpr size_t kHeaderAlign = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the limit of the format's own library

std::string_view bytes_of(const Tensor& dense) {
  return {static_cast<const char*>(dense.raw()), dense.numel() * size_of(dense.dtype())};
}

std::span<std::byte> room_of(const Tensor& dense) {
  return {static_cast<std::byte*>(dense.raw()), dense.numel() * size_of(dense.dtype())};
}

// Every byte but 0 and 1 would be a bool that C++ does not know.
void check_bools(const std::string& path, const Entry& entry, const Tensor& tensor) {
  for (std::byte b : room_of(tensor))
    if (b > std::byte{1})
      fail_environment(kLoad, "a BOOL is neither 0 nor 1", path, ": ", entry.name, " holds ",
                       static_cast<int>(b));
}

}  // namespace

const Tensor* NamedTensors::find(std::string_view name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == tensors.end() ? nullptr : &found->second;
}

const Tensor& NamedTensors::at(std::string_view name) const {
  if (const Tensor* tensor = find(name)) return *tensor;
  std::string names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i == 10) {
      names += text(", ... (", tensors.size(), " in all)");
      break;
    }
    names += (i ? ", " : "") + tensors[i].first;
  }
  fail("tensors", "no tensor of this name", name, "; there are: ", names);
}

void save_safetensors(const std::string& path, const NamedTensors& content) {
  Header header;
  header.metadata = content.metadata;
  std::set<std::string_view> names;
  std::vector<Tensor> dense;  // in the order of the header
  for (const auto& [name, tensor] : content.tensors) {
    if (!names.insert(name).second) fail(kSave, "a name occurs twice", name, " in ", path);
    if (name == safetensors::kMetadata) fail(kSave, "a tensor may not be called", name);
    if (!tensor.defined()) fail(kSave, "undefined tensor", name);
    header.entries.push_back({name, tensor.dtype(), tensor.shape(), 0, 0});
    dense.push_back(tensor.contiguous());
  }
  // Wide types first: every tensor then lies at a multiple of its own element size.
  std::vector<size_t> order(dense.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return size_of(dense[a].dtype()) > size_of(dense[b].dtype());
  });
  std::vector<std::string_view> parts(1);
  int64_t place = 0;
  for (size_t i : order) {
    header.entries[i].begin = place;
    place += static_cast<int64_t>(bytes_of(dense[i]).size());
    header.entries[i].end = place;
    parts.push_back(bytes_of(dense[i]));
  }
  const std::string json = safetensors::write_header(header);
  const uint64_t length = (json.size() + kHeaderAlign - 1) / kHeaderAlign * kHeaderAlign;
  if (length > kMaxHeader) fail(kSave, "names and metadata are too long", length, " bytes");
  std::string front(sizeof length, '\0');
  std::memcpy(front.data(), &length, sizeof length);
  front += json;
  front.resize(sizeof length + length, ' ');
  parts[0] = front;
  write_file_atomically(path, parts);
}

NamedTensors load_safetensors(const std::string& path) {
  const InputFile file(kLoad, path);
  uint64_t length = 0;
  const int64_t start = sizeof length;
  if (file.size() < start)
    fail_environment(kLoad, "shorter than the length of a header", path, ": ", file.size(),
                     " bytes");
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMaxHeader)
    fail_environment(kLoad, "header too long", path, ": ", length, " bytes, at most ", kMaxHeader);
  if (length > static_cast<uint64_t>(file.size() - start))
    fail_environment(kLoad, "header longer than the file", path, ": ", length, " bytes of ",
                     file.size());
  const int64_t data = start + static_cast<int64_t>(length);
  std::string json(length, '\0');
  file.read(start, std::as_writable_bytes(std::span(json)));
  Header header = safetensors::parse_header(path, json, file.size() - data);

  NamedTensors content;
  content.metadata = std::move(header.metadata);
  for (Entry& entry : header.entries) {
    const Tensor tensor = Tensor::empty(entry.shape, entry.dtype);
    file.read(data + entry.begin, room_of(tensor));
    if (entry.dtype == kBool) check_bools(path, entry, tensor);
    content.add(std::move(entry.name), tensor);
  }
  return content;
}

}  // namespace glass
