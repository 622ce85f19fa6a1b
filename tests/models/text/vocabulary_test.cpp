#include "models/text/vocabulary.h"

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;
using Ids = std::vector<int64_t>;

namespace {

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::caller);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("ids go by count, then by bytes", "[text]") {
  const std::vector<Words> sentences = {{"d", "b", "a"}, {"c", "d", "a"}, {"b", "d"}};
  std::vector<Words> reversed = {{"d", "b"}, {"a", "d", "c"}, {"a", "b", "d"}};
  for (const auto& order : {sentences, reversed}) {
    const Vocabulary vocabulary = Vocabulary::build(order, {.min_count = 2});
    CHECK(vocabulary.size() == 7);
    CHECK(vocabulary.id("d") == 4);
    CHECK(vocabulary.id("a") == 5);
    CHECK(vocabulary.id("b") == 6);
    CHECK(vocabulary.id("c") == Vocabulary::kUnk);
    CHECK(vocabulary.count(4) == 3);
    CHECK(vocabulary.count(6) == 2);
    CHECK(vocabulary.count(Vocabulary::kPad) == 0);
  }
  CHECK(Vocabulary::kPad == 0);
  CHECK(Vocabulary::kUnk == 1);
  CHECK(Vocabulary::kBos == 2);
  CHECK(Vocabulary::kEos == 3);
}

TEST_CASE("byte order is unsigned: ASCII before every other letter", "[text]") {
  const Vocabulary vocabulary = Vocabulary::build({{"三", "é", "z", "Z"}});
  CHECK(vocabulary.decode({4, 5, 6, 7}) == Words{"Z", "z", "é", "三"});
}

TEST_CASE("data that spells a special is unknown and gets no second id", "[text]") {
  const Vocabulary vocabulary =
      Vocabulary::build({{"<pad>", "<unk>", "<bos>", "<eos>", "<eos>", "<EOS>", "x"}});
  CHECK(vocabulary.size() == 6);
  CHECK(vocabulary.encode({"<pad>", "<unk>", "<bos>", "<eos>"}) == Ids{1, 1, 1, 1});
  CHECK(vocabulary.encode({"<EOS>", "x"}) == Ids{4, 5});
}

TEST_CASE("the size limit counts the specials", "[text]") {
  const std::map<std::string, int64_t> counts = {{"a", 1}, {"b", 5}, {"c", 3}};
  CHECK(Vocabulary::from_counts(counts, {.max_size = 6}).size() == 6);
  CHECK(Vocabulary::from_counts(counts, {.max_size = 6}).id("a") == Vocabulary::kUnk);
  CHECK(Vocabulary::from_counts(counts, {.max_size = 4}).size() == 4);
  CHECK(Vocabulary::from_counts(counts, {.max_size = 100}).size() == 7);
  CHECK(Vocabulary::from_counts(counts).size() == 7);
  CHECK_THAT(message([&] { Vocabulary::from_counts(counts, {.max_size = 3}); }),
             ContainsSubstring("max_size") && ContainsSubstring("3"));
  CHECK_THAT(message([&] { Vocabulary::from_counts(counts, {.max_size = -1}); }),
             ContainsSubstring("max_size"));
  CHECK_THAT(message([&] { Vocabulary::from_counts(counts, {.min_count = 0}); }),
             ContainsSubstring("min_count"));
}

TEST_CASE("an id that does not exist is an error that names id and range", "[text]") {
  const Vocabulary vocabulary = Vocabulary::build({{"a", "b", "c"}});
  CHECK(vocabulary.token(6) == "c");
  for (int64_t id : {int64_t{7}, int64_t{-1}, std::numeric_limits<int64_t>::min(),
                     std::numeric_limits<int64_t>::max()}) {
    CHECK_THAT(message([&] { vocabulary.token(id); }),
               ContainsSubstring(std::to_string(id)) && ContainsSubstring("0 … 6"));
    CHECK_THAT(message([&] { vocabulary.count(id); }), ContainsSubstring("0 … 6"));
    CHECK_THAT(message([&] { vocabulary.decode({4, id}); }), ContainsSubstring("0 … 6"));
  }
}

TEST_CASE("decoding stops at eos and drops pad and bos", "[text]") {
  const Vocabulary vocabulary = Vocabulary::build({{"a", "b"}});
  CHECK(vocabulary.decode({2, 4, 0, 5, 3, 4, 99}) == Words{"a", "b"});
  CHECK(vocabulary.decode({1, 4}) == Words{"<unk>", "a"});
  CHECK(vocabulary.decode({3, 4}).empty());
  CHECK(vocabulary.decode({}).empty());
}

TEST_CASE("a vocabulary comes back from its JSON text with the same ids", "[text]") {
  const Words odd = {"\"", "\\", " ", "\\n", "\n", "'", "三月", "é", "😀", "\u0301", "a b", "/"};
  const Vocabulary vocabulary = Vocabulary::build({odd, {"三月", "\\"}});
  const std::string written = vocabulary.to_json().dump();
  const Vocabulary read = Vocabulary::from_json(nlohmann::json::parse(written));
  CHECK(read.size() == vocabulary.size());
  for (int64_t id = 0; id < vocabulary.size(); ++id) {
    CHECK(read.token(id) == vocabulary.token(id));
    CHECK(read.count(id) == vocabulary.count(id));
  }
  for (const std::string& token : odd) CHECK(read.id(token) == vocabulary.id(token));
  CHECK(read.to_json().dump() == written);
  CHECK(Vocabulary::from_json(Vocabulary().to_json()).size() == 4);
}

TEST_CASE("JSON that is no vocabulary is refused", "[text]") {
  const auto good = [] { return Vocabulary::build({{"a", "b"}}).to_json(); };
  const auto refused = [](const nlohmann::json& json) {
    return message([&] { Vocabulary::from_json(json); });
  };
  CHECK_THAT(refused(nlohmann::json()), ContainsSubstring("specials"));
  CHECK_THAT(refused(nlohmann::json::array()), ContainsSubstring("specials"));
  auto json = good();
  json.erase("tokens");
  CHECK_THAT(refused(json), ContainsSubstring("\"tokens\""));
  json = good();
  json["counts"] = 3;
  CHECK_THAT(refused(json), ContainsSubstring("\"counts\""));
  json = good();
  json["specials"][0] = "<PAD>";
  CHECK_THAT(refused(json), ContainsSubstring("<PAD>"));
  json = good();
  json["counts"].push_back(1);
  CHECK_THAT(refused(json), ContainsSubstring("2 and 3"));
  json = good();
  json["tokens"][1] = 7;
  CHECK_THAT(refused(json), ContainsSubstring("number 1"));
  json = good();
  json["tokens"][1] = "a";
  CHECK_THAT(refused(json), ContainsSubstring("two ids"));
  json = good();
  json["tokens"][1] = "<eos>";
  CHECK_THAT(refused(json), ContainsSubstring("two ids"));
  json = good();
  json["tokens"][1] = "\xFF";
  CHECK_THAT(refused(json), ContainsSubstring("UTF-8"));
  for (const nlohmann::json& count :
       {nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json("1"), nlohmann::json(~0ULL)}) {
    json = good();
    json["counts"][0] = count;
    CHECK_THAT(refused(json), ContainsSubstring("number 0"));
  }
}

TEST_CASE("tokens that are not UTF-8 are refused, for JSON could not hold them", "[text]") {
  CHECK_THAT(message([] { Vocabulary::build({{"ok", "\xC3"}}); }), ContainsSubstring("UTF-8"));
  CHECK(Vocabulary::build({{"ok"}}).id("\xC3") == Vocabulary::kUnk);
}
