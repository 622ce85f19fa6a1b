#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/registry.h"

// What the tables of autograd/ops are written with: rows that many ops share, and the plain
// arithmetic of their references.
namespace glass {

using Numbers = std::vector<double>;
using Columns = std::vector<Numbers>;  // the elements of every input, in row-major order

/// Where random inputs of a pointwise function lie.
struct Domain {
  double low = -2, high = 2;
};

/// Inputs of a row that no gradient is asked of: whole numbers, or exact ones.
Input exact_ints(Shape shape, std::vector<double> values);
Input exact_bools(Shape shape, std::vector<double> values);
Input exact_constant(Shape shape, std::vector<double> values);

/// y = f(x) elementwise: [3, 4], 0-d and empty rows; the reference on one number. Refuses bool.
Entry unary(std::string name, Var (*f)(In), std::function<double(double)> reference,
            Domain domain = {});
/// y = f(a, b): equal shapes, broadcasting both ways, a number, 0-d and empty rows. Refuses shapes
/// that do not broadcast and two types.
Entry binary(std::string name, Var (*f)(In, In), std::function<double(double, double)> reference,
             Domain a = {}, Domain b = {});
/// The same for functions that give bool and have no gradient.
Entry comparison(std::string name, Var (*f)(In, In), std::function<bool(double, double)> reference);

/// Row of a unary function at given points.
Sample at_points(std::string label, Var (*f)(In), std::function<double(double)> reference,
                 std::vector<double> points);

/// The entry with its texts; chained after unary() and binary().
Entry about(Entry entry, std::string formula, std::string gradient, std::string notes = {});
/// The entry with a way to compute what a recorded call of another framework asks for.
Entry replayed(Entry entry, std::function<Vars(Replay&)> replay);
/// The entry with further rows.
Entry with(Entry entry, std::vector<Sample> samples, std::vector<ErrorRow> errors = {});

/// The reference of a row whose output has no elements.
Numbers nothing(const Columns& inputs);
/// A reference: the first input's elements at the given places, in this order; -1 stands for a
/// zero.
decltype(Sample::reference) places(std::vector<int> at);
/// A row of an op that moves the elements of its input to such places.
Sample moved(std::string label, const Shape& shape, std::function<Var(const Var&)> f,
             std::vector<int> at);
/// A leaf's or a constant's value for error rows: ones.
Var ones(const Shape& shape, DType dtype = kFloat64);

/// Element i of a dense tensor of the given shape read as if expanded to a larger shape.
int64_t broadcast_index(int64_t i, const Shape& from, const Shape& to);

/// Every row's place along dim, as plain loops: f(first, step, n) for each line of the shape.
void for_lines(const Shape& shape, int dim,
               const std::function<void(int64_t, int64_t, int64_t)>& f);

}  // namespace glass
