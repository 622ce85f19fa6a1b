#pragma once

#include "autograd/ops/loss.h"
#include "nn/module.h"

namespace glass {

/// cross_entropy() with its options, as a layer. The class weights are a buffer.
class CrossEntropyLoss : public Module {
 public:
  explicit CrossEntropyLoss(const CrossEntropyOptions& options = {}) : options_(options) {}
  void visit(Visitor& v) override { v("weight", options_.weight); }
  Var operator()(In input, const Var& target) const {
    return cross_entropy(input, target, options_);
  }
  const CrossEntropyOptions& options() const { return options_; }

 private:
  CrossEntropyOptions options_;
};

}  // namespace glass
