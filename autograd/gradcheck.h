#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/registry.h"

// The gradient checker: a function's derivatives against finite differences of its values.
namespace glass {

struct CheckOptions {
  std::string name = {};                      ///< of the function, for the text
  std::vector<std::string> input_names = {};  ///< instead of "input 0", "input 1", ...
  int directions = 3;  ///< random upstream vectors, and random directions over all inputs at once
  uint64_t seed = 0;
  /// The widest difference. Two widths are extrapolated to zero (Richardson), so that 1e-4 is worth
  /// far more than 1e-6 by itself; down to step / 1000 is tried where the function bends too much.
  double step = 1e-4;
  double tolerance = 1e-6;  ///< relative
  bool second_order = true;
  int64_t max_elements = 2000;  ///< of an input that are tried one by one after a failure
};

/// A gradient that does not agree: of which output, by which input, and where it is worst.
struct GradMismatch {
  std::string output, input;
  size_t input_number = 0;
  Shape shape;                 ///< of the input
  std::vector<int64_t> index;  ///< of the worst element
  double analytic = 0, numeric = 0;
  int64_t wrong = 0, compared = 0;  ///< elements
};

/// What was found about the derivatives of one order.
struct OrderReport {
  bool checked = false;
  Verdict verdict = Verdict::pass;
  std::string cause;  ///< why, in words, unless it is pass
  std::vector<GradMismatch> mismatches;
  int upstreams = 0, directions = 0;  ///< how many of each were tried
  double precision = 0;               ///< largest relative difference met
  double smallest_gradient = 0;       ///< root mean square over an input's elements
  std::vector<std::string> idle;      ///< inputs that have no influence here
};

struct GradReport {
  std::string name;
  Verdict verdict = Verdict::pass;  ///< of the first order, unless that is pass: of the second
  OrderReport first, second;

  bool ok() const { return verdict == Verdict::pass; }
  /// A line, and for each mismatch another one.
  std::string text() const;
};

std::string_view name_of(Verdict verdict);

/// Compares the derivatives of f at inputs with finite differences, in float64 and with random
/// upstream vectors: first along random directions (over all inputs, and over each alone), and
/// where that fails element by element. Then the same for the gradient as a function of the inputs
/// and of the upstream vectors.
///
/// pass: they agree; also when the inputs or the outputs have no elements. fail: they do not; or f
/// gives another value at a second call, changes an input, or meets NaN; or a gradient has the
/// wrong shape. kink: the slopes to the left and to the right differ here; the gradient is right
/// elsewhere and lies between the two. vacuous: f is constant here, which proves nothing.
///
/// The inputs that require a gradient are displaced in place and put back to the last bit, also
/// when f throws; so f may hold some of them itself (the parameters of a layer). Other inputs stay.
/// Throws Error when an input or output is float32, none requires a gradient, or two of them share
/// elements.
GradReport check(const Function& f, const Vars& inputs, const CheckOptions& options = {});

}  // namespace glass
