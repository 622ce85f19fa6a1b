#include "models/report/label.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/models/report/xml_check.h"

using namespace glass;
using glass::tests::CommaLocale;

TEST_CASE("text is cleaned of what a page or a terminal must not get", "[report]") {
  CHECK(clean_text("plain 汤姆 é") == "plain 汤姆 é");
  CHECK(clean_text("a\x01"
                   "b\x1b[31m\x7f") == "a�b�[31m�");
  CHECK(clean_text("a\tb\nc\r") == "a b c ");
  CHECK(clean_text("\xff\xe6\xb1") == "��");
  CHECK(clean_text("\u202Eabc\u2069") == "�abc�");
  CHECK(clean_text("\xEF\xBF\xBE") == "�");  // U+FFFE
  CHECK(clean_text("\xC2\x9B") == "�");      // the one-letter form of ESC [
}

TEST_CASE("labels show blanks and lone marks", "[report]") {
  CHECK(label_text("a b") == "a␣b");
  CHECK(label_text("\u3000") == "␣");
  CHECK(label_text("\n") == "␣");
  CHECK(label_text("\u0301") == "◌\u0301");
  CHECK(label_text("e\u0301") == "e\u0301");
  CHECK(label_text("") == "");
}

TEST_CASE("shortening counts columns, not letters", "[report]") {
  CHECK(shorten("Jerry", 5) == "Jerry");
  CHECK(shorten("Jerry", 4) == "Jer…");
  CHECK(shorten("Jerry", 1) == "…");
  CHECK(shorten("汤姆追逐", 8) == "汤姆追逐");
  CHECK(shorten("汤姆追逐", 7) == "汤姆追…");
  CHECK(shorten("汤姆追逐", 6) == "汤姆…");
}

TEST_CASE("XML escapes markup", "[report]") {
  CHECK(escape_xml("<unk>") == "&lt;unk&gt;");
  CHECK(escape_xml("a&b") == "a&amp;b");
  CHECK(escape_xml("\"it's\"") == "&quot;it&#39;s&quot;");
  CHECK(escape_xml("</svg>\x01") == "&lt;/svg&gt;�");
  CHECK(escape_xml("汤姆") == "汤姆");
}

TEST_CASE("numbers are short and read the same everywhere", "[report]") {
  const CommaLocale comma;
  CHECK(number_text(0.5) == "0.5");
  CHECK(number_text(1000000) == "1000000");
  CHECK(number_text(1234567.8) == "1234568");
  CHECK(number_text(1.0 / 3) == "0.3333");
  CHECK(number_text(2.0 / 3, 2) == "0.67");
  CHECK(number_text(100) == "100");
  CHECK(number_text(-0.25) == "-0.25");
  CHECK(number_text(0) == "0");
  CHECK(number_text(-0.0) == "0");
  CHECK(number_text(0.99999) == "1");
  CHECK(number_text(0.0001234) == "0.0001234");
  CHECK(number_text(0.00001) == "1e-05");
  CHECK(number_text(1e300) == "1e+300");
  CHECK(number_text(std::nan("")) == "not a number");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "infinite");
  CHECK(number_text(-std::numeric_limits<double>::infinity()) == "minus infinite");
  CHECK(pixels(1234.56) == "1234.6");
  CHECK(pixels(12) == "12");
  CHECK(pixels(-0.04) == "0");
}
