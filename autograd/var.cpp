#include "autograd/var.h"

#include <cmath>

#include "autograd/engine.h"
#include "autograd/leaf.h"
#include "tensor/ops.h"

namespace glass {

namespace {
thread_local bool recording_ = true;
thread_local bool anomaly_ = false;
}  // namespace

bool is_recording() { return recording_; }
RecordingScope::RecordingScope(bool on) : before_(recording_) { recording_ = on; }
RecordingScope::~RecordingScope() { recording_ = before_; }

bool is_detecting_anomaly() { return anomaly_; }
DetectAnomaly::DetectAnomaly() : before_(anomaly_) { anomaly_ = true; }
DetectAnomaly::~DetectAnomaly() { anomaly_ = before_; }

Var::Var(Tensor value, bool requires_grad) : value_(std::move(value)) {
  if (!requires_grad) return;
  if (!value_.defined()) fail("Var", "an undefined tensor cannot require a gradient");
  if (!is_floating(value_.dtype()))
    fail("Var", "only floating types can require a gradient", "got ", name_of(value_.dtype()));
  node_ = NodePtr(new Leaf(value_));
}

Var::Var(double number) : value_(Tensor::scalar(number, kFloat64)), weak_(true) {}

void In::fail_undefined() const {
  fail("op", "an input is undefined", "called at ", where.file, ":", where.line);
}

Var In::as_var(DType dtype) const {
  if (!var) {
    if (dtype == kInt64 && number != std::trunc(number))
      fail("number", "is not whole but meets int64", number);
    return Var(Tensor::scalar(number, dtype));
  }
  if (var->is_number() && var->dtype() != dtype) return Var(var->value().to(dtype));
  return *var;
}

void Var::backward(const BackwardOptions& options) const { backward(Var(), options); }

void Var::backward(const Var& seed, const BackwardOptions& options) const {
  if (!defined()) fail("backward", "the value is undefined");
  if (!requires_grad())
    fail("backward", "nothing was recorded",
         "no input of this value requires a gradient, or recording was off");
  Engine(options).run({*this}, {seed}, {}, false);
}

std::vector<Var> grad(const std::vector<Var>& outputs, const std::vector<Var>& inputs,
                      const std::vector<Var>& grad_outputs, const BackwardOptions& options) {
  if (!grad_outputs.empty() && grad_outputs.size() != outputs.size())
    fail("grad", "needs one upstream gradient per output", grad_outputs.size(), " for ",
         outputs.size(), " outputs");
  for (const Var& input : inputs)
    if (!input.requires_grad()) fail("grad", "an input does not require a gradient", input.shape());
  std::vector<Var> seeds = grad_outputs;
  seeds.resize(outputs.size());
  return Engine(options).run(outputs, seeds, inputs, false);
}

static Leaf& leaf_of(const char* op, const Var& v) {
  if (!v.node() || !v.node()->is_leaf())
    fail(op, "only a leaf with requires_grad holds a gradient",
         "use register_hook() or grad() for other values");
  return static_cast<Leaf&>(*v.node().get());
}

Var Var::grad() const {
  if (!node_) return Var();
  return leaf_of("grad", *this).grad;
}

void Var::set_grad(Var gradient) const {
  if (gradient.defined() && (!(gradient.shape() == shape()) || gradient.dtype() != dtype()))
    fail("set_grad", "shape or type differs", gradient.shape(), " ", gradient.dtype(), " for ",
         shape(), " ", dtype());
  leaf_of("set_grad", *this).grad = std::move(gradient);
}

void Var::register_hook(Node::Hook hook) const {
  if (!node_) fail("register_hook", "this value requires no gradient");
  node_->add_hook(output_, std::move(hook));
}

}  // namespace glass

template class std::vector<glass::Var>;
