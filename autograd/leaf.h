#pragma once

#include "autograd/var.h"

namespace glass {

/// The end of the graph: collects a gradient. It is always dense and never shares storage with
/// another, so that clipping and optimisers may change it in place.
class Leaf final : public Node {
 public:
  explicit Leaf(const Tensor& value) { add_output(value); }
  const char* name() const override { return "leaf"; }
  void backward(Backward& b) override;
  bool is_leaf() const override { return true; }

  Var grad;
};

}  // namespace glass
