#pragma once

#include <map>
#include <optional>
#include <string>

#include "autograd/registry.h"
#include "models/verify/recorded.h"

namespace glass {

enum class Coverage : uint8_t { passed, failed, not_covered };

struct Verified {
  Coverage coverage = Coverage::passed;
  /// Largest |got - want| / (|want| + atol/rtol) of all values; negative: none was compared.
  double worst = -1;
  std::string message;  ///< which tensor, index and values, or what is not covered
};

/// Compares elementwise: right is |got - want| <= atol + rtol·|want|; equal infinities and two NaN
/// are equal. worst is raised, to 0 at least where values are compared. Empty when right, otherwise
/// which index and values.
std::string difference(const std::string& name, const Tensor& got, const Tensor& want, double rtol,
                       double atol, double& worst);

/// Replays a recorded call through the entry of its name and compares outputs, gradients, second
/// gradients and buffers.
Verified verify(const Recorded& recorded, const std::vector<Entry>& entries);

/// The tensors that a recorded run of an optimiser, schedule or clipping should give, by name
/// (without "out."); nothing when the call's name is none of these.
std::optional<std::map<std::string, Tensor>> replay_training_step(Replay& replay);
/// The names that it knows.
std::vector<std::string> training_step_names();

}  // namespace glass
