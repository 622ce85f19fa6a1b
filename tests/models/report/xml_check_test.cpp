#include "tests/models/report/xml_check.h"

#include <sstream>

#include "tests/catch.h"

using namespace glass::tests;

TEST_CASE("the XML check lets good files pass", "[report]") {
  CHECK(xml_problem("<a b=\"1\" c=\"x &amp; y\">text &lt; <b/><c></c></a>\n") == "");
  CHECK(xml_problem("<!DOCTYPE html>\n<p>a<br>b<style>a<b & c</style></p>", {"br"}, {"style"}) ==
        "");
}

TEST_CASE("the XML check sees planted mistakes", "[report]") {
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a/><b/>", "<a>&</a>", "<a>&nbsp;</a>", "<a b=1/>", "<a b=\"1/>",
        "<a b=\"<\"/>", "<a b=\"1\" b=\"2\"/>", "<a></a>text", "<a>\x01</a>", "<a>\xff</a>",
        "<a>\xEF\xBF\xBF</a>", "<a></svg></a>", "<a", "<a><br></a>", "<a>1 < 2</a>"}) {
    INFO(bad);
    CHECK(xml_problem(bad) != "");
  }
}

TEST_CASE("the comma locale changes what streams write, while it lives", "[report]") {
  const auto written = [] {
    std::ostringstream out;
    out << 1000000.5;
    out.precision(9);
    out << " " << 1234567.5;
    return out.str();
  };
  {
    const CommaLocale comma;
    CHECK(written() == "1e+06 1.234.567,5");
  }
  CHECK(written() == "1e+06 1234567.5");
}
