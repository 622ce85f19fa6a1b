#pragma once

#include <string>
#include <vector>

#include "autograd/node.h"
#include "tensor/tensor.h"

namespace glass {

struct BackwardOptions {
  bool retain_graph = false;  ///< keep what was saved, so that backward can run again
  bool create_graph = false;  ///< record the backward itself; gradients can be differentiated
};

/// A tensor that remembers how it was computed. Copies are cheap and share value and history.
/// A Var belongs to one thread.
class Var {
 public:
  Var() = default;  ///< undefined: defined() is false
  /// A leaf. With requires_grad (floating types only) its gradient is collected by backward().
  explicit Var(Tensor value, bool requires_grad = false);
  /// A number that takes the type of the tensor it meets.
  explicit Var(double number);

  bool defined() const { return value_.defined(); }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  int ndim() const { return value_.ndim(); }
  int64_t size(int64_t dim) const { return value_.size(dim); }
  int64_t numel() const { return value_.numel(); }
  DType dtype() const { return value_.dtype(); }
  double item() const { return value_.item(); }
  bool requires_grad() const { return static_cast<bool>(node_); }
  bool is_leaf() const { return !node_ || node_->is_leaf(); }
  bool is_number() const { return weak_; }

  /// Propagates gradients to all leaves, added to what they hold. seed: upstream gradient of this
  /// Var's shape; may be absent for one element. Throws Error when there is no history, the graph
  /// was used up by an earlier backward, or a saved value was changed in place.
  void backward(const BackwardOptions& options = {}) const;
  void backward(const Var& seed, const BackwardOptions& options = {}) const;

  /// A leaf's collected gradient; undefined when none has arrived since zero_grad().
  Var grad() const;
  void set_grad(Var gradient) const;  ///< same shape and type, or undefined
  void zero_grad() const { set_grad(Var()); }

  Var detach() const { return Var(value_, Plain{}); }  ///< the value without history
  /// Calls hook with this Var's complete gradient in every backward; a defined result replaces it.
  void register_hook(Node::Hook hook) const;

  // For the op kit.
  Var(Tensor value, NodePtr node, uint32_t output)
      : value_(std::move(value)), node_(std::move(node)), output_(output) {}
  const NodePtr& node() const { return node_; }
  uint32_t output() const { return output_; }
  void mark_number() { weak_ = true; }
  void reset() {  ///< gives up value and history
    value_.reset();
    node_ = NodePtr();
  }

 private:
  struct Plain {};
  Var(Tensor value, Plain) : value_(std::move(value)) {}

  Tensor value_;
  NodePtr node_;
  uint32_t output_ = 0;
  bool weak_ = false;
};

/// An op's argument: a Var or a number, with the line of the user's code that passed it.
struct In {
  const Var* var;
  double number = 0;
  SourceLine where;

  In(const Var& v, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : var(&v), where{file, line} {}
  In(double n, const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : var(nullptr), number(n), where{file, line} {}
  /// The argument as a Var; a number takes dtype.
  Var as_var(DType dtype) const;
  /// The Var; throws Error for a number.
  const Var& operator*() const {
    if (!var) fail("op", "needs a Var here, not a number", number);
    return *var;
  }
  /// Of the Var; throws Error where it is undefined.
  const Var* operator->() const {
    const Var& v = **this;
    if (!v.defined()) fail_undefined();
    return &v;
  }

 private:
  [[noreturn, gnu::cold]] void fail_undefined() const;
};

/// Gradients of the outputs by the inputs (leaves or not), weighted by grad_outputs (undefined:
/// ones, for outputs of one element). Leaves' grad() is not touched. An input that the outputs do
/// not depend on gets an undefined Var.
std::vector<Var> grad(const std::vector<Var>& outputs, const std::vector<Var>& inputs,
                      const std::vector<Var>& grad_outputs = {},
                      const BackwardOptions& options = {});

/// Whether ops on this thread are recorded. Every thread starts with recording on.
bool is_recording();

/// Switches recording off (or on) for the calling thread until the end of the scope.
class RecordingScope {
 public:
  explicit RecordingScope(bool on);
  ~RecordingScope();
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;

 private:
  bool before_;
};
struct NoGrad : RecordingScope {
  NoGrad() : RecordingScope(false) {}
};
struct EnableGrad : RecordingScope {
  EnableGrad() : RecordingScope(true) {}
};

/// While alive, every op's result and every gradient is checked (on this thread): the first one
/// that holds NaN or infinity throws an Error that names the op and the line that called it.
class DetectAnomaly {
 public:
  DetectAnomaly();
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  bool before_;
};
bool is_detecting_anomaly();

}  // namespace glass

extern template class std::vector<glass::Var>;  // in var.cpp
