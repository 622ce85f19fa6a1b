#include "models/report/html.h"

#include <cmath>

#include "tensor/error.h"
#include "tests/catch.h"
#include "tests/models/report/maps.h"
#include "tests/models/report/xml_check.h"

using namespace glass;
using namespace glass::tests;

namespace {

std::string problem(const std::string& html) {
  return xml_problem(html, {"meta", "br"}, {"style", "script"});
}

ReportData full() {
  ReportData data{"Dates", "61,234 parameters", {}, {}, {}, {}, {}};
  data.figures = {{"exact match", "0.9945"}, {"loss", "0.0123"}};
  data.config = {{"hidden", "64"}, {"schedule", "cosine"}};
  data.plots = {{"Loss", "step", {{"train", {1, 2}, {3, 2}}, {"validation", {1, 2}, {3.5, 2.5}}}}};
  data.samples = {{"March 3, 1998", "1998-03-03", {"1998-03-03"}, true},
                  {"三月", "T AH", {"T AH M", "T EY"}, false}};
  data.maps = {tom_chases_jerry(), letters(3, 8)};
  data.rules = {{"memory", "1.1", "1.5", ""}, {"dead-units", "0.95", "0.8", "steps 5 to 9: dead"}};
  data.tables = {{"Trust & doubt", "What <b> means", {"token", "ρ"}, {{"<eos>", "0.50"}}}};
  return data;
}

}  // namespace

TEST_CASE("a report holds all it was given", "[report]") {
  const std::string html = report_html(full());
  CHECK(problem(html) == "");
  CHECK(count(html, "<title>Dates</title>") == 1);
  for (const char* part :
       {"<h1>Dates</h1>", "61,234 parameters", "<dt>exact match</dt><dd>0.9945</dd>",
        "<dt>hidden</dt><dd>64</dd>", ">validation</text>", "<title>step 2, train: 2</title>",
        "<td>March 3, 1998</td><td>1998-03-03</td><td>1998-03-03</td>",
        "<h2>Trust &amp; doubt</h2>", "<p>What &lt;b&gt; means</p>",
        "<tr><th>token</th><th>ρ</th></tr>", "<tr><td>&lt;eos&gt;</td><td>0.50</td></tr>",
        "<td>三月</td><td>T AH</td><td>T AH M<br>T EY</td>", "<title>追逐 ← Chase: 0.7</title>",
        "<td>memory</td><td>1.1</td><td>1.5</td><td class=\"right\">✓ no alarm</td>",
        "<td class=\"wrong\">✗ steps 5 to 9: dead</td>"}) {
    INFO(part);
    CHECK(count(html, part) == 1);
  }
  CHECK(count(html, "✓ right") == 1);
  CHECK(count(html, "✗ wrong") == 1);
  CHECK(count(html, "<svg") == 3);
}

TEST_CASE("a report asks for nothing from outside", "[report]") {
  const std::string html = report_html(full());
  for (const char* part : {"http", "//", "src=", "href", "@import", "url("}) {
    INFO(part);
    CHECK(count(html, part) == 0);
  }
}

TEST_CASE("parts that are empty are left out", "[report]") {
  const std::string html = report_html({"Nothing yet", "", {}, {}, {}, {}, {}});
  CHECK(problem(html) == "");
  CHECK(count(html, "<h2>") == 0);
  CHECK(count(html, "<svg") == 0);
  CHECK(count(html, "class=\"subtitle\"") == 0);
}

TEST_CASE("text from data cannot become markup", "[report]") {
  ReportData data = full();
  const std::string evil = "</td><script>alert(1)</script>\x01\xff&";
  data.title = data.subtitle = evil;
  data.figures = {{evil, evil}};
  data.config = {{evil, evil}};
  data.rules = {{evil, evil, evil, evil}};
  data.samples = {{evil, evil, {evil, evil}, false}};
  data.plots = {{evil, evil, {{evil, {1, 2}, {std::nan(""), 2}}}}};
  data.maps = {hostile()};
  const std::string html = report_html(data);
  CHECK(problem(html) == "");
  CHECK(count(html, "<script>") == 1);  // our own
  CHECK(count(html, "alert(1)&lt;/script&gt;��&amp;") >= 9);
}

TEST_CASE("the locale does not change a report", "[report]") {
  const std::string before = report_html(full());
  const CommaLocale comma;
  CHECK(report_html(full()) == before);
}

TEST_CASE("a report with a map that does not fit is refused", "[report]") {
  ReportData data = full();
  data.maps[0].target.pop_back();
  CHECK_THROWS_AS(report_html(data), Error);
}
