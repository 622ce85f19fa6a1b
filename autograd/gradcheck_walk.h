#pragma once

#include <optional>

#include "autograd/gradcheck_order.h"

namespace glass {

/// The first op of a recorded function whose own backward disagrees with its values. Along a
/// direction of the inputs every value on the tape has a slope; an op with inputs x and output y is
/// right when <u, slope of y> = <backward(u), slope of x> for every upstream vector u. So no op
/// need be called by itself. disturb is called between forward and backward. Nothing when one op is
/// all there is, or all agree.
std::optional<TapePlace> first_disagreement(const GradProblem& problem, Displacement& inputs,
                                            const CheckOptions& options,
                                            const std::function<void()>& disturb);

}  // namespace glass
