#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/finite_difference.h"
#include "autograd/gradcheck.h"

// The check of one order; gradcheck.cpp says what is checked.
namespace glass {

/// A function of inputs that are displaced in place.
struct GradProblem {
  Vars inputs;
  std::vector<size_t> numbers;  ///< of the inputs among all that the function has
  std::vector<std::string> input_names, output_names;
  std::function<Vars()> record, evaluate;  ///< the outputs, with and without history
  const char* differs_when_recorded = "the function gives another value when it is recorded";
  /// The function with all its inputs, also those without gradient; absent for the second order.
  Function f = {};
  Vars all = {};
  /// Without history, with every mask of the inputs all true, and all false; none without masks.
  std::vector<std::function<Vars()>> unmasked = {};
};

/// The outputs that can have a gradient; throws Error for float32.
Vars floating_outputs(const Vars& outputs);

/// An upstream vector for all outputs, or for one of them, and the gradient it leads to.
struct Upstream {
  Vars seeds;                  // undefined where the output gets none
  std::vector<double> values;  // over all outputs' elements
  std::string output;
  std::vector<Tensor> gradient;  // one per input
};

class OrderCheck {
 public:
  OrderCheck(const GradProblem& problem, const CheckOptions& options);
  OrderReport run();

  // For the diagnosis.
  const GradProblem& problem() const { return problem_; }
  const CheckOptions& options() const { return options_; }
  Displacement& inputs() { return x_; }
  size_t position_of(const GradBlock& block) const;  ///< of the block's input among those displaced
  Generator& generator() { return generator_; }
  /// The slopes of all outputs by one element.
  const Slopes& column(size_t input, int64_t element);
  const std::vector<int64_t>& tried(size_t input) const { return tried_[input]; }
  const std::vector<Shape>& output_shapes() const { return output_shapes_; }
  const std::vector<Upstream>& upstreams() const { return upstreams_; }
  size_t upstreams_over_all() const { return static_cast<size_t>(options_.directions); }
  const Direction& first_call() const { return first_call_; }
  /// All inputs as the first call had them, whatever is displaced; empty for the second order.
  const Vars& first_inputs() const { return first_inputs_; }
  const std::vector<double>& center() const { return center_; }
  /// An upstream vector for one output alone, and the gradient of a fresh recording.
  Upstream fresh_upstream(size_t only);
  /// The gradients under an upstream vector: of a fresh recording, several times over.
  std::vector<std::vector<Tensor>> repeat(const Upstream& upstream, int recordings, int times);

 private:
  Direction nearby();
  Direction shuffled();
  Vars shuffled_others();
  static bool succeeds(const std::function<void()>& f);
  bool failed() const { return report_.verdict != Verdict::pass; }
  void blame(Verdict verdict, std::string cause);
  std::string output_name(size_t o) const;
  std::vector<double> evaluate() const;

  void find_outputs();
  void make_directions();
  void call_elsewhere();
  void find_gradients();
  Var random_upstream(const Shape& shape);
  Upstream make_upstream(const Vars& outputs, size_t only);
  void refused(const Vars& outputs, const Upstream& upstream, const Error& error);
  double numeric_element(size_t input, int64_t element, const Upstream& upstream);
  void check_gradient(size_t i, const Upstream& upstream);
  GradBlock block(size_t i, const Upstream& upstream) const;
  void call_again();

  void compare();
  void expect_zero();
  Slopes measure(const Direction& direction);
  double rounding(const Upstream& upstream, double step) const;
  bool agree(const Direction& direction, const Slopes& slopes, const Upstream& upstream);
  void refuse_unreasonable() const;
  void list_others();
  void explain(bool kink);
  void summarize();
  void single_elements(const std::vector<bool>& inputs, const std::vector<bool>& failing);
  bool add_mismatch(size_t i, const Upstream& upstream);

  const GradProblem& problem_;
  const CheckOptions& options_;
  Generator generator_;
  Displacement x_;
  std::vector<double> center_, noise_;  // the values, and the rounding noise in each
  std::vector<Direction> directions_;
  std::vector<Upstream> upstreams_;
  std::vector<Shape> output_shapes_;
  Direction first_call_;
  Vars first_inputs_;
  std::vector<double> precision_, size_;  // one per input
  std::vector<std::vector<int64_t>> tried_;
  std::map<std::pair<size_t, int64_t>, Slopes> columns_;
  bool reversed_ = false;
  OrderReport report_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b);
double norm(const std::vector<double>& a);
double dot(const Tensor& a, const Tensor& b);
double norm(const Tensor& a);

/// The value in two digits.
std::string rough(double value);

/// The gradients of the given inputs; a missing one is zero.
std::vector<Tensor> pull_back(const Vars& outputs, const Vars& seeds, const Vars& inputs);

/// All elements of all outputs, in float64.
std::vector<double> flatten(const Vars& outputs);

/// The index of the element that is number position in row-major order.
std::vector<int64_t> index_of(int64_t position, const Shape& shape);

}  // namespace glass
