#pragma once

#include "autograd/var.h"
#include "nn/attention/slots.h"

// Losses that attention weights take part in.
namespace glass {

/// b ← decay·b + (1 - decay)·reward: what a reward is compared with (Xu et al. 2015, section 4.1).
class MovingBaseline {
 public:
  explicit MovingBaseline(double decay = 0.9, double value = 0);
  double value() const { return value_; }
  void update(double reward) { value_ = decay_ * value_ + (1 - decay_) * reward; }

 private:
  double decay_, value_;
};

struct ReinforceOptions {
  double reward_weight = 1;       ///< λ_r
  double entropy_weight = 0.002;  ///< λ_e
};

/// A surrogate whose gradient is the estimate of -∂(λ_r·E[reward] + λ_e·H) (Xu et al. 2015, section
/// 4.1): mean over all rows of -λ_r·(reward - baseline)·log_probability - λ_e·entropy. reward: of
/// the shape of log_probability or broadcasting to it; no gradient goes through it.
Var reinforce_loss(const Var& log_probability, const Var& reward, const Var& entropy,
                   double baseline = 0, const ReinforceOptions& options = {});

/// Σ_j min(a_tj, c_tj), c_t the sum of the weights before t (See, Liu, Manning 2017, equation 12).
/// weights [..., T, S]; the mean over queries. lengths: queries of each row [B] that count, for
/// weights [B, T, S] or [B, H, T, S]; none given: all.
Var coverage_loss(const Var& weights, const std::vector<int64_t>& lengths = {});

/// λ·Σ_j (target - Σ_t a_tj)² (Xu et al. 2015, section 4.2.1), weights [..., T, S]. target: 1 in
/// the paper; T/S is what rows that sum to 1 can reach; the gradients are the same then. A number,
/// or what broadcasts to [..., S]. Dialects differ in what they average over: paper Σ over keys,
/// mean over rows of the batch; authors Σ over the batch, mean over keys; popular mean over both.
Var doubly_stochastic_loss(const Var& weights, double lambda = 1, In target = 1.0,
                           Dialect dialect = Dialect::paper);

}  // namespace glass
