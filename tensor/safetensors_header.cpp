#include "tensor/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace glass::safetensors {
namespace {

constexpr const char* kOp = "load_safetensors";
using Json = nlohmann::json;

// A name from a file as a message shows it: quoted, short, nothing a terminal would obey.
std::string shown(const std::string& name) {
  constexpr size_t kMost = 80;
  const auto replace = Json::error_handler_t::replace;
  return Json(name.substr(0, kMost)).dump(-1, ' ', false, replace) +
         (name.size() > kMost ? "..." : "");
}

constexpr std::pair<DType, std::string_view> kTypes[] = {
    {kFloat64, "F64"}, {kFloat32, "F32"}, {kInt64, "I64"}, {kBool, "BOOL"}};

// Receives the header's events one by one, so that nothing is built from what the format does not
// allow: no deep nesting, no long lists, no second value for a key.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(const std::string& path) : path_(path) {}
  Header take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::top) {
      place_ = key_ == kMetadata ? Place::metadata : Place::entry;
      if (place_ == Place::entry) {
        header_.entries.push_back({});
        header_.entries.back().name = key_;
      }
      fields_.clear();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::entry)
      for (const char* field : {"dtype", "shape", "data_offsets"})
        if (!fields_.contains(field))
          wrong("a field is missing", shown(entry().name), " has no ", field);
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool key(std::string& name) override {
    auto& known = place_ == Place::top ? names_ : fields_;
    if (!known.insert(name).second) wrong("a name occurs twice", shown(name));
    if (place_ == Place::entry && name != "dtype" && name != "shape" && name != "data_offsets")
      wrong("unknown field", shown(entry().name), " has ", shown(name));
    key_ = name;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::entry || key_ == "dtype") unexpected("a list");
    place_ = Place::list;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    place_ = Place::entry;
    if (key_ == "shape") {
      entry().shape = Shape(std::span<const int64_t>(numbers_));
    } else {
      if (numbers_.size() != 2) wrong("data_offsets needs two numbers", shown(entry().name));
      entry().begin = numbers_[0];
      entry().end = numbers_[1];
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::list) unexpected("a number");
    if (value > INT64_MAX) wrong("number too large", shown(entry().name), ": ", value);
    if (numbers_.size() == kMaxDims)
      wrong("list too long", shown(entry().name), ": more than ", kMaxDims, " numbers in ", key_);
    numbers_.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::metadata) {
      header_.metadata[key_] = value;
    } else if (place_ == Place::entry && key_ == "dtype") {
      const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                      [&](const auto& t) { return t.second == value; });
      if (type == std::end(kTypes))
        wrong("unknown type", shown(entry().name), " is ", shown(value),
              ", Glass reads F64, F32, I64 and BOOL");
      entry().dtype = type->first;
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool number_integer(number_integer_t value) override {
    wrong("negative number", shown(key_), " of ", where(), ": ", value);
  }
  bool number_float(number_float_t, const std::string& digits) override {
    wrong("number that is not a whole one in range", shown(key_), " of ", where(), ": ", digits);
  }
  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("true or false"); }
  bool binary(binary_t&) override { unexpected("binary"); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    wrong("the header is not JSON", "byte ", position, " of the header");
  }

 private:
  enum class Place { outside, top, metadata, entry, list };

  template <class... Parts>
  [[noreturn]] void wrong(std::string_view relation, const Parts&... values) const {
    fail_environment(kOp, relation, path_, ": ", values...);
  }
  [[noreturn]] void unexpected(const char* what) const {
    wrong("the header is not that of safetensors", what, " at ",
          key_.empty() ? "its start" : shown(key_));
  }
  Entry& entry() { return header_.entries.back(); }
  std::string where() const {
    const bool inside = place_ == Place::entry || place_ == Place::list;
    return inside ? shown(header_.entries.back().name) : "the header";
  }

  const std::string& path_;
  Header header_;
  Place place_ = Place::outside;
  std::string key_;
  std::set<std::string> names_, fields_;
  std::vector<int64_t> numbers_;
};

// Bytes that a dense tensor takes; -1 when they cannot be counted.
int64_t bytes_needed(const Entry& entry) {
  int64_t bytes = static_cast<int64_t>(size_of(entry.dtype));
  bool empty = false;
  for (int64_t n : entry.shape) {
    if (n == 0)
      empty = true;
    else if (__builtin_mul_overflow(bytes, n, &bytes))
      return -1;
  }
  return empty ? 0 : bytes;
}

}  // namespace

std::string_view type_name(DType dtype) {
  for (const auto& [type, name] : kTypes)
    if (type == dtype) return name;
  fail_bug("save_safetensors", "type without a name", name_of(dtype));
}

std::string write_header(const Header& header) {
  auto quoted = [](const std::string& s) {
    try {
      return Json(s).dump();
    } catch (const Json::exception&) {
      fail("save_safetensors", "text is not UTF-8", s);
    }
  };
  std::string out = "{";
  if (!header.metadata.empty()) {
    out += std::string("\"") + kMetadata + "\":{";
    const char* comma = "";
    for (const auto& [key, value] : header.metadata) {
      out += comma + quoted(key) + ":" + quoted(value);
      comma = ",";
    }
    out += "}";
  }
  for (const Entry& e : header.entries) {
    if (out.size() > 1) out += ",";
    out += quoted(e.name) + ":{\"dtype\":\"" + std::string(type_name(e.dtype)) + "\",\"shape\":[";
    for (int i = 0; i < e.shape.size(); ++i) out += (i ? "," : "") + std::to_string(e.shape[i]);
    out += "],\"data_offsets\":[" + std::to_string(e.begin) + "," + std::to_string(e.end) + "]}";
  }
  return out + "}";
}

Header parse_header(const std::string& path, std::string_view json, int64_t data_bytes) {
  Reader reader(path);
  if (json.empty() || json[0] != '{')
    fail_environment(kOp, "the header does not begin with {", path);
  // The parser would take a zero byte for the end.
  if (const size_t zero = json.find('\0'); zero != std::string_view::npos)
    fail_environment(kOp, "the header is not JSON", path, ": zero byte at ", zero);
  Json::sax_parse(json, &reader);
  Header header = reader.take();

  std::vector<const Entry*> by_place;
  for (const Entry& e : header.entries) {
    const int64_t bytes = bytes_needed(e);
    if (bytes < 0)
      fail_environment(kOp, "shape too large", path, ": ", shown(e.name), " ", e.shape);
    if (e.begin > e.end || e.end > data_bytes)
      fail_environment(kOp, "data_offsets out of range", path, ": ", shown(e.name), " [", e.begin,
                       ", ", e.end, "] of ", data_bytes, " data bytes");
    if (e.end - e.begin != bytes)
      fail_environment(kOp, "data_offsets do not fit the shape", path, ": ", shown(e.name), " ",
                       e.shape, " of ", name_of(e.dtype), " takes ", bytes, " bytes, not ",
                       e.end - e.begin);
    by_place.push_back(&e);
  }
  std::sort(by_place.begin(), by_place.end(), [](const Entry* a, const Entry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  int64_t next = 0;
  for (const Entry* e : by_place) {
    if (e->begin != next)
      fail_environment(kOp, e->begin < next ? "data overlap" : "gap in the data", path, ": ",
                       shown(e->name), " begins at ", e->begin, ", should be at ", next);
    next = e->end;
  }
  if (next != data_bytes)
    fail_environment(kOp, "bytes beyond the last tensor", path, ": ", data_bytes - next);
  return header;
}

}  // namespace glass::safetensors
