#pragma once

#include <iosfwd>
#include <optional>
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
  /// 1: along random directions, which costs the same whatever the sizes. 2: each element alone.
  int gear = 1;
  int64_t columns = 0;          ///< gear 2: so many elements of an input, drawn at random; 0: all
  bool diagnose = true;         ///< look for the cause of a failure
  bool move_off_kinks = false;  ///< try again beside a kink
};

/// What kind of mistake makes a gradient look like this. The order is that in which causes that
/// fit equally are named: what a call does first, then the simpler hypothesis.
enum class CauseKind : uint8_t {
  nan,               ///< not finite where the slope is
  shape,             ///< not of the input's shape or type
  precision,         ///< the function computes in less than float64
  nondeterministic,  ///< another gradient at every call
  overwritten,       ///< what backward reads was changed after forward
  stale,             ///< what backward reads is that of the first call
  missing,           ///< zero, or never given
  sign,
  factor,  ///< a constant one
  twice,   ///< accumulated twice, or on top of what an earlier call left
  transposed,
  permuted,          ///< axes in another order
  swapped,           ///< the gradient of another input
  upstream_ignored,  ///< that of a sum, whatever comes from above
  wrong_axis,        ///< upstream read or summed along another axis
  not_reduced,       ///< one entry along a broadcast axis instead of their sum
  dropped,           ///< an element or a slice is zero
  mask_ignored       ///< a gradient where a mask allows none
};
std::string_view name_of(CauseKind kind);

/// A hypothesis about a wrong gradient. residual: the distance of the gradient from what it would
/// be under the hypothesis, relative to the larger of the two; 0 fits perfectly.
struct Cause {
  CauseKind kind = CauseKind::nan;
  std::string text;  ///< in words, e.g. "analytic is 2 times numeric"
  double residual = 0;
};

/// Of analytic / numeric, over the elements whose numeric gradient is not zero.
struct RatioStatistics {
  int64_t count = 0;
  double low = 0, high = 0, mean = 0, deviation = 0;
};

/// The gradient of an output by an input.
struct GradBlock {
  std::string output, input;
  size_t input_number = 0;  ///< as the function counts them
  Shape shape;              ///< of the input
  Verdict verdict = Verdict::pass;
  double precision = 0;  ///< largest relative difference along a direction of this input alone
  double size = 0;       ///< root mean square of the gradient
  // Where it does not pass:
  std::vector<int64_t> index;  ///< of the worst element
  double analytic = 0, numeric = 0;
  int64_t wrong = 0, compared = 0;  ///< elements
  std::string place;                ///< which elements are wrong, in words
  RatioStatistics ratio;
  std::vector<Cause> causes;      ///< all that fit, the one to name first
  std::vector<Cause> runners_up;  ///< the nearest of those that do not
};

/// How far analytic and numeric slopes are apart at a step, relative.
struct StepError {
  double step = 0, difference = 0;
  double sides = 0;  ///< the slopes to the right and to the left
};

/// An op of the tape whose own backward disagrees with finite differences.
struct TapePlace {
  std::string op, file;
  int line = 0;               ///< that called it
  size_t number = 0, of = 0;  ///< in the order of recording, from 1
  double difference = 0;      ///< relative
  int disagreeing = 1;        ///< how many ops do
  std::string cause;          ///< what fits there, if anything
};

/// What was found about the derivatives of one order.
struct OrderReport {
  bool checked = false;
  Verdict verdict = Verdict::pass;
  std::string cause;                  ///< why, in words, unless it is pass
  std::vector<GradBlock> mismatches;  ///< the blocks that do not pass
  std::vector<GradBlock> others;      ///< those that do: pass, or vacuous for an idle input
  int upstreams = 0, directions = 0;  ///< how many of each were tried
  double precision = 0;               ///< largest relative difference met
  double smallest_gradient = 0;       ///< root mean square over an input's elements
  std::vector<std::string> idle;      ///< inputs that have no influence here
  double missed = 0;  ///< gear 2, sampled: the probability to miss a single wrong element
  std::vector<StepError> sweep;    ///< after a failure or at a kink
  std::string sweep_text;          ///< what it tells
  std::optional<TapePlace> where;  ///< in a function of several ops
};

struct GradReport {
  std::string name;
  Verdict verdict = Verdict::pass;  ///< of the first order, unless that is pass: of the second
  OrderReport first, second;
  int moved = 0;  ///< how often the sample was moved off a kink

  bool ok() const { return verdict == Verdict::pass; }
  /// What a person reads: the strength of a pass, the diagnosis of a failure.
  std::string text() const;
};
std::ostream& operator<<(std::ostream& out, const GradReport& report);  ///< so that tests print it

std::string_view name_of(Verdict verdict);

/// Compares the derivatives of f at inputs with finite differences, in float64 and with random
/// upstream vectors: first along random directions (over all inputs, and over each alone), and
/// where that fails element by element. Then the same for the gradient as a function of the inputs
/// and of the upstream vectors.
///
/// pass: they agree; also when the inputs or the outputs have no elements. fail: they do not; or f
/// gives another value at a second call, changes an input, or meets NaN; or a gradient has the
/// wrong shape. kink: the slopes to the left and to the right differ here; the gradient is right
/// elsewhere and lies between the two. vacuous: f is constant here, or an input has no influence,
/// which proves nothing about it.
///
/// A failure is diagnosed: hypotheses of what is wrong are compared with the gradient, and where f
/// is made of several ops, each op's own backward is compared with the finite differences of its
/// values, so that the first one that disagrees is named with the line that called it.
///
/// The inputs that require a gradient are displaced in place and put back to the last bit, also
/// when f throws; so f may hold some of them itself (the parameters of a layer). Other inputs stay.
/// Throws Error when an input or output is float32, none requires a gradient, two of them share
/// elements, or gear 2 would take unreasonably long.
GradReport check(const Function& f, const Vars& inputs, const CheckOptions& options = {});

}  // namespace glass
