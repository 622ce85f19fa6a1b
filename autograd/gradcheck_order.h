#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/finite_difference.h"
#include "autograd/gradcheck.h"

// The check of one order; gradcheck.cpp says what is checked.
namespace glass {

/// A function of inputs that are displaced in place.
struct GradProblem {
  Vars inputs;
  std::vector<std::string> input_names, output_names;
  std::function<Vars()> record, evaluate;  ///< the outputs, with and without history
  const char* differs_when_recorded = "the function gives another value when it is recorded";
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

 private:
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
  std::string blame_input(const Vars& outputs, const Vars& seeds) const;
  void check_gradient(size_t i, const Upstream& upstream);
  GradMismatch block(size_t i, const Upstream& upstream) const;

  void compare();
  void expect_zero();
  Slopes measure(const Direction& direction);
  double rounding(const Upstream& upstream, double step) const;
  bool agree(const Direction& direction, const Slopes& slopes, const Upstream& upstream);
  void summarize();
  void single_elements(const std::vector<bool>& inputs, const std::vector<bool>& failing);
  bool add_mismatch(size_t i, const Upstream& upstream, const std::vector<int64_t>& positions,
                    const std::vector<Slopes>& numeric);

  const GradProblem& problem_;
  const CheckOptions& options_;
  Generator generator_;
  Displacement x_;
  std::vector<double> center_, noise_;  // the values, and the rounding noise in each
  std::vector<Direction> directions_;
  std::vector<Upstream> upstreams_;
  bool reversed_ = false;
  OrderReport report_;
};

/// The index of the element that is number position in row-major order.
std::vector<int64_t> index_of(int64_t position, const Shape& shape);

}  // namespace glass
