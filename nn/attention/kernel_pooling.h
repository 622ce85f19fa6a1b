#pragma once

#include "nn/module.h"

namespace glass {

enum class PoolingKernel : uint8_t { gaussian, epanechnikov, box };

/// Kernel regression (Nadaraya 1964; Watson 1964), attention's first lesson: the answer to a query
/// is the mean of the values, weighted by how near their keys are.
///   weights_tj = K(|q_t - k_j|/bandwidth) / Σ_i K(|q_t - k_i|/bandwidth)
///   gaussian K(u) = exp(-u²/2);  epanechnikov max(1 - u², 0);  box 1 where u ≤ 1
/// query [T, D], keys [S, D], values [S, K] -> [T, K]. As bandwidth → 0 the gaussian's answer is
/// the nearest key's value. A query with no key in reach gets 0.
struct Pooled {
  Var context;  ///< [T, K]
  Var weights;  ///< [T, S]
};
Pooled kernel_pooling(const Var& query, const Var& keys, const Var& values, double bandwidth,
                      PoolingKernel kernel = PoolingKernel::gaussian);

/// The same with a bandwidth that is learned.
class KernelPooling : public Module {
 public:
  explicit KernelPooling(double bandwidth, PoolingKernel kernel = PoolingKernel::gaussian);
  void visit(Visitor& v) override { v("bandwidth", bandwidth); }
  Pooled operator()(const Var& query, const Var& keys, const Var& values) const;

  Var bandwidth;  ///< 0-d
  PoolingKernel kernel;
};

}  // namespace glass
