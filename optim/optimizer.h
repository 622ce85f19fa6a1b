#pragma once

#include <string>
#include <vector>

#include "autograd/var.h"
#include "tensor/safetensors.h"

namespace glass {

/// Parameters that are updated with the same options.
template <class Options>
struct ParamGroup {
  std::vector<Var> params;
  Options options = {};
};

/// Updates parameters from their gradients, in place. A parameter without a gradient is left alone,
/// and so is its state; one that is given twice in a group (tied) is updated once. Module::to()
/// makes new parameters: make the optimiser after it.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  void step();
  void zero_grad();

  size_t num_groups() const { return lr_.size(); }
  double lr(size_t group = 0) const { return lr_.at(group); }
  void set_lr(double lr);                ///< of all groups
  void set_lr(double lr, size_t group);  ///< throws Error unless finite and not negative

  /// Learning rates, and per parameter "INDEX.step" and the tensors of its state, e.g.
  /// "0.exp_avg". The tensors share storage with the optimiser.
  NamedTensors state_dict() const;
  /// Continues from a saved state exactly. Missing, surplus or misshapen entries throw Error naming
  /// them, and then nothing has changed. The other options stay those of the constructor.
  void load_state_dict(const NamedTensors& state);

 protected:
  /// A parameter and what is remembered about it.
  struct Slot {
    Var param;
    size_t group;
    int64_t steps = 0;          // updates so far
    std::vector<Tensor> state;  // one per state name, of param's shape; empty before the first
  };
  /// op: the name for errors. state_names: what a group's parameters remember.
  explicit Optimizer(const char* op) : op_(op) {}
  void add_group(const std::vector<Var>& params, double lr, std::vector<std::string> state_names);
  /// One update of a dense parameter. slot.steps already counts this one, slot.state is ready.
  virtual void update(const Slot& slot, const Tensor& param, const Tensor& grad, double lr) = 0;

 private:
  const char* op_;
  std::vector<double> lr_;                             // per group
  std::vector<std::vector<std::string>> state_names_;  // per group
  std::vector<Slot> slots_;
};

}  // namespace glass
