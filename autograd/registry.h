#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/replay.h"
#include "autograd/var.h"
#include "tensor/random.h"

// What Glass knows about its own ops, layers and models: every public function has an Entry with
// sample inputs. Gradient checks, comparisons of types and layouts, and the reference table follow
// from it. Registration is an explicit table per family (autograd/ops/table.h, nn/table.h).
namespace glass {

/// How an input of a sample is made.
struct Input {
  enum class Kind : uint8_t { real, integer, boolean };
  Shape shape;
  double low = -2, high = 2;  ///< real: uniform in [low, high); integer: low … high - 1
  Kind kind = Kind::real;
  bool requires_grad = true;        ///< real inputs only
  std::vector<double> values = {};  ///< exact values instead of random ones
};
inline Input ints(Shape shape, int64_t low, int64_t high) {
  return {shape, static_cast<double>(low), static_cast<double>(high), Input::Kind::integer, false};
}
inline Input bools(Shape shape) { return {shape, 0, 1, Input::Kind::boolean, false}; }
inline Input constant(Shape shape, double low = -2, double high = 2) {
  return {shape, low, high, Input::Kind::real, false};
}
inline Input exact(Shape shape, std::vector<double> values) {
  return {shape, 0, 0, Input::Kind::real, true, std::move(values)};
}

using Vars = std::vector<Var>;
using Function = std::function<Vars(const Vars&)>;

/// What a gradient check of a sample is expected to say.
enum class Verdict : uint8_t { pass, fail, kink, vacuous };

struct Sample {
  std::string label;  ///< e.g. "broadcast", "0-d"
  std::vector<Input> inputs;
  Function f;  ///< in the order of inputs; numbers in their type
  Verdict expect = Verdict::pass;
  bool second_order = true;
  double tolerance = 1e-6;   ///< relative, of the gradient check; looser ones carry their reason
  Function definition = {};  ///< for fused ops: the same from simple ops
  /// Independent values, computed on plain numbers: the inputs' elements in, the first output's
  /// out.
  std::function<std::vector<double>(const std::vector<std::vector<double>>&)> reference = {};
};

/// A call that must throw, and a piece of its message.
struct ErrorRow {
  std::string label;
  std::function<void()> call;
  std::string message;
};

enum class EntryKind : uint8_t { op, fused, layer, loss, model };

struct Entry {
  std::string name;  ///< the public function or class, as in PyTorch where it has it
  EntryKind kind = EntryKind::op;
  std::string formula = {};   ///< e.g. "y = tanh(x)"
  std::string gradient = {};  ///< e.g. "dx = dy·(1 - y²)"
  std::string notes = {};     ///< rules at kinks, ties, empty axes
  std::vector<Sample> samples = {};
  std::vector<ErrorRow> errors = {};
  bool differentiable = true;
  /// Calls the function as a recorded call of PyTorch's function of this name says.
  std::function<Vars(Replay&)> replay = {};
};

/// The inputs of a sample as leaves of the given type.
Vars make_inputs(const Sample& sample, Generator& generator, DType dtype = kFloat64);

/// The tables of autograd/ops, joined.
const std::vector<Entry>& op_entries();

}  // namespace glass

// Compiled once, in registry.cpp, and not in every file that has a table.
extern template class std::vector<glass::Input>;
extern template class std::vector<glass::Sample>;
extern template class std::vector<glass::ErrorRow>;
extern template class std::vector<glass::Entry>;
