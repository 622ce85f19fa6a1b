#include "models/metrics/text_set.h"

#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Lines = std::vector<std::string>;

TEST_CASE("lines of several files belong together by number", "[metrics]") {
  const tests::TemporaryFile h("h", "\xEF\xBB\xBFone\r\n\r\nthree"), r("r", "eins\n\ndrei\n"),
      s("s", "un\ndeux\ntrois\n");
  const TextSet set = read_parallel(h.path(), {r.path(), s.path()});
  CHECK(set.hypotheses == Lines{"one", "", "three"});
  CHECK(set.references == std::vector<Lines>{{"eins", "un"}, {"", "deux"}, {"drei", "trois"}});
  CHECK(set.warnings.empty());
}

TEST_CASE("files of different length are refused with both counts", "[metrics]") {
  const tests::TemporaryFile three("three", "1\n2\n3\n"), two("two", "1\n2\n"), empty("empty", "");
  CHECK_THROWS_WITH(read_parallel(three.path(), {three.path(), two.path()}),
                    ContainsSubstring(three.path() + " has 3, " + two.path() + " has 2"));
  CHECK_THROWS_WITH(read_parallel(empty.path(), {empty.path()}),
                    ContainsSubstring("there is no line"));
  CHECK_THROWS_AS(read_parallel("/no/such/file", {two.path()}), Error);
}

TEST_CASE("bad UTF-8 is replaced with a warning, UTF-16 refused", "[metrics]") {
  const tests::TemporaryFile bad("bad", "a\xFF\n"), wide("wide", std::string("\xFF\xFE\x41\0", 4));
  const TextSet set = read_parallel(bad.path(), {bad.path()});
  CHECK(set.hypotheses == Lines{"a\uFFFD"});
  CHECK(set.warnings.size() == 2);
  CHECK_THAT(set.warnings.front(),
             ContainsSubstring(bad.path()) && ContainsSubstring("1 line (1)"));
  CHECK_THROWS_WITH(read_parallel(wide.path(), {bad.path()}), ContainsSubstring("UTF-16"));
}

TEST_CASE("caption sets hold an image a line", "[metrics]") {
  const tests::TemporaryFile file("captions.tsv", "7\ta dog\tone dog\tdogs\r\n\n9\t\ta cat\t\t\n");
  const TextSet set = read_captions(file.path());
  CHECK(set.hypotheses == Lines{"a dog", ""});
  CHECK(set.references == std::vector<Lines>{{"one dog", "dogs"}, {"a cat"}});
}

TEST_CASE("caption sets that make no sense are refused by line", "[metrics]") {
  const auto message = [](const std::string& text) {
    const tests::TemporaryFile file("captions.tsv", text);
    try {
      read_captions(file.path());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK_THAT(message("1\ta\tb\n2\tonly a hypothesis\n"), ContainsSubstring("line 2"));
  CHECK_THAT(message("plain text\n"), ContainsSubstring("line 1"));
  CHECK_THAT(message("1\ta\tb\n\n1\tc\td\n"), ContainsSubstring("lines 1 and 3: 1"));
  CHECK_THAT(message("\n"), ContainsSubstring("there is no caption"));
}
