#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace glass {

class Node;
class Var;
class Backward;
struct GradBuffer;

/// Where the user called an op.
struct SourceLine {
  const char* file = "";
  int line = 0;
};

/// Counted reference to a Node; not atomic: a graph belongs to one thread. Dropping the last
/// reference frees the node, and what only it kept alive, without recursion.
class NodePtr {
 public:
  NodePtr() = default;
  explicit NodePtr(Node* owned) : node_(owned) {}  ///< takes over one reference
  NodePtr(const NodePtr& other);
  NodePtr(NodePtr&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodePtr& operator=(NodePtr other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodePtr();
  static NodePtr share(Node* node);

  Node* get() const { return node_; }
  Node* operator->() const { return node_; }
  explicit operator bool() const { return node_; }

 private:
  Node* node_ = nullptr;
};

/// Shape and type of a node's output: what a gradient for it must have.
struct Meta {
  Shape shape;
  DType dtype = kFloat32;
};

/// The place a gradient goes to: an output of an earlier node. No node: no gradient wanted.
struct Edge {
  NodePtr node;
  uint32_t output = 0;
};

/// One recorded application of an op, or a leaf (a Var the user made with requires_grad).
class Node {
 public:
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  virtual const char* name() const = 0;
  /// Gives b one gradient per input: b.add(i, ...). What is not given counts as zero; the engine
  /// sums to the input's shape and accumulates.
  virtual void backward(Backward& b) = 0;
  /// Drops what was saved for backward.
  virtual void release_saved() {}
  std::span<Edge> edges() { return edges_; }
  virtual bool is_leaf() const { return false; }

  SourceLine where() const { return where_; }
  const Meta& output(uint32_t i) const { return i == 0 ? first_output_ : more_outputs_[i - 1]; }
  uint32_t outputs() const { return 1 + static_cast<uint32_t>(more_outputs_.size()); }
  void add_output(const Tensor& value) {
    if (has_output_)
      more_outputs_.push_back({value.shape(), value.dtype()});
    else
      first_output_ = {value.shape(), value.dtype()};
    has_output_ = true;
  }
  void set_where(SourceLine where) { where_ = where; }
  bool consumed() const { return consumed_; }

  using Hook = std::function<Var(const Var&)>;
  void add_hook(uint32_t output, Hook hook);

  static void* operator new(size_t bytes) { return pool_allocate(bytes); }
  static void operator delete(void* block, size_t bytes) { pool_free(block, bytes); }

 protected:
  Node() = default;
  /// Where the derived node keeps its edges; must be called before the node is used.
  void set_edges(std::span<Edge> edges) { edges_ = edges; }

 private:
  friend class NodePtr;
  friend class Engine;
  friend class Backward;

  uint32_t refs_ = 1;
  uint32_t pending_ = 0;  // consumers that have not yet sent their gradient; for the engine
  uint64_t run_ = 0;      // the backward run that visited this node last
  union {
    GradBuffer* grads_ = nullptr;  // upstream gradients during a run
    Node* next_doomed_;            // while waiting to be freed
  };
  std::span<Edge> edges_;
  SourceLine where_;
  bool has_output_ = false, consumed_ = false, captured_ = false, needed_ = false;
  Meta first_output_;
  std::vector<Meta> more_outputs_;
  std::unique_ptr<std::vector<std::pair<uint32_t, Hook>>> hooks_;

  static void destroy(Node* node) noexcept;
};

inline NodePtr::NodePtr(const NodePtr& other) : node_(other.node_) {
  if (node_) ++node_->refs_;
}
inline NodePtr::~NodePtr() {
  if (node_ && --node_->refs_ == 0) Node::destroy(node_);
}
inline NodePtr NodePtr::share(Node* node) {
  if (node) ++node->refs_;
  return NodePtr(node);
}

}  // namespace glass
