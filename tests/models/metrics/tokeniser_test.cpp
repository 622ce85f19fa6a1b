#include "models/metrics/tokeniser.h"

#include <map>
#include <nlohmann/json.hpp>

#include "models/metrics/text_set.h"
#include "models/text/text_file.h"
#include "tests/catch.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;

namespace {

std::string cut(const std::string& line, Tokeniser kind) {
  std::string joined;
  for (const std::string& token : tokenise(line, kind))
    joined += (joined.empty() ? "" : " ") + token;
  return joined;
}

}  // namespace

TEST_CASE("13a separates punctuation but not inside numbers", "[metrics]") {
  const auto a13 = [](const std::string& line) { return cut(line, Tokeniser::mteval_13a); };
  CHECK(a13("Hello, world!") == "Hello , world !");
  CHECK(a13("It wasn't 3,000.50 (or $5).") == "It wasn't 3,000.50 ( or $ 5 ) .");
  CHECK(a13("5. and .5") == "5 . and . 5");
  CHECK(a13("well-known 1990-2000 -5") == "well-known 1990 - 2000 -5");
  CHECK(a13("wait...") == "wait . . .");
  CHECK(a13("a/b \\ c_d [e] {f}~`") == "a / b \\ c _ d [ e ] { f } ~ `");
  CHECK(a13("&quot;A&amp;B&quot; &lt;i&gt;") == "\" A & B \" < i >");
  CHECK(a13("a<skipped>b") == "ab");
  CHECK(a13("¿qué? “sí”") == "¿qué ? “sí”");  // marks beyond ASCII stay
  CHECK(a13("  ") == "");
}

TEST_CASE("zh separates Chinese characters and treats the rest as 13a", "[metrics]") {
  const auto zh = [](const std::string& line) { return cut(line, Tokeniser::chinese); };
  CHECK(zh("我在2020年买了iPhone。") == "我 在 2020 年 买 了 iPhone 。");
  CHECK(zh("他说“好”——走吧, ok?") == "他 说 “ 好 ” — — 走 吧 , ok ?");
  CHECK(zh("3.5元") == "3.5 元");
  CHECK(zh("ＡＢ") == "Ａ Ｂ");
  CHECK(zh("カタ") == "カタ");                    // kana are not among them
  CHECK(zh("\U00020000\U00020001").size() == 8);  // as in sacreBLEU, nor is extension B
}

TEST_CASE("char, none, space and rouge tokens", "[metrics]") {
  CHECK(cut("ab 你\u3000好", Tokeniser::characters) == "a b 你 好");
  CHECK(tokenise(" a,  b.\t", Tokeniser::none) == TokenList{"a,", "b."});
  CHECK(tokenise("a  b\tc", Tokeniser::space) == TokenList{"a", "", "b\tc"});
  CHECK(tokenise("", Tokeniser::space) == TokenList{""});
  CHECK(tokenise("", Tokeniser::none).empty());
  CHECK(cut("M-HV.-DgdDaY, it's 3rd é!", Tokeniser::rouge_1_5_5) == "m hv dgdday it s 3rd");
}

TEST_CASE("ptb cuts captions as caption evaluation does", "[metrics]") {
  const auto ptb = [](const std::string& line) { return cut(line, Tokeniser::penn); };
  CHECK(ptb("A dog's bowl.") == "a dog 's bowl");
  CHECK(ptb("A purple bus can't be missed") == "a purple bus ca n't be missed");
  CHECK(ptb("They're sure he'd cannot.") == "they 're sure he 'd can not");
  CHECK(ptb("The Boys' School, in April of 1929.") == "the boys school in april of 1929");
  CHECK(ptb("A t.v. is \"on\"...") == "a t.v. is on");
  CHECK(ptb("a \"tie.\"") == "a tie");
  CHECK(ptb("chair,couch; 1,000 at 6:55") == "chair couch 1,000 at 6:55");
  CHECK(ptb("upside-down 50/50 -- end--of - it") == "upside-down 50/50 end of it");
  CHECK(ptb("a (blue) one") == "a -lrb- blue -rrb- one");
  CHECK(ptb("it’s “here”…") == "it 's here");
  CHECK(ptb("a dog 's bowl ca n't") == "a dog 's bowl ca n't");  // what is cut stays as it is
  CHECK(ptb(" . ' .. '' ") == "");
}

TEST_CASE("ptb gives the tokenised captions of COCO from the raw ones", "[metrics]") {
  const auto raw_path = tests::data_file("coco-caption-ref/captions_val2017.json");
  const auto cut_path = tests::data_file("coco-caption-ref/human1000.tsv");
  if (!raw_path || !cut_path) return tests::skip("no coco-caption-ref in GLASS_DATA");
  const nlohmann::json raw = nlohmann::json::parse(read_text_file(*raw_path));
  std::map<int64_t, std::vector<std::string>> captions;
  for (const auto& entry : raw["annotations"])
    captions[entry["image_id"]].push_back(entry["caption"]);
  const TextSet set = read_captions(*cut_path);
  REQUIRE(set.hypotheses.size() == 1000);
  std::vector<std::string> differ;
  auto image = captions.begin();  // the file has the images of the lowest identifiers, in order
  for (size_t i = 0; i < 1000; ++i, ++image) {
    std::vector<std::string> right = {set.hypotheses[i]};
    right.insert(right.end(), set.references[i].begin(), set.references[i].end());
    for (size_t k = 0; k < right.size(); ++k) {
      const std::string mine = cut(image->second.at(k), Tokeniser::penn);
      if (mine != right[k]) differ.push_back(mine);
    }
  }
  // The file parts the hours from the minutes; the Treebank does not.
  CHECK(differ == std::vector<std::string>{"a pedestal clock strikes 6:55 in a rainy sky",
                                           "a clock in a depot with the time reading 4:21"});
}
