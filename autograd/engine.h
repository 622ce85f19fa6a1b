#pragma once

#include <vector>

#include "autograd/var.h"

namespace glass {

/// A pair whose product leftᵀ·right is part of the gradient of an output: left [n, rows], right
/// [n, columns]; both may have a leading batch axis.
struct Product {
  Tensor left, right;
  uint32_t output = 0;
};

/// The upstream gradients that a node has received so far in a run, one per output.
struct GradBuffer {
  explicit GradBuffer(uint32_t outputs) : more(outputs - 1) {}
  Var& sum(uint32_t output) { return output == 0 ? first : more[output - 1]; }
  uint32_t outputs() const { return 1 + static_cast<uint32_t>(more.size()); }

  Var first;  // most nodes have one output: no list for them
  std::vector<Var> more;
  std::vector<Product> products;  // deferred parts
  static void* operator new(size_t bytes) { return pool_allocate(bytes); }
  static void operator delete(void* block, size_t bytes) { pool_free(block, bytes); }
};

/// What a node's backward sees: the upstream gradients, and a sink per input.
class Backward {
 public:
  Backward(class Engine& engine, Node& node, GradBuffer& buffer, bool create_graph)
      : engine_(engine), node_(node), buffer_(buffer), create_graph_(create_graph) {}

  /// Upstream gradient of an output; zeros when nothing arrived there.
  const Var& grad(uint32_t output = 0);
  bool has_grad(uint32_t output) const { return buffer_.sum(output).defined(); }
  /// Whether anybody wants the gradient of input i.
  bool needs(size_t i) const;
  bool create_graph() const { return create_graph_; }

  /// Adds to the gradient of input i; sums over axes that were broadcast.
  void add(size_t i, Var gradient);
  void add(size_t i, Tensor gradient) { add(i, Var(std::move(gradient))); }
  /// Adds gradient to the part dim, start... of the gradient of input i.
  void add_slice(size_t i, int64_t dim, int64_t start, const Var& gradient);
  /// Adds leftᵀ·right, left [n, rows] and right [n, columns], to the gradient of input i, which is
  /// [rows, columns]. For a weight that is used several times, the products are gathered and done
  /// as one when the last has arrived. With a leading batch axis: one product per batch entry, to a
  /// gradient [B, rows, columns]. Not under create_graph.
  void add_product(size_t i, const Tensor& left, const Tensor& right);
  /// The gradient of input i so far as a dense tensor of its shape, to add to in place; zeros when
  /// nothing has arrived. For this call of backward only; not under create_graph.
  Tensor accumulator(size_t i);

 private:
  Edge& edge(size_t i);
  class Engine& engine_;
  Node& node_;
  GradBuffer& buffer_;
  bool create_graph_;
};

/// One backward run: gradients flow in the order of ready counts, without recursion.
class Engine {
 public:
  explicit Engine(const BackwardOptions& options);
  ~Engine();

  /// captured: outputs whose gradients are returned instead of collected in leaves; with
  /// stop_at_captured the run does not look beyond them.
  std::vector<Var> run(const std::vector<Var>& outputs, const std::vector<Var>& seeds,
                       const std::vector<Var>& captured, bool stop_at_captured);

 private:
  friend class Backward;
  void visit(const std::vector<Var>& outputs, bool stop_at_captured);
  void accumulate(Node& target, uint32_t output, Var gradient, const char* from);
  GradBuffer& buffer(Node& node);
  void finish(Node& node);
  bool leads_on(Node& node) const;
  void flush_products(GradBuffer& buffer);
  void call_hooks(Node& node, GradBuffer& buffer);
  void check_gradient(const Node& from, const Tensor& gradient) const;

  static thread_local Engine* active_;  // the innermost run of this thread
  Engine* outer_ = nullptr;             // the run inside whose hook or op this one runs
  BackwardOptions options_;
  uint64_t run_;
  bool capturing_ = false;
  std::vector<Node*> order_;  // visited nodes, inputs before their users
  std::vector<NodePtr> ready_;
};

}  // namespace glass
