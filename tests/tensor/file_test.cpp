#include "tensor/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/tensor/full_disk.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using glass::tests::FullDisk;
using glass::tests::Scratch;

namespace {

// The error of f, which must be one of the environment.
template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::environment);
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file is read back byte by byte", "[file]") {
  const Scratch folder;
  std::string bytes;
  for (int i = 0; i < 300000; ++i) bytes += static_cast<char>(i * 7 % 256);
  for (size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{300000}}) {
    const std::string content = bytes.substr(0, size);
    write_file_atomically(folder / "x", content);
    CHECK(read_file(folder / "x") == content);
  }
  const std::string_view parts[] = {"ab", "", "cde"};
  write_file_atomically(folder / "x", parts);
  CHECK(read_file(folder / "x") == "abcde");
  CHECK(folder.names() == std::vector<std::string>{"x"});
}

TEST_CASE("files without a size are read to their end", "[file]") {
  CHECK_THAT(read_file("/proc/self/status"), ContainsSubstring("Pid:"));
}

TEST_CASE("reading names the path and the system's reason", "[file]") {
  const Scratch folder;
  CHECK(message([&] { read_file(folder / "none"); }) ==
        "read_file: cannot open the file: " + (folder / "none") + " (No such file or directory)");
  CHECK_THAT(message([&] { read_file(folder.path()); }), ContainsSubstring("Is a directory"));
  // A name with a zero byte inside must not open the file that its beginning names.
  write_file_atomically(folder / "a", "");
  CHECK(message([&] { read_file((folder / "a") + std::string("\0b", 2)); }) != "no error");
  CHECK_THAT(message([&] { InputFile("load", folder / "none"); }),
             ContainsSubstring("load: cannot open the file: " + (folder / "none")));
  CHECK_THAT(message([&] { InputFile("load", folder.path()); }),
             ContainsSubstring("Is a directory"));
  mkfifo((folder / "pipe").c_str(), 0600);
  CHECK_THAT(message([&] { InputFile("load", folder / "pipe"); }),
             ContainsSubstring("not a regular file"));
}

TEST_CASE("an input file reads at any place and knows its end", "[file]") {
  const Scratch folder;
  write_file_atomically(folder / "x", "0123456789");
  const InputFile file("load", folder / "x");
  CHECK(file.size() == 10);
  std::string four(4, ' ');
  file.read(5, std::as_writable_bytes(std::span(four)));
  CHECK(four == "5678");
  CHECK(message([&] { file.read(7, std::as_writable_bytes(std::span(four))); }) ==
        "load: the file ends too early: " + (folder / "x") + " after 10 bytes");
}

TEST_CASE("a write that fails leaves the old file and no temporary", "[file]") {
  const Scratch folder;
  write_file_atomically(folder / "x", "the old content");
  const std::string_view parts[] = {"begin", std::string_view(folder.path())};
  std::string text;
  {
    const std::string large(100000, 'x');
    const FullDisk disk(20000);
    text = message([&] { write_file_atomically(folder / "x", large); });
  }
  CHECK(text == "write_file: cannot write the file: " + (folder / "x") + " (File too large)");
  CHECK(read_file(folder / "x") == "the old content");
  CHECK(folder.names() == std::vector<std::string>{"x"});
  // The disk has room again.
  write_file_atomically(folder / "x", parts);
  CHECK(read_file(folder / "x") == "begin" + folder.path());
}

TEST_CASE("a write to a place that cannot be written says why", "[file]") {
  const Scratch folder;
  CHECK(message([&] { write_file_atomically(folder / "none/x", "a"); }) ==
        "write_file: cannot create a file in the folder of: " + (folder / "none/x") +
            " (No such file or directory)");
  CHECK_THAT(message([&] { write_file_atomically(folder.path(), "a"); }),
             ContainsSubstring("only a regular file can be replaced"));
  CHECK_THAT(message([&] { write_file_atomically("/dev/null", "a"); }),
             ContainsSubstring("only a regular file can be replaced: /dev/null"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("whether a file could be written is known beforehand, and leaves no trace", "[file]") {
  const Scratch folder;
  write_file_atomically(folder / "old", "one");
  check_writable(folder / "old");
  check_writable(folder / "new");
  CHECK(folder.names() == std::vector<std::string>{"old"});
  CHECK(read_file(folder / "old") == "one");
  CHECK_THAT(message([&] { check_writable(folder / "none/x"); }),
             ContainsSubstring("cannot create a file in the folder of: " + (folder / "none/x")));
  CHECK_THAT(message([&] { check_writable(folder.path()); }),
             ContainsSubstring("only a regular file can be replaced"));
}

TEST_CASE("replacing a file keeps its permissions and the links to it", "[file]") {
  const Scratch folder;
  write_file_atomically(folder / "real", "one");
  chmod((folder / "real").c_str(), 0640);
  std::filesystem::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "two");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  CHECK(read_file(folder / "real") == "two");
  struct stat info {};
  stat((folder / "real").c_str(), &info);
  CHECK((info.st_mode & 0777) == 0640);
  CHECK(folder.names() == std::vector<std::string>{"link", "real"});
}

TEST_CASE("a path without a folder is written in the working folder", "[file]") {
  const Scratch folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file_atomically("plain", "here");
  std::filesystem::current_path(before);
  CHECK(read_file(folder / "plain") == "here");
}
