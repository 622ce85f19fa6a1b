#include "models/diagnosis/not_finite_cause.h"

#include <algorithm>
#include <cmath>

#include "tensor/error.h"

namespace glass {
namespace {

std::string of(int64_t some, int64_t all) { return text(some, " of ", all, " inputs"); }

ValueCounts input_counts(const std::vector<Tensor>& inputs, size_t i) {
  const bool known = i < inputs.size() && inputs[i].defined() && is_floating(inputs[i].dtype());
  return known ? counts(inputs[i]) : ValueCounts{};
}

bool is_softmax(const std::string& op) {
  return op == "softmax" || op == "log_softmax" || op == "logsumexp" || op == "masked_softmax";
}

// What is wrong before the op computes anything: infinities that meet.
NumericCause of_infinities(const std::string& op, const ValueCounts& a, const ValueCounts& b) {
  const int64_t infinite = a.plus_infinity + a.minus_infinity + b.plus_infinity + b.minus_infinity;
  if (infinite == 0) return {};
  if (is_softmax(op) && a.minus_infinity > 0)
    return {text("an empty row: every key of a query is hidden, so 0/0 (",
                 of(a.minus_infinity, a.all), " are -∞)"),
            "masked_softmax, which gives such a row weights 0, or no rows without a key", true};
  if (op == "mul" || op == "matmul" || op == "linear")
    return {"0·∞", "put the mask into the scores, not into a product", true};
  return {"∞ - ∞", "a large negative number in place of -∞, or masked_softmax", true};
}

NumericCause of_division(const ValueCounts& above, const ValueCounts& below,
                         const ValueCounts& out) {
  if (out.nan > 0)
    return {text("0/0", below.zero > 0 ? ": " + of(below.zero, below.all) + " below are 0" : ""),
            "an eps below the line, or where() around what has no meaning", below.zero > 0};
  if (below.zero > 0 || below.all == 0)
    return {"division by 0" + (below.zero > 0 ? ": " + of(below.zero, below.all) : ""),
            "an eps below the line", below.zero > 0};
  return {text("overflow: values up to ", above.largest), "smaller values, or float64", true};
}

}  // namespace

ValueCounts counts(const Tensor& x) {
  ValueCounts n;
  for (double v : x.to(kFloat64).to_vector<double>()) {
    ++n.all;
    n.nan += std::isnan(v);
    n.plus_infinity += v == INFINITY;
    n.minus_infinity += v == -INFINITY;
    n.zero += v == 0;
    n.negative += v < 0;
    if (std::isfinite(v)) n.largest = std::max(n.largest, std::abs(v));
  }
  return n;
}

NumericCause cause_of(const std::string& op, const std::vector<Tensor>& inputs,
                      const Tensor& output) {
  const ValueCounts a = input_counts(inputs, 0), b = input_counts(inputs, 1), out = counts(output);
  if (a.nan + b.nan > 0) return {"it was given a NaN", "look at where that comes from"};
  if (const NumericCause infinite = of_infinities(op, a, b); infinite.certain) return infinite;
  if (op == "log" || op == "log1p") {
    if (a.negative > 0 && out.nan > 0)
      return {"log of a negative number: " + of(out.nan, a.all),
              "a quantity that cannot be negative", true};
    return {"log of 0: " + of(out.minus_infinity, a.all),
            "log_softmax or cross_entropy of the scores, not the log of a softmax; or log(x + eps)",
            true};
  }
  if (op == "sqrt") return {"root of a negative number: " + of(out.nan, a.all), "clamp to 0", true};
  if (op == "div") return of_division(a, b, out);
  if (op == "reciprocal" || op == "rsqrt") return of_division({}, a, out);
  if (op == "pow" && out.nan > 0)
    return {"a power of a negative number: " + of(out.nan, a.all), "a base that is positive", true};
  if (op == "pow" && a.zero > 0)
    return {"a negative power of 0: " + of(a.zero, a.all), "an eps in the base", true};
  const bool known = a.all > 0;
  return {text("overflow: ", out.nan + out.plus_infinity + out.minus_infinity, " of ", out.all,
               " results are too large for ", name_of(output.dtype()),
               known ? text(", inputs up to ", std::max(a.largest, b.largest)) : ""),
          "a lower learning rate or clipped gradients; for exp: subtract the largest first "
          "(softmax, logsumexp)",
          known};
}

NumericCause backward_cause_of(const std::string& op, const std::vector<Tensor>& inputs) {
  const ValueCounts a = input_counts(inputs, 0), b = input_counts(inputs, 1);
  const auto at_zero = [&](const std::string& what) {
    return NumericCause{
        text("the slope of ", what, " at 0 is infinite: ", of(a.zero, a.all), " are 0"),
        "an eps inside: " + what + "(x + eps)", true};
  };
  if ((op == "sqrt" || op == "norm" || op == "pow" || op == "log") && a.zero > 0)
    return at_zero(op);
  if (op == "div" && b.all > 0 && b.zero == 0)
    return {"a very small divisor: its square is 0", "an eps below the line"};
  return {"overflow on the way back", "clipped gradients, or a lower learning rate"};
}

}  // namespace glass
