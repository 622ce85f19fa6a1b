#include "autograd/engine.h"

#include <atomic>

#include "autograd/leaf.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/shape.h"
#include "tensor/ops.h"

namespace glass {
namespace {

std::atomic<uint64_t> last_run{0};

// Whether the tensor's storage belongs to nobody else, so that it may be changed in place.
bool is_ours(const Tensor& x) { return x.is_contiguous() && x.storage()->refs() == 1; }

void check_shape(const char* from, const Tensor& gradient, const Meta& meta) {
  if (gradient.dtype() != meta.dtype)
    fail("backward", "a gradient has the wrong type", from, " gave ", gradient.dtype(), " for ",
         meta.dtype);
  const int shift = gradient.ndim() - meta.shape.size();
  bool fits = shift >= 0;
  for (int i = 0; fits && i < meta.shape.size(); ++i)
    fits = meta.shape[i] == gradient.shape()[shift + i] || meta.shape[i] == 1;
  if (!fits)
    fail("backward", "a gradient has the wrong shape", from, " gave ", gradient.shape(), " for ",
         meta.shape);
}

}  // namespace

thread_local Engine* Engine::active_ = nullptr;

Engine::Engine(const BackwardOptions& options) : options_(options), run_(++last_run) {}

// Also after an error: no buffer may stay behind.
Engine::~Engine() {
  if (active_ == this) active_ = outer_;
  for (Node* node : order_)
    if (node->run_ == run_) delete std::exchange(node->grads_, nullptr);
}

GradBuffer& Engine::buffer(Node& node) {
  if (!node.grads_) node.grads_ = new GradBuffer(node.outputs());
  return *node.grads_;
}

// Depth first with an explicit stack; order_ gets every node after all nodes it leads to.
void Engine::visit(const std::vector<Var>& outputs, bool stop_at_captured) {
  struct Frame {
    Node* node;
    size_t next_edge;
  };
  std::vector<Frame> stack;
  auto enter = [&](Node* node) {
    if (node->run_ == run_) return;
    for (const Engine* other = active_; other; other = other->outer_)
      if (other != this && node->run_ == other->run_)
        fail("backward", "this graph is already in a backward run", "op ", node->name(),
             "; one backward per graph at a time");
    node->run_ = run_;
    node->pending_ = 0;
    // captured_ was set before by run() for this run only.
    node->needed_ = !capturing_ || node->captured_;
    stack.push_back({node, 0});
  };
  for (const Var& output : outputs) {
    if (!output.node()) continue;
    enter(output.node().get());
    while (!stack.empty()) {
      Frame& top = stack.back();
      Node* node = top.node;
      const std::span<Edge> edges = node->edges();
      if (stop_at_captured && node->captured_) top.next_edge = edges.size();
      while (top.next_edge < edges.size() && !edges[top.next_edge].node) ++top.next_edge;
      if (top.next_edge < edges.size()) {
        enter(edges[top.next_edge++].node.get());  // may move top
        continue;
      }
      order_.push_back(node);
      stack.pop_back();
    }
  }
  for (Node* node : order_) {
    if (stop_at_captured && node->captured_) continue;
    for (const Edge& edge : node->edges())
      if (edge.node) node->needed_ = node->needed_ || edge.node->needed_;
  }
  for (Node* node : order_) {
    if (!node->needed_ || (stop_at_captured && node->captured_)) continue;
    for (const Edge& edge : node->edges())
      if (edge.node && edge.node->needed_) ++edge.node->pending_;
    if (node->consumed_ && leads_on(*node))
      fail("backward", "this graph was used up by an earlier backward", "op ", node->name(),
           " called at ", node->where_.file, ":", node->where_.line,
           "; pass retain_graph to keep it");
  }
}

// Whether a gradient that arrives here is wanted further back.
bool Engine::leads_on(Node& node) const {
  for (const Edge& edge : node.edges())
    if (edge.node && edge.node->run_ == run_ && edge.node->needed_) return true;
  return false;
}

void Engine::accumulate(Node& target, uint32_t output, Var gradient, const char* from) {
  const Meta& meta = target.output(output);
  if (gradient.is_number() && gradient.dtype() != meta.dtype)
    gradient = Var(gradient.value().to(meta.dtype));
  if (!(gradient.shape() == meta.shape) || gradient.dtype() != meta.dtype) {
    check_shape(from, gradient.value(), meta);
    gradient = options_.create_graph ? sum_to(gradient, meta.shape)
                                     : Var(sum_to(gradient.value(), meta.shape));
  }
  Var& sum = buffer(target).sum(output);
  if (!sum.defined())
    sum = std::move(gradient);
  else if (options_.create_graph)
    sum = sum + gradient;
  else if (is_ours(sum.value()))
    sum.value().add_(gradient.value());
  else
    sum = Var(sum.value() + gradient.value());
}

// All deferred products of an output as one: the lefts and the rights are joined along their common
// axis.
void Engine::flush_products(GradBuffer& buffer) {
  if (buffer.products.empty()) return;
  const std::vector<Product> products = std::exchange(buffer.products, {});
  for (uint32_t output = 0; output < buffer.outputs(); ++output) {
    std::vector<Tensor> lefts, rights;
    for (const Product& product : products) {
      if (product.output != output) continue;
      lefts.push_back(product.left);
      rights.push_back(product.right);
    }
    if (lefts.empty()) continue;
    const Tensor left = lefts.size() == 1 ? lefts[0] : cat(lefts, -2);
    const Tensor right = rights.size() == 1 ? rights[0] : cat(rights, -2);
    Var& sum = buffer.sum(output);
    if (left.ndim() == 2 && sum.defined() && is_ours(sum.value())) {
      gemm_into(left.transpose(0, 1), right, 1, sum.value());
    } else {
      const Tensor product = matmul(left.transpose(-2, -1), right);
      sum = Var(sum.defined() ? sum.value() + product : product);
    }
  }
}

void Engine::call_hooks(Node& node, GradBuffer& buffer) {
  if (!node.hooks_) return;
  for (auto& [output, hook] : *node.hooks_) {
    Var& gradient = buffer.sum(output);
    if (!gradient.defined()) continue;
    Var changed = hook(gradient);
    if (!changed.defined()) continue;
    if (!(changed.shape() == gradient.shape()) || changed.dtype() != gradient.dtype())
      fail("backward", "a hook changed the gradient's shape or type", gradient.shape(), " to ",
           changed.shape());
    gradient = std::move(changed);
  }
}

void Engine::check_gradient(const Node& from, const Tensor& gradient) const {
  if (!is_detecting_anomaly() || all_finite(gradient)) return;
  fail("anomaly", "backward made a NaN or an infinity", "op ", from.name(), ", called at ",
       from.where_.file, ":", from.where_.line);
}

void Engine::finish(Node& node) {
  for (Edge& edge : node.edges()) {
    if (!edge.node || edge.node->run_ != run_ || !edge.node->needed_) continue;
    if (--edge.node->pending_ == 0) ready_.push_back(edge.node);
  }
}

std::vector<Var> Engine::run(const std::vector<Var>& outputs, const std::vector<Var>& seeds,
                             const std::vector<Var>& captured, bool stop_at_captured) {
  capturing_ = !captured.empty() || stop_at_captured;
  outer_ = std::exchange(active_, this);
  struct Unmark {  // captured_ must not outlive the run, whatever happens
    const std::vector<Var>& vars;
    void (*set)(Node&, bool);
    ~Unmark() {
      for (const Var& v : vars) set(*v.node().get(), false);
    }
  } unmark{captured, [](Node& node, bool on) { node.captured_ = on; }};
  for (const Var& v : captured) unmark.set(*v.node().get(), true);

  visit(outputs, stop_at_captured);
  const RecordingScope recording(options_.create_graph);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Var& output = outputs[i];
    if (!output.node() || !output.node()->needed_) continue;
    Var seed = seeds[i];
    if (!seed.defined()) {
      if (output.numel() != 1)
        fail("backward", "needs an upstream gradient unless there is one element", "shape ",
             output.shape());
      seed = Var(Tensor::ones(output.shape(), output.dtype()));
    } else if (!(seed.shape() == output.shape()) || seed.dtype() != output.dtype()) {
      fail("backward", "the upstream gradient does not fit", seed.shape(), " ", seed.dtype(),
           " for ", output.shape(), " ", output.dtype());
    }
    accumulate(*output.node().get(), output.output(), seed, "the seed");
  }
  for (const Var& output : outputs) {
    Node* node = output.node().get();
    if (node && node->needed_ && node->pending_ == 0 && node->grads_) {
      bool listed = false;
      for (const NodePtr& other : ready_) listed = listed || other.get() == node;
      if (!listed) ready_.push_back(output.node());
    }
  }

  std::vector<Var> results(captured.size());
  while (!ready_.empty()) {
    const NodePtr node = std::move(ready_.back());
    ready_.pop_back();
    const std::unique_ptr<GradBuffer> buffer(std::exchange(node->grads_, nullptr));
    if (buffer) {
      flush_products(*buffer);
      call_hooks(*node.get(), *buffer);
      if (node->captured_)
        for (size_t i = 0; i < captured.size(); ++i)
          if (captured[i].node().get() == node.get())
            results[i] = buffer->sum(captured[i].output());
    }
    if (node->captured_ && stop_at_captured) continue;
    const bool runs = node->is_leaf() ? !capturing_ : leads_on(*node.get());
    if (buffer && runs) {
      Backward b(*this, *node.get(), *buffer, options_.create_graph);
      node->backward(b);
    }
    finish(*node.get());
    if (runs && !options_.retain_graph && !options_.create_graph && !node->is_leaf()) {
      node->release_saved();
      node->consumed_ = true;
    }
  }
  order_.clear();  // every buffer was taken; some nodes may be gone
  active_ = outer_;
  return results;
}

Edge& Backward::edge(size_t i) { return node_.edges()[i]; }

const Var& Backward::grad(uint32_t output) {
  Var& gradient = buffer_.sum(output);
  if (!gradient.defined()) {
    const Meta& meta = node_.output(output);
    gradient = Var(Tensor::zeros(meta.shape, meta.dtype));
  }
  return gradient;
}

bool Backward::needs(size_t i) const {
  if (i >= node_.edges().size())
    fail(node_.name(), "its backward names an input that it does not have", "input ",
         static_cast<int64_t>(i), " of ", node_.edges().size());
  const Edge& edge = node_.edges()[i];
  return edge.node && edge.node->needed_;
}

void Backward::add(size_t i, Var gradient) {
  if (!needs(i) || !gradient.defined()) return;
  engine_.check_gradient(node_, gradient.value());
  engine_.accumulate(*edge(i).node.get(), edge(i).output, std::move(gradient), node_.name());
}

void Backward::add_slice(size_t i, int64_t dim, int64_t start, const Var& gradient) {
  if (!needs(i)) return;
  const Meta& meta = edge(i).node->output(edge(i).output);
  const int64_t after =
      meta.shape[normalize_dim("add_slice", dim, meta.shape.size())] - start - gradient.size(dim);
  if (create_graph_) return add(i, pad_zeros(gradient, dim, start, after));
  engine_.check_gradient(node_, gradient.value());
  accumulator(i).narrow(dim, start, gradient.size(dim)).add_(gradient.value());
}

Tensor Backward::accumulator(size_t i) {
  Node& target = *edge(i).node.get();
  const Meta& meta = target.output(edge(i).output);
  Var& sum = engine_.buffer(target).sum(edge(i).output);
  if (!sum.defined())
    sum = Var(Tensor::zeros(meta.shape, meta.dtype));
  else if (!is_ours(sum.value()))
    sum = Var(sum.value().clone());
  return sum.value();
}

void Backward::add_product(size_t i, const Tensor& left, const Tensor& right) {
  if (!needs(i)) return;
  Node& target = *edge(i).node.get();
  const uint32_t output = edge(i).output;
  const Shape& shape = target.output(output).shape;
  const int n = shape.size();
  if ((n != 2 && n != 3) || left.ndim() != n || right.ndim() != n ||
      left.size(-1) != shape[n - 2] || right.size(-1) != shape[n - 1] ||
      left.size(-2) != right.size(-2) ||
      (n == 3 && (left.size(0) != shape[0] || right.size(0) != shape[0])))
    fail("backward", "a product does not fit the gradient", left.shape(), "ᵀ · ", right.shape(),
         " for ", shape);
  engine_.check_gradient(node_, left);
  engine_.buffer(target).products.push_back({left, right, output});
}

// The leaf keeps a dense gradient of its own.
void Leaf::backward(Backward& b) {
  const Var& arrived = b.grad();
  if (grad.defined() && !b.create_graph() && !grad.requires_grad() && is_ours(grad.value())) {
    grad.value().add_(arrived.value());
  } else if (grad.defined()) {
    grad = b.create_graph() ? grad + arrived : Var(grad.value() + arrived.value());
  } else if (b.create_graph()) {
    grad = arrived;
  } else {
    // One reference is the buffer's; any other would see our changes in place.
    const bool own = arrived.value().is_contiguous() && arrived.value().storage()->refs() == 1;
    grad = own ? arrived.detach() : Var(arrived.value().clone());
  }
}

}  // namespace glass
