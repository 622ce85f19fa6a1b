#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autograd/gradcheck_order.h"

// Why a gradient is wrong: hypotheses, each with what the gradient would be if it were true.
namespace glass {

class Diagnosis {
 public:
  explicit Diagnosis(OrderCheck& check) : check_(check) {}
  /// Fills causes and runners_up of a block that does not pass.
  void explain(GradBlock& block);
  /// Slopes along one direction of an input, over many steps, and what they tell.
  void sweep(size_t input, OrderReport& report);

 private:
  /// The gradients of the input under several upstream vectors, at the elements tried.
  struct Facts {
    size_t input = 0;
    Shape shape;
    std::vector<int64_t> elements;
    std::vector<Upstream> upstreams;
    std::vector<double> analytic, numeric;  // upstream after upstream
    double wrong = 0;                       // residual of "nothing is wrong"
    std::vector<size_t> few;                // of elements, for hypotheses that cost much
    std::vector<double> analytic_few;
    std::vector<Cause> fit, rest;
  };
  Facts facts_of(size_t input, std::vector<Upstream> upstreams);
  void propose(Facts& facts, CauseKind kind, std::string words, double residual) const;
  /// The gradient is h.
  void compare(Facts& facts, CauseKind kind, std::string words, const std::vector<double>& h) const;
  void compare_few(Facts& facts, CauseKind kind, std::string words,
                   const std::vector<double>& h) const;

  void calls(Facts& facts);
  void elsewhere(Facts& facts);
  void scaled(Facts& facts) const;
  void permuted(Facts& facts);
  void swapped(Facts& facts);
  void upstream(Facts& facts);
  void partly(Facts& facts) const;
  void all(Facts& facts);

  /// Jᵀ·u for other upstream vectors, at the few elements.
  std::vector<double> pulled(const Facts& facts, const std::vector<std::vector<double>>& upstreams);
  /// How far the gradient is from that of another function, or of this one at another place.
  double residual_of(const Facts& facts, const Evaluate& f, Displacement& x);
  /// all: other inputs of the function than its own; none: those.
  double residual_at(const Facts& facts, const Direction& shift, const Vars& all);

  OrderCheck& check_;
};

std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b);
bool finite(const std::vector<double>& a);
/// |a - h| / max(|a|, |h|). floor: a size below which both count as zero.
double residual(const std::vector<double>& a, const std::vector<double>& h, double floor = 0);

/// Which elements: one, an index of an axis, all of them, or how many and the first ones.
std::string place_in_words(const std::vector<int64_t>& wrong, const std::vector<int64_t>& tried,
                           const Shape& shape);
RatioStatistics statistics(const std::vector<double>& ratios);

/// A constant factor in words, where it is one that mistakes lead to: 2, ½, a size, one over it.
std::string factor_in_words(double factor, const std::vector<Shape>& shapes);

/// Position q of the permuted tensor, read in row-major order, holds element result[q].
std::vector<int64_t> permuted_elements(const Shape& shape, const Dims& axes);
/// All orders of n axes but the first: the last two exchanged, then the others. Of more than four
/// axes only neighbours are exchanged.
std::vector<Dims> axis_orders(int n);

}  // namespace glass
