#include "models/text/text_file.h"

#include <zlib.h>

#include "tensor/error.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string read(const std::string& bytes) {
  const tests::TemporaryFile file("text", bytes);
  return read_text_file(file.path());
}

// The message of the environment error that reading these bytes gives.
std::string unreadable(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::environment);
    return error.what();
  }
  return "no error";
}

std::string some_text() {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += std::to_string(i * 7919 % 10007) + "\t三月\n";
  return text;
}

}  // namespace

TEST_CASE("plain and packed files read the same", "[text]") {
  const std::string text = some_text();
  CHECK(read(text) == text);
  CHECK(read(gzip(text)) == text);
  CHECK(read("").empty());
  CHECK(read(gzip("")).empty());
  CHECK(read("\x1f") == "\x1f");
}

TEST_CASE("a name that says gzip must be true", "[text]") {
  const tests::Scratch folder;
  for (const std::string& bytes : {std::string("a\tb\n"), std::string()}) {
    write_file_atomically(folder / "plain.gz", bytes);
    CHECK_THROWS_WITH(read_text_file(folder / "plain.gz"),
                      ContainsSubstring("the name says gzip, the bytes do not") &&
                          ContainsSubstring(folder / "plain.gz"));
  }
  write_file_atomically(folder / "packed.gz", gzip("one\n"));
  CHECK(read_text_file(folder / "packed.gz") == "one\n");
}

TEST_CASE("a gzip file of several members is read to its end", "[text]") {
  CHECK(read(gzip("one\n") + gzip("") + gzip("two\n")) == "one\ntwo\n");
  CHECK(read(gzip("one\n") + std::string(512, '\0')) == "one\n");
}

TEST_CASE("a cut gzip file is an error wherever it is cut", "[text]") {
  const std::string packed = gzip(some_text());
  for (size_t size = 2; size < packed.size(); size += size < 40 ? 1 : 997) {
    INFO(size);
    CHECK_THAT(unreadable(packed.substr(0, size)), ContainsSubstring("ends too early"));
  }
  for (size_t last = 1; last <= 9; ++last) {
    CHECK_THAT(unreadable(packed.substr(0, packed.size() - last)),
               ContainsSubstring("ends too early"));
  }
  CHECK_THAT(unreadable(gzip("one\n") + packed.substr(0, packed.size() / 2)),
             ContainsSubstring("ends too early"));
}

TEST_CASE("a damaged gzip file is an error", "[text]") {
  const std::string packed = gzip(some_text());
  for (size_t at :
       {size_t{2}, packed.size() / 3, packed.size() / 2, packed.size() - 6, packed.size() - 2}) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    INFO(at);
    CHECK_THAT(unreadable(damaged), ContainsSubstring("gzip file"));
  }
  CHECK_THAT(unreadable(packed + "tail"), ContainsSubstring("4 bytes"));
}

TEST_CASE("a file that cannot be read is an environment error with its name", "[text]") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const std::string& path : {folder + "/glass-no-such-file.tsv", folder, std::string()}) {
    try {
      read_text_file(path);
      FAIL("no error for " << path);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::environment);
      CHECK_THAT(error.what(), ContainsSubstring(path));
    }
  }
}

TEST_CASE("a stamp is the size and the CRC-32 of a text", "[text]") {
  CHECK(stamp_of("") == TextStamp{0, 0});
  CHECK(stamp_of("123456789") == TextStamp{9, 0xCBF43926});  // the check value of CRC-32/ISO-HDLC
}
