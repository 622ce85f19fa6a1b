#pragma once

#include "models/diagnosis/rule.h"
#include "nn/linear.h"

namespace glass {

/// Mistakes in a loss that make it, or its gradient, not finite sooner or later.
enum class Trap : uint8_t { none, log_of_softmax, no_eps, empty_row, plain_exp, root_of_zero };

struct DeepNetworkOptions {
  int64_t depth = 8, width = 32;
  bool sigmoid = false;      ///< instead of rectifiers
  double weight_factor = 1;  ///< of initial weights, beside Kaiming's
  int64_t examples = 2000;   ///< of training
  double wrong_labels = 0;   ///< part of them, of training
  Trap trap = Trap::none;
  bool trapped = false;          ///< false: the same loss, without the mistake
  bool keeps_the_tapes = false;  ///< adds up losses as Vars, not as numbers
  double lr = 2e-3;
  int64_t steps = 300;
};

/// A classifier of points with eight coordinates, by the signs of two of them. Every sixteenth
/// point is 0.
class DeepNetwork : public Trainee {
 public:
  explicit DeepNetwork(const DeepNetworkOptions& options);
  Module& model() override { return network_; }
  Generator& generator() override { return generator_; }
  Loss loss(const Batch& batch, int64_t step) override;
  Score validate() override;
  Course train();

 private:
  struct Network : Module {
    Network(const DeepNetworkOptions& options, Generator& generator);
    void visit(Visitor& v) override;
    std::vector<Linear> layers;
  };
  Var features(const Var& points) const;
  Var logits(const Var& features) const;
  Var loss_of(const Var& logits, const Tensor& labels) const;
  Tensor points(const std::vector<int64_t>& rows) const;  ///< [B, 8]
  Tensor labels(const std::vector<int64_t>& rows) const;  ///< [B]

  DeepNetworkOptions options_;
  Generator generator_;
  Network network_;
  Tensor points_;  ///< [examples + kValidation, 8]
  std::vector<int64_t> labels_;
  Var total_;  ///< of keeps_the_tapes
};

}  // namespace glass
