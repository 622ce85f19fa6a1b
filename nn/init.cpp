#include "nn/init.h"

#include <cmath>
#include <vector>

#include "tensor/error.h"

namespace glass {
namespace {

struct Fans {
  double in, out;
};

Fans fans_of(const char* op, const Var& weight) {
  if (weight.ndim() < 2)
    fail(op, "needs a weight of at least two dimensions", "got ", weight.shape());
  double field = 1;
  for (int i = 2; i < weight.ndim(); ++i) field *= static_cast<double>(weight.shape()[i]);
  return {static_cast<double>(weight.size(1)) * field, static_cast<double>(weight.size(0)) * field};
}

// A fan of 0 means a weight without elements: any scale will do.
double xavier_std(const Var& weight, double gain) {
  const Fans fans = fans_of("xavier", weight);
  return fans.in + fans.out > 0 ? gain * std::sqrt(2 / (fans.in + fans.out)) : 0;
}

double kaiming_std(const Var& weight, FanMode mode, Nonlinearity nonlinearity, double slope) {
  const Fans fans = fans_of("kaiming", weight);
  const double fan = mode == FanMode::fan_in ? fans.in : fans.out;
  return fan > 0 ? gain_of(nonlinearity, slope) / std::sqrt(fan) : 0;
}

// U(-b, b) has the variance b² / 3.
void uniform_with(const Var& weight, double std, Generator& generator) {
  uniform_(weight, -std::sqrt(3) * std, std::sqrt(3) * std, generator);
}

// Makes the rows of a [rows, columns], rows <= columns, orthonormal, in order (Gram and Schmidt);
// the second pass removes what rounding left of the first. A row keeps its direction, so that
// normal rows give every matrix the same chance.
void orthonormalise(std::vector<double>& a, size_t rows, size_t columns) {
  const auto dot = [&](size_t i, size_t j) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < columns; ++k) sum += a[i * columns + k] * a[j * columns + k];
    return sum;
  };
  for (size_t i = 0; i < rows; ++i) {
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t j = 0; j < i; ++j) {
        const double part = dot(i, j);
        for (size_t k = 0; k < columns; ++k) a[i * columns + k] -= part * a[j * columns + k];
      }
    }
    const double length = std::sqrt(dot(i, i));
    for (size_t k = 0; k < columns; ++k) a[i * columns + k] /= length;
  }
}

}  // namespace

double gain_of(Nonlinearity nonlinearity, double negative_slope) {
  switch (nonlinearity) {
    case Nonlinearity::tanh:
      return 5.0 / 3;
    case Nonlinearity::relu:
      return std::sqrt(2);
    case Nonlinearity::leaky_relu:
      return std::sqrt(2 / (1 + negative_slope * negative_slope));
    default:
      return 1;
  }
}

void zeros_(const Var& parameter) { constant_(parameter, 0); }
void ones_(const Var& parameter) { constant_(parameter, 1); }
void constant_(const Var& parameter, double value) { parameter.value().fill_(value); }

void uniform_(const Var& parameter, double low, double high, Generator& generator) {
  parameter.value().copy_(uniform(parameter.shape(), low, high, parameter.dtype(), generator));
}
void normal_(const Var& parameter, double mean, double std, Generator& generator) {
  parameter.value().copy_(normal(parameter.shape(), mean, std, parameter.dtype(), generator));
}

void xavier_uniform_(const Var& weight, Generator& generator, double gain) {
  uniform_with(weight, xavier_std(weight, gain), generator);
}
void xavier_normal_(const Var& weight, Generator& generator, double gain) {
  normal_(weight, 0, xavier_std(weight, gain), generator);
}
void kaiming_uniform_(const Var& weight, Generator& generator, FanMode mode,
                      Nonlinearity nonlinearity, double negative_slope) {
  uniform_with(weight, kaiming_std(weight, mode, nonlinearity, negative_slope), generator);
}
void kaiming_normal_(const Var& weight, Generator& generator, FanMode mode,
                     Nonlinearity nonlinearity, double negative_slope) {
  normal_(weight, 0, kaiming_std(weight, mode, nonlinearity, negative_slope), generator);
}

void orthogonal_(const Var& weight, Generator& generator, double gain) {
  if (weight.ndim() < 2)
    fail("orthogonal_", "needs a weight of at least two dimensions", "got ", weight.shape());
  if (weight.numel() == 0) return;
  const int64_t rows = weight.size(0), columns = weight.numel() / rows;
  const bool wide = rows <= columns;
  std::vector<double> a = normal({weight.numel()}, 0, 1, kFloat64, generator).to_vector<double>();
  const auto few = static_cast<size_t>(wide ? rows : columns);
  const auto many = static_cast<size_t>(wide ? columns : rows);
  orthonormalise(a, few, many);
  for (double& value : a) value *= gain;
  const Tensor matrix = Tensor::from(a, wide ? Shape{rows, columns} : Shape{columns, rows});
  weight.value().copy_((wide ? matrix : matrix.transpose(0, 1)).reshape(weight.shape()));
}

}  // namespace glass
