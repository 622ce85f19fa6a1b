#pragma once

#include "autograd/var.h"
#include "tensor/random.h"

// First values of parameters, written in place. fan_in is the number of inputs of one unit, fan_out
// the number of units an input feeds: for a weight [out, in, ...] the sizes in·... and out·....
namespace glass {

enum class FanMode : uint8_t { fan_in, fan_out };
enum class Nonlinearity : uint8_t { linear, sigmoid, tanh, relu, leaky_relu };

/// The factor that keeps the variance through a nonlinearity: 1, 1, 5/3, √2, √(2 / (1 + slope²)).
double gain_of(Nonlinearity nonlinearity, double negative_slope = 0.01);

void zeros_(const Var& parameter);
void ones_(const Var& parameter);
void constant_(const Var& parameter, double value);
void uniform_(const Var& parameter, double low, double high, Generator& generator);
void normal_(const Var& parameter, double mean, double std, Generator& generator);

/// Glorot and Bengio 2010: variance gain²·2 / (fan_in + fan_out). At least two dimensions.
void xavier_uniform_(const Var& weight, Generator& generator, double gain = 1);
void xavier_normal_(const Var& weight, Generator& generator, double gain = 1);
/// He, Zhang, Ren and Sun 2015: variance gain² / fan. At least two dimensions.
void kaiming_uniform_(const Var& weight, Generator& generator, FanMode mode = FanMode::fan_in,
                      Nonlinearity nonlinearity = Nonlinearity::leaky_relu,
                      double negative_slope = 0);
void kaiming_normal_(const Var& weight, Generator& generator, FanMode mode = FanMode::fan_in,
                     Nonlinearity nonlinearity = Nonlinearity::leaky_relu,
                     double negative_slope = 0);
/// Saxe, McClelland and Ganguli 2013: gain times a random matrix with orthonormal rows or columns,
/// whichever are fewer; a weight [out, ...] counts as a matrix with out rows. Every such matrix is
/// equally likely.
void orthogonal_(const Var& weight, Generator& generator, double gain = 1);

}  // namespace glass
