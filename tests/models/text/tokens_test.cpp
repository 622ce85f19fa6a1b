#include "models/text/tokens.h"

#include <random>

#include "models/text/draws.h"
#include "models/text/pairs.h"
#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using Words = std::vector<std::string>;

namespace {

Words split_words(std::string_view text) { return tokenise(text, Tokens::words); }
std::string again(std::string_view text) { return join(split_words(text), Tokens::words); }

}  // namespace

TEST_CASE("chars are code points, blanks among them, and join to the same text", "[text]") {
  CHECK(tokenise("a 三é", Tokens::chars) == Words{"a", " ", "三", "é"});
  const std::string text = " 我\t爱 \u3000you!  ";
  CHECK(join(tokenise(text, Tokens::chars), Tokens::chars) == text);
  CHECK(tokenise("", Tokens::chars).empty());
  CHECK(join({}, Tokens::chars).empty());
  CHECK(tokenise("\xE4\xB8", Tokens::chars) == Words{"\xEF\xBF\xBD"});
}

TEST_CASE("split goes by white space and joins with one blank", "[text]") {
  CHECK(tokenise("  AA1 K\tAH0\u3000N ", Tokens::split) == Words{"AA1", "K", "AH0", "N"});
  CHECK(join({"AA1", "K", "AH0", "N"}, Tokens::split) == "AA1 K AH0 N");
  CHECK(tokenise(" \t ", Tokens::split).empty());
  CHECK(tokenise("don't, stop", Tokens::split) == Words{"don't,", "stop"});
}

TEST_CASE("words stand apart from punctuation", "[text]") {
  CHECK(split_words("Hello, world!") == Words{"Hello", ",", "world", "!"});
  CHECK(split_words("I don't know Tom’s well-known 1,000.50 at 10:30.") ==
        Words{"I", "don't", "know", "Tom’s", "well-known", "1,000.50", "at", "10:30", "."});
  CHECK(split_words("The U.S. (a.k.a. \"us\")") ==
        Words{"The", "U.S", ".", "(", "a.k.a", ".", "\"", "us", "\"", ")"});
  CHECK(split_words("'quoted' - dogs' and/or 5%") ==
        Words{"'", "quoted", "'", "-", "dogs", "'", "and", "/", "or", "5", "%"});
  CHECK(split_words("yes,no:maybe") == Words{"yes", ",", "no", ":", "maybe"});
  CHECK(split_words("wait...") == Words{"wait", ".", ".", "."});
  CHECK(split_words("café e\u0301te\u0301") == Words{"café", "e\u0301te\u0301"});
  CHECK(split_words("是1998年，ok") == Words{"是", "1998", "年", "，", "ok"});
  CHECK(split_words("").empty());
  CHECK(split_words(" \u00A0\n").empty());
}

TEST_CASE("words join to usual English", "[text]") {
  for (const char* text :
       {"Hello, world!", "I don't know Tom’s well-known 1,000.50 at 10:30.",
        "The U.S. (and others) said: \"No way!\" to 5% of it.", "He said, 'I am here.'",
        "The dogs' tails; the boss' hat…", "It costs $5.20, or £3 – cheap.", "and/or",
        "“Curly” and ‘single’ quotes", "wait... what?!", "我爱你。", "word",
        "\"One\" and \"two\" and 'three'."}) {
    CHECK(again(text) == text);
  }
  CHECK(again("a  b") == "a b");
  CHECK(join({}, Tokens::words).empty());
}

TEST_CASE("joined words come apart into the same words", "[text]") {
  const std::vector<std::string> pieces = {"a",  "don", "5", "三", "s", "'", "’", "\"", ".",
                                           ",",  ":",   "-", "/",  "(", ")", "$", "%",  " ",
                                           "\t", "“",   "”", "，", "é", "—", "‘", "#",  "&"};
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text;
    for (uint64_t n = draw_below(random, 12); n > 0; --n) {
      text += pieces[draw_below(random, pieces.size())];
    }
    const Words once = split_words(text);
    INFO(text);
    REQUIRE(split_words(join(once, Tokens::words)) == once);
  }
}

TEST_CASE("token kinds have names", "[text]") {
  for (Tokens kind : {Tokens::chars, Tokens::words, Tokens::split}) {
    CHECK(tokens_named(name(kind)) == kind);
  }
  CHECK(name(Tokens::chars) == "chars");
  CHECK_THROWS_WITH(tokens_named("Chars"),
                    "tokens_named: tokens are chars, words, split or whole: \"Chars\"");
}

TEST_CASE("lower case is the same in every locale", "[text]") {
  CHECK(lower_case("Hello WORLD 123") == "hello world 123");
  CHECK(lower_case("ÀÉÞ × ÷ ß") == "àéþ × ÷ ß");
  CHECK(lower_case("ĀŁŃŸŽ āłńÿž İ") == "āłńÿž āłńÿž İ");
  CHECK(lower_case("ΑΒΣΩ АЯЀЏ") == "αβσω аяѐџ");
  CHECK(lower_case("三月") == "三月");
}

TEST_CASE("blanks can be dropped from characters", "[text]") {
  CHECK(without_blanks({"a", " ", "\u3000", "三", "\t", ""}) == Words{"a", "三"});
}

TEST_CASE("most real sentences come back exactly from their words", "[text]") {
  const auto path = tests::data_file("tatoeba-cmn-eng/train.tsv.gz");
  if (!path) return tests::skip("no tatoeba-cmn-eng in GLASS_DATA");
  int64_t same = 0, stable = 0;
  const std::vector<Pair> pairs = read_pairs(*path).pairs;
  for (const Pair& pair : pairs) {
    const Words once = split_words(pair.source);
    const std::string joined = join(once, Tokens::words);
    same += joined == pair.source ? 1 : 0;
    stable += split_words(joined) == once ? 1 : 0;
  }
  CHECK(stable == static_cast<int64_t>(pairs.size()));
  CHECK(same > static_cast<int64_t>(pairs.size()) * 99 / 100);
}
