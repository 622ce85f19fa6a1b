#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nn/module.h"

// Inputs that another framework can make too: element i of the tensor named N is scale·u, u in
// [-1, 1) from splitmix64 counters keyed by the FNV-1a hash of N. So two implementations can
// compare what they computed before comparing how fast.
namespace glass::bench {

inline uint64_t draw(std::string_view name, uint64_t i) {
  uint64_t key = 0xcbf29ce484222325u;
  for (char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  uint64_t z = key + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

inline Tensor uniform(const Shape& shape, std::string_view name, double scale = 1) {
  const Tensor out = Tensor::empty(shape);
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double u = static_cast<double>(draw(name, static_cast<uint64_t>(i)) >> 40) * 0x1p-23 - 1;
    out.data<float>()[i] = static_cast<float>(scale * u);
  }
  return out;
}

inline Tensor ids(const Shape& shape, std::string_view name, int64_t low, int64_t high) {
  const Tensor out = Tensor::empty(shape, kInt64);
  for (int64_t i = 0; i < out.numel(); ++i)
    out.data<int64_t>()[i] =
        low + static_cast<int64_t>((draw(name, static_cast<uint64_t>(i)) >> 33) %
                                   static_cast<uint64_t>(high - low));
  return out;
}

/// Weights by name: embedding tables 0.1, other matrices 1/sqrt(columns), vectors 0.05. name_of:
/// the name that LibTorch's model has for one, where it has another.
inline void fill_parameters(
    Module& module,
    std::string (*name_of)(const std::string&) = [](const std::string& name) { return name; }) {
  for (auto& [own, p] : module.named_parameters()) {
    const std::string name = name_of(own);
    const bool table = name.find("embed") != std::string::npos;
    const double scale = p.ndim() < 2 ? 0.05
                         : table      ? 0.1
                                      : 1 / std::sqrt(static_cast<double>(p.numel() / p.size(0)));
    p.value().copy_(uniform(p.shape(), name, scale));
  }
}

/// Sum of |x|, in double.
inline double abs_sum(const Var& x) {
  double total = 0;
  for (const float v : x.value().to_vector<float>()) total += std::abs(static_cast<double>(v));
  return total;
}

/// Refuses to time a wrong answer.
inline void require_close(std::string_view what, double got, double expected, double relative) {
  if (!(std::abs(got - expected) <= relative * std::abs(expected)))
    throw std::runtime_error(std::string(what) + ": wrong result, not timed: got " +
                             std::to_string(got) + ", expected " + std::to_string(expected));
}

inline void require_close(std::string_view what, const std::vector<double>& got,
                          const std::vector<double>& expected, double relative = 1e-4) {
  for (size_t i = 0; i < expected.size(); ++i)
    require_close(std::string(what) + ", number " + std::to_string(i), got.at(i), expected[i],
                  relative);
}

/// Times forward alone, or forward and backward with the upstream gradient g, gradients dropped
/// first. Before that sum|output| and sum|gradient| of each leaf must be what LibTorch 1.13.1
/// computed from the same numbers.
template <class Forward>
void forward_backward(benchmark::State& state, const char* what, const Forward& forward,
                      const Var& g, const std::vector<Var>& leaves, bool backward,
                      const std::vector<double>& expected) {
  const auto step = [&] {
    for (const Var& leaf : leaves) leaf.zero_grad();
    const Var y = forward();
    if (g.defined())
      y.backward(g);
    else
      y.backward();
    return y;
  };
  std::vector<double> found{abs_sum(step())};
  for (const Var& leaf : leaves) found.push_back(abs_sum(leaf.grad()));
  require_close(what, found, expected);
  for (auto _ : state) {
    if (backward)
      benchmark::DoNotOptimize(step());
    else
      benchmark::DoNotOptimize(forward());
  }
}

}  // namespace glass::bench
