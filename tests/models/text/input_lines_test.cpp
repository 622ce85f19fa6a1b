#include "models/text/input_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "tests/catch.h"
#include "tests/models/text/data.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Lines = std::vector<std::string>;

namespace {

// What is written at one end is read at the other.
class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~Pipe() {
    ::close(ends_[0]);
    if (open_) ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  void write(std::string_view text) const {
    REQUIRE(::write(ends_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close() {
    ::close(ends_[1]);
    open_ = false;
  }

 private:
  std::array<int, 2> ends_{};
  bool open_ = true;
};

}  // namespace

TEST_CASE("lines are returned as soon as they are there", "[text]") {
  Pipe pipe;
  InputLines lines(pipe.reading(), "translate", "a pipe");
  pipe.write("one\n");
  CHECK(lines.next() == Lines{"one"});  // the writer has not closed
  pipe.write("two\r\n\nthr");
  CHECK(lines.next() == Lines{"two", ""});
  pipe.write("ee\nfour");
  CHECK(lines.next() == Lines{"three"});
  pipe.close();
  CHECK(lines.next() == Lines{"four"});
  CHECK(lines.next().empty());
  CHECK(lines.next().empty());
}

TEST_CASE("input is read as files are: mark, UTF-16, carriage returns, the longest line",
          "[text]") {
  const auto first = [](std::string_view text) {
    Pipe pipe;
    pipe.write(text);
    pipe.close();
    return InputLines(pipe.reading(), "translate", "a pipe").next();
  };
  CHECK(first("\xEF\xBB\xBFone\ntwo") == Lines{"one"});
  CHECK(first("").empty());
  CHECK(first("\n") == Lines{""});
  CHECK_THROWS_WITH(first(std::string_view("\xFF\xFEo\0\n\0", 6)), ContainsSubstring("UTF-16"));
  CHECK_THROWS_WITH(first("\x1f\x8b\x08 packed\n"), ContainsSubstring("text is packed"));
  CHECK_THROWS_WITH(first("one\rtwo"), ContainsSubstring("a carriage return alone"));
  CHECK_THROWS_WITH(InputLines(-1, "translate", "a pipe").next(),
                    ContainsSubstring("translate: a pipe cannot be read: Bad file"));
  const tests::TemporaryFile longest("longest", std::string(InputLines::kLongest + 1, 'x'));
  const int file = ::open(longest.path().c_str(), O_RDONLY);
  REQUIRE(file >= 0);
  CHECK_THROWS_WITH(
      InputLines(file, "translate", "a file").next(),
      ContainsSubstring("a line is too long: a file, line 1, more than 16777216 bytes"));
  ::close(file);
}
