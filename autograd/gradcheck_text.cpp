#include <cmath>
#include <iomanip>
#include <ostream>

#include "autograd/gradcheck_order.h"

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

std::string rough(double value) { return text(std::setprecision(2), value); }

namespace {

std::string signed_number(double value) {
  return text(value < 0 ? "" : "+", std::setprecision(7), value);
}

// A parameter's name with its number; "input 1" says it already.
std::string input_of(const GradBlock& b) {
  const std::string number = text("input ", b.input_number);
  if (b.input.starts_with("input ") || b.input.starts_with("upstream "))
    return text(b.input, " ", b.shape);
  return text(number, " (", b.input, " ", b.shape, ")");
}

std::string counted(int64_t count, const char* noun) {
  return text(count, " ", noun, count == 1 ? "" : "s");
}

std::string tries(const OrderReport& report) {
  if (report.directions == 0) return "float64";
  return text("float64, ", counted(report.upstreams, "upstream vector"), ", ",
              counted(report.directions, "random direction"));
}

std::string cause_line(const GradBlock& b) {
  const std::string next = b.runners_up.empty()
                               ? ""
                               : text("; next best: ", name_of(b.runners_up[0].kind), " ",
                                      rough(b.runners_up[0].residual));
  if (b.causes.empty()) {
    if (b.compared == 0 || b.runners_up.empty()) return "";  // nobody has looked
    std::string nearest;
    for (const Cause& c : b.runners_up)
      nearest +=
          text(nearest.empty() ? "; nearest: " : ", ", name_of(c.kind), " ", rough(c.residual));
    return "  cause    none that is known fits" + nearest + "\n";
  }
  const Cause& c = b.causes[0];
  std::string out = text("  cause    ", c.text, " (residual ", rough(c.residual), next, ")\n");
  for (size_t i = 1; i < b.causes.size(); ++i)
    out += text("  or       ", b.causes[i].text, " (residual ", rough(b.causes[i].residual), ")\n");
  return out;
}

std::string block_lines(const GradBlock& b) {
  std::string out = cause_line(b);
  if (b.compared == 0) return out;
  std::string at;
  for (int64_t i : b.index) at += (at.empty() ? "" : ", ") + text(i);
  out += text("  worst    ", b.input, "[", at, "]  analytic ", signed_number(b.analytic),
              "  numeric ", signed_number(b.numeric), "\n");
  out += text("  error    ", b.wrong, " of ", b.compared, " elements differ",
              b.place.empty() ? "" : ": " + b.place, "\n");
  if (b.ratio.count > 1)
    out +=
        text("  ratio    analytic/numeric from ", rough(b.ratio.low), " to ", rough(b.ratio.high),
             ", mean ", rough(b.ratio.mean), " ± ", rough(b.ratio.deviation), "\n");
  return out;
}

// As the compiler knew it, without the folders above the source.
std::string short_path(const std::string& file) {
  const std::string here = __FILE__, tail = "autograd/gradcheck_text.cpp";
  const std::string root = here.substr(0, here.size() - tail.size());
  return !root.empty() && file.starts_with(root) ? file.substr(root.size()) : file;
}

std::string where_lines(const OrderReport& report) {
  if (!report.where) return "";
  const TapePlace& w = *report.where;
  std::string out =
      text("  where    backward of ", w.op, ", called at ", short_path(w.file), ":", w.line,
           " (op ", w.number, " of ", w.of,
           std::isfinite(w.difference) ? "; off by " + rough(w.difference) : "", ")\n");
  if (!w.cause.empty()) out += "           there: " + w.cause + "\n";
  if (w.disagreeing > 1)
    out += text("           and ", w.disagreeing - 1, w.disagreeing > 2 ? " ops" : " op",
                " after it\n");
  return out;
}

std::string failure(const std::string& name, const char* order, const OrderReport& report) {
  std::string out;
  const std::string title = "gradcheck FAILED  " + name;
  for (const GradBlock& b : report.mismatches) {
    out += text(title, order, ", ", input_of(b));
    if (!b.output.empty() && b.output != "output 0") out += " of " + b.output;
    out += ", " + tries(report) + "\n" + block_lines(b);
    if (b.compared == 0) out += "  error    " + report.cause + "\n";
  }
  if (report.mismatches.empty())
    out = text(title, order, ", ", tries(report), "\n  error    ", report.cause, "\n");
  if (!report.sweep_text.empty()) out += "  steps    " + report.sweep_text + "\n";
  return out + where_lines(report);
}

std::string lines(const char* order, const OrderReport& report) {
  std::string out = text("  ", order, ": ", name_of(report.verdict));
  if (!report.cause.empty()) out += ": " + report.cause;
  if (report.directions > 0)
    out += text("; ", counted(report.upstreams, "upstream vector"), ", ",
                counted(report.directions, "direction"), ", largest difference ",
                rough(report.precision), ", smallest gradient ", rough(report.smallest_gradient));
  out += "\n";
  if (!report.sweep_text.empty()) out += "    " + report.sweep_text + "\n";
  if (report.missed > 0)
    out += text("    a single wrong element would be missed with probability ",
                rough(report.missed), "\n");
  return out;
}

}  // namespace

std::string GradReport::text() const {
  const std::string title = name.empty() ? "function" : name;
  if (first.verdict == Verdict::fail) return failure(title, "", first);
  std::string out = glass::text("gradcheck ", name_of(verdict), "  ", title, ", float64\n");
  if (second.verdict == Verdict::fail) out = failure(title, ", second order", second);
  out += lines("first order", first);
  if (moved > 0)
    out += "    the sample lay on a kink and was moved " + counted(moved, "time") + "\n";
  for (const std::string& input : first.idle)
    if (first.verdict == Verdict::pass)
      out += "    " + input + " has no influence here: VACUOUS for it\n";
  if (second.checked && second.verdict != Verdict::fail) out += lines("second order", second);
  return out;
}

std::ostream& operator<<(std::ostream& out, const GradReport& report) {
  return out << report.text();
}

}  // namespace glass
