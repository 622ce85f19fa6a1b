#include <iomanip>

#include "autograd/gradcheck.h"

namespace glass {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "FAIL";
    case Verdict::kink:
      return "KINK";
    default:
      return "VACUOUS";
  }
}

namespace {

std::string number(double value) { return text(value < 0 ? "" : "+", std::setprecision(7), value); }
std::string rough(double value) { return text(std::setprecision(2), value); }

std::string line(const GradMismatch& m) {
  std::string at;
  for (int64_t i : m.index) at += (at.empty() ? "" : ", ") + text(i);
  return text("    ", m.input, " ", m.shape, " of ", m.output, ": ", m.wrong, " of ", m.compared,
              " elements differ, the worst at [", at, "]: analytic ", number(m.analytic),
              ", numeric ", number(m.numeric), "\n");
}

std::string lines(const char* order, const OrderReport& report) {
  std::string out = text("  ", order, ": ", name_of(report.verdict));
  if (!report.cause.empty()) out += ": " + report.cause;
  if (report.directions > 0)
    out += text("; ", report.upstreams, " upstream vectors, ", report.directions,
                " directions, largest difference ", rough(report.precision), ", smallest gradient ",
                rough(report.smallest_gradient));
  out += "\n";
  for (const GradMismatch& m : report.mismatches) out += line(m);
  return out;
}

}  // namespace

std::string GradReport::text() const {
  std::string out = glass::text("gradcheck ", name_of(verdict), "  ",
                                name.empty() ? "function" : name, ", float64\n");
  out += lines("first order", first);
  for (const std::string& input : first.idle)
    if (first.verdict == Verdict::pass) out += "    " + input + " has no influence here\n";
  if (second.checked) out += lines("second order", second);
  return out;
}

}  // namespace glass
