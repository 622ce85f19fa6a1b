#include "models/text/numbers.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("full-width digits are read as ASCII ones, and signs between them", "[text]") {
  CHECK(with_narrow_digits("１２３．４５，６７８：９０") == "123.45,678:90");
  CHECK(with_narrow_digits("我，１２。Ａ１") == "我，12。Ａ1");
  CHECK(with_narrow_digits("１，") == "1，");
  CHECK(with_narrow_digits("，１") == "，1");
  CHECK(with_narrow_digits("1．２ 7") == "1.2 7");
  CHECK(with_narrow_digits("").empty());
}

TEST_CASE("what is a number", "[text]") {
  for (const char* token : {"0", "42", "-1.5", "+3", "1,000", "10:30", "3/4", "50%", "1998-03-03",
                            "４２", "－１．５", "５０％"}) {
    INFO(token);
    CHECK(is_number(token));
    CHECK(number_normalized(token) == "<number>");
  }
  for (const char* token : {"", "-", ".", "a1", "1st", "--1", "%50", "1e5", "x", "٣", "ａ１"}) {
    INFO(token);
    CHECK_FALSE(is_number(token));
    CHECK(number_normalized(token) == token);
  }
}
