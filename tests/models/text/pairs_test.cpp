#include "models/text/pairs.h"

#include <limits>
#include <map>
#include <set>

#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Pairs = std::vector<Pair>;

namespace {

std::vector<std::string> warnings(const PairFile& file) {
  std::vector<std::string> texts;
  for (const LineWarning& warning : file.warnings) texts.push_back(warning.text());
  return texts;
}

std::string refused(const std::string& text) {
  try {
    parse_pairs(text, "some.tsv");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::caller);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("lines are pairs, further columns are ignored", "[text]") {
  const PairFile file = parse_pairs("Hi.\t嗨。\tCC-BY\t4\nRun\t跑\n", "f");
  CHECK(file.pairs == Pairs{{"Hi.", "嗨。"}, {"Run", "跑"}});
  CHECK(file.lines == 2);
  CHECK(file.warnings.empty());
}

TEST_CASE("byte order mark, CRLF and an open last line change nothing", "[text]") {
  const PairFile file = parse_pairs(
      "\xEF\xBB\xBF"
      "a\tb\r\nc\td\r\ne\tf",
      "f");
  CHECK(file.pairs == Pairs{{"a", "b"}, {"c", "d"}, {"e", "f"}});
  CHECK(file.lines == 3);
  CHECK(file.warnings.empty());
  // Only the first three bytes can be a byte order mark.
  CHECK(parse_pairs("a\tb\n\xEF\xBB\xBF"
                    "c\td",
                    "f")
            .pairs[1]
            .source == "\uFEFFc");
}

TEST_CASE("white space at the ends of a side is dropped, inside it stays", "[text]") {
  CHECK(parse_pairs("  a  b \t\u3000三 \t\n", "f").pairs == Pairs{{"a  b", "三"}});
}

TEST_CASE("empty sides are skipped and their lines named", "[text]") {
  const PairFile file = parse_pairs("a\tb\n\tx\ny\t\n \t \nz\t\u3000\r\n\t\nc\td\n\tk\n", "f");
  CHECK(file.pairs == Pairs{{"a", "b"}, {"c", "d"}});
  CHECK(warnings(file) ==
        std::vector<std::string>{"empty side, skipped: 6 lines (2, 3, 4, 5, 6, …)"});
  CHECK(file.warnings[0].count == 6);
  CHECK(file.warnings[0].lines == std::vector<int64_t>{2, 3, 4, 5, 6});
}

TEST_CASE("lines with fewer than two columns are skipped and named", "[text]") {
  const PairFile file = parse_pairs("one\na\tb\n\nc\td\n", "f");
  CHECK(file.pairs == Pairs{{"a", "b"}, {"c", "d"}});
  CHECK(warnings(file) ==
        std::vector<std::string>{"fewer than two columns, skipped: 2 lines (1, 3)"});
}

TEST_CASE("bad UTF-8 is replaced and its lines named", "[text]") {
  const PairFile file = parse_pairs("a\tb\n\xE4\xB8\tx\xFF\xFF\nc\t\xEF\xBF\xBD\td\xFF\n", "f");
  CHECK(file.pairs == Pairs{{"a", "b"}, {"\uFFFD", "x\uFFFD\uFFFD"}, {"c", "\uFFFD"}});
  CHECK(warnings(file) == std::vector<std::string>{"bad UTF-8, replaced by U+FFFD: 1 line (2)"});
}

TEST_CASE("lines that are no pair are counted, blank ones apart", "[text]") {
  const PairFile file = parse_pairs("\n \t \na\tb\nno tab\n\tx\n\u3000\nc\td", "f");
  CHECK(file.lines == 7);
  CHECK(file.blank == 3);
  CHECK(file.skipped == 2);
  CHECK(file.first_skipped == 4);
  CHECK(parse_pairs("a\tb\n", "f").first_skipped == 0);
  CHECK(parse_pairs("a\tb\n", "f").stamp == stamp_of("a\tb\n"));
}

TEST_CASE("kinds of warnings are kept apart", "[text]") {
  const PairFile file = parse_pairs("x\n\ty\nz\xFF\tw\n", "f");
  CHECK(warnings(file) == std::vector<std::string>{"fewer than two columns, skipped: 1 line (1)",
                                                   "empty side, skipped: 1 line (2)",
                                                   "bad UTF-8, replaced by U+FFFD: 1 line (3)"});
}

TEST_CASE("a text without any pair is an error that says why", "[text]") {
  CHECK_THAT(refused(""), ContainsSubstring("some.tsv") && ContainsSubstring("it is empty"));
  CHECK_THAT(refused("\xEF\xBB\xBF"), ContainsSubstring("it is empty"));
  CHECK_THAT(refused("a b\nc d\n"),
             ContainsSubstring("fewer than two columns") && ContainsSubstring("2 lines (1, 2)"));
  CHECK_THAT(refused("\ta\n"), ContainsSubstring("empty side"));
  CHECK_THAT(refused(std::string("\xFF\xFE"
                                 "a\0\t\0b\0",
                                 8)),
             ContainsSubstring("UTF-16"));
}

TEST_CASE("bytes of any kind never crash the reader", "[text]") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bytes(random() % 400, '\0');
    for (char& byte : bytes) {
      byte = random() % 4 == 0 ? "\t\n\r "[random() % 4] : static_cast<char>(random() % 256);
    }
    try {
      for (const Pair& pair : parse_pairs(bytes, "noise").pairs) {
        REQUIRE_FALSE(pair.source.empty());
        REQUIRE_FALSE(pair.target.empty());
        REQUIRE(pair.source.find_first_of("\t\n") == std::string::npos);
      }
    } catch (const Error& error) {
      REQUIRE(error.kind() == ErrorKind::caller);
    }
  }
}

TEST_CASE("files are read from disk and stress is stripped on request", "[text]") {
  const tests::TemporaryFile file("pairs.tsv", "aachen\tAA1 K AH0 N\n");
  CHECK(read_pairs(file.path()).pairs == Pairs{{"aachen", "AA1 K AH0 N"}});
  CHECK(read_pairs(file.path(), {.strip_stress = true}).pairs == Pairs{{"aachen", "AA K AH N"}});
  const tests::TemporaryFile empty("empty.tsv", "");
  CHECK_THROWS_WITH(read_pairs(empty.path()), ContainsSubstring(empty.path()));
  CHECK_THROWS_AS(read_pairs(file.path() + ".absent"), Error);
}

TEST_CASE("stress goes from vowels and from nothing else", "[text]") {
  CHECK(strip_stress("AA1 K AH0 N") == "AA K AH N");
  CHECK(strip_stress("AY2") == "AY");
  CHECK(strip_stress("AA3 A1 AAA1 aa1 AA12 1 K2") == "AA3 A1 AAA1 aa1 AA12 1 K2");
  CHECK(strip_stress(" AA1\tAA1  AA0 ") == " AA\tAA  AA ");
  CHECK(strip_stress("").empty());
}

TEST_CASE("targets of one source become its references", "[text]") {
  const auto grouped = references({{"b", "1"}, {"a", "2"}, {"b", "3"}, {"b", "1"}, {"B", "4"}});
  CHECK(grouped == std::vector<References>{{"b", {"1", "3"}}, {"a", {"2"}}, {"B", {"4"}}});
  CHECK(references({}).empty());
}

TEST_CASE("FNV-1a gives its published values", "[text]") {
  CHECK(fnv1a("") == 0xCBF29CE484222325ULL);
  CHECK(fnv1a("a") == 0xAF63DC4C8601EC8CULL);
  CHECK(fnv1a("foobar") == 0x85944171F73967E8ULL);
}

TEST_CASE("a split keeps the pairs of a source together, whatever stands around them", "[text]") {
  Pairs pairs;
  for (int i = 0; i < 20000; ++i) {
    pairs.push_back({"word " + std::to_string(i / 2), std::to_string(i)});
  }
  const PairSplit split = split_pairs(pairs, 0.05, 0.1);
  CHECK(split.train.size() + split.valid.size() + split.test.size() == pairs.size());
  // Binomial: 10,000 sources, standard deviations 22 and 30.
  CHECK(std::abs(static_cast<double>(split.valid.size()) / 2 - 500) < 110);
  CHECK(std::abs(static_cast<double>(split.test.size()) / 2 - 1000) < 150);

  std::map<std::string, int> part_of;
  int part = 0;
  for (const Pairs* some : {&split.train, &split.valid, &split.test}) {
    for (const Pair& pair : *some) {
      const auto [place, is_new] = part_of.emplace(pair.source, part);
      REQUIRE(place->second == part);
    }
    ++part;
  }
  const PairSplit alone = split_pairs({split.test[0], split.valid[0]}, 0.05, 0.1);
  CHECK(alone.test == Pairs{split.test[0]});
  CHECK(alone.valid == Pairs{split.valid[0]});
  CHECK(split_pairs(pairs, 0.05, 0.1).test == split.test);
  CHECK(split_pairs(pairs, 0.05, 0.1, 1).test != split.test);
  CHECK(std::is_sorted(split.test.begin(), split.test.end(), [](const Pair& a, const Pair& b) {
    return std::stoi(a.target) < std::stoi(b.target);
  }));
}

TEST_CASE("fractions that leave nothing to train on are refused", "[text]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<double, double>> bad = {{-0.1, 0.1}, {0.1, -0.1}, {0.5, 0.5},
                                                      {1, 0},      {nan, 0.1},  {0.1, nan}};
  for (const auto& [valid, test] : bad) {
    CHECK_THROWS_AS(split_pairs({{"a", "b"}}, valid, test), Error);
  }
  CHECK(split_pairs({{"a", "b"}}, 0, 0).train.size() == 1);
}

TEST_CASE("JSON lines: parts of a source are joined, each target is a pair", "[text]") {
  using Pairs = std::vector<Pair>;
  CHECK(json_pairs(R"({"source": "a b", "target": "c"})") == Pairs{{"a b", "c"}});
  CHECK(json_pairs(
            R"({"id": 3, "source": ["One. ", "", " Two."], "target": ["x", " ", "y\u00e9"]})") ==
        Pairs{{"One. Two.", "x"}, {"One. Two.", "yé"}});
  for (const char* none :
       {"", "x", "[1]", R"({"source": "a"})", R"({"source": 1, "target": "b"})",
        R"({"source": ["a", 1], "target": "b"})", R"({"source": "a", "target": []})",
        R"({"source": " ", "target": "b"})", R"({"source": "a", "target": "b")"})
    CHECK(json_pairs(none).empty());
}

TEST_CASE("a file of JSON lines is known by its name, and its bad lines are counted", "[text]") {
  const std::string good = "{\"source\": \"a\", \"target\": [\"b\", \"AA1 c\"]}\r\n";
  const std::string bytes =
      "\xEF\xBB\xBF" + good + "\nnonsense\n{\"source\": \"\xff\", \"target\": \"d\"}";
  const PairFile file =
      read_pairs(tests::TemporaryFile("x.jsonl", bytes).path(), {.strip_stress = true});
  CHECK(file.pairs == std::vector<Pair>{{"a", "b"}, {"a", "AA c"}, {"\uFFFD", "d"}});
  CHECK(file.lines == 4);
  CHECK(file.blank == 1);
  CHECK(file.skipped == 1);
  CHECK(file.first_skipped == 3);
  CHECK(file.stamp == stamp_of(bytes));
  CHECK(warnings(file) ==
        std::vector<std::string>{"no JSON object with source and target, skipped: 2 lines (2, 3)",
                                 "bad UTF-8, replaced by U+FFFD: 1 line (4)"});
  CHECK_THROWS_WITH(parse_json_pairs("{}", "f"),
                    "read_pairs: no line holds a JSON object with source and target: f (no JSON "
                    "object with source and target, skipped: 1 line (1))");
  CHECK_THROWS_WITH(read_pairs(tests::TemporaryFile("x.tsv", good).path()),
                    Catch::Matchers::ContainsSubstring("no line holds source TAB target"));
}

TEST_CASE("the real data sets are read whole and without a warning", "[text]") {
  // Numbers from the descriptions of the data sets.
  const std::map<std::string, std::pair<size_t, size_t>> expected = {
      // lines, distinct sources (0: not stated)
      {"cmudict-g2p/train.tsv.gz", {121741, 0}},   {"cmudict-g2p/valid.tsv.gz", {6570, 0}},
      {"cmudict-g2p/test.tsv.gz", {6844, 6386}},   {"tatoeba-cmn-eng/train.tsv.gz", {25555, 0}},
      {"tatoeba-cmn-eng/valid.tsv.gz", {1430, 0}}, {"tatoeba-cmn-eng/test.tsv.gz", {1462, 0}},
      {"tatoeba-cmn-eng/cmn.txt", {28447, 27056}}, {"scitldr-a/train.jsonl.gz", {1992, 0}},
  };
  for (const auto& [name, numbers] : expected) {
    const auto path = tests::data_file(name);
    if (!path) return tests::skip("no " + name + " in GLASS_DATA");
    const PairFile file = read_pairs(*path, {.strip_stress = true});
    INFO(name);
    CHECK(warnings(file).empty());
    CHECK(file.pairs.size() == numbers.first);
    if (numbers.second > 0) CHECK(references(file.pairs).size() == numbers.second);
  }
}
