#include "models/text/text_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

#include "tensor/error.h"

namespace glass {
namespace {

constexpr size_t kLargest = size_t{4} << 30;
constexpr size_t kChunk = size_t{1} << 16;

std::string read_bytes(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) {
    fail_environment("read_text_file", "file cannot be opened", path, ": ", std::strerror(errno));
  }
  std::string bytes;
  std::array<char, kChunk> chunk;
  while (const size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    bytes.append(chunk.data(), got);
    if (bytes.size() > kLargest) fail_environment("read_text_file", "file exceeds 4 GiB", path);
  }
  if (std::ferror(file.get())) {
    fail_environment("read_text_file", "file cannot be read", path, ": ", std::strerror(errno));
  }
  return bytes;
}

class Inflater {
 public:
  explicit Inflater(const std::string& path) : path_(path) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) {  // 16: a gzip header and check sum
      fail_environment("read_text_file", "zlib cannot start", path_);
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// A gzip file is one member or several, perhaps padded with zeros (RFC 1952).
  std::string unpack(std::string_view packed) {
    std::string text;
    while (is_gzip(packed)) {
      packed.remove_prefix(unpack_member(packed, text));
      inflateReset(&stream_);
    }
    if (packed.find_first_not_of('\0') != std::string_view::npos) {
      fail_environment("read_text_file", "gzip file has damaged or foreign bytes at its end", path_,
                       " (", packed.size(), " bytes)");
    }
    return text;
  }

 private:
  // Appends the text of the first member and returns how many bytes of `packed` it took.
  size_t unpack_member(std::string_view packed, std::string& text) {
    size_t taken = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      std::array<char, kChunk> chunk;
      const size_t offered =
          std::min<size_t>(packed.size() - taken, std::numeric_limits<uInt>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
      stream_.avail_in = static_cast<uInt>(offered);
      stream_.next_out = reinterpret_cast<Bytef*>(chunk.data());
      stream_.avail_out = static_cast<uInt>(chunk.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      taken += offered - stream_.avail_in;
      text.append(chunk.data(), chunk.size() - stream_.avail_out);
      if (status == Z_BUF_ERROR) {
        fail_environment("read_text_file", "gzip file ends too early", path_);
      }
      if (status != Z_OK && status != Z_STREAM_END) {
        fail_environment("read_text_file", "gzip file is damaged", path_, ": ",
                         stream_.msg ? stream_.msg : "unknown cause");
      }
      if (text.size() > kLargest) {
        fail_environment("read_text_file", "unpacked text exceeds 4 GiB", path_);
      }
    }
    return taken;
  }

  const std::string& path_;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

TextStamp stamp_of(std::string_view text) {
  return {text.size(), crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size())};
}

std::string read_text_file(const std::string& path) {
  std::string bytes = read_bytes(path);
  if (is_gzip(bytes)) return Inflater(path).unpack(bytes);
  if (path.ends_with(".gz"))
    fail_environment("read_text_file", "the name says gzip, the bytes do not; rename or pack it",
                     path);
  return bytes;
}

}  // namespace glass
