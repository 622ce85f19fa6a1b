#pragma once

#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "autograd/engine.h"
#include "autograd/var.h"

// The op kit: how a struct becomes a differentiable function.
//
//   struct Transpose {                               // a structured op
//     static constexpr const char* name = "transpose";
//     int64_t dim0, dim1;                            // parameters
//     Tensor forward(const Tensor& x) const { return x.transpose(dim0, dim1); }
//     void backward(Backward& b, const Saved&) const {
//       b.add(0, transpose(b.grad(), dim0, dim1));   // written with differentiable functions
//     }
//   };
//   Var transpose(In x, int64_t dim0, int64_t dim1) { return record(Transpose{dim0, dim1}, x); }
//
// `static constexpr Keep keep{.inputs = 0b01, .outputs = 0b1}` saves input 0 and output 0 for the
// backward (Saved). A fused op also has `definition(Var...)`, the same function composed of simple
// ops: its backward works on plain tensors, and higher derivatives go through the definition; it
// keeps all its inputs by itself. Other tensors that backward needs are members set by forward.
namespace glass {

/// Which inputs and outputs (bit i for number i) a backward reads.
struct Keep {
  unsigned inputs = 0, outputs = 0;
};

/// A value kept for the backward, and its storage's version when it was kept.
struct Kept {
  Var value;
  uint32_t version = 0;
};
void check_version(const Node& node, const Kept& kept);
[[noreturn]] void fail_not_kept(const Node& node, const char* what, int i);

/// What an op kept. input(i) and output(i) throw Error when the value was changed in place since,
/// or is not among what the op keeps.
class Saved {
 public:
  Saved(Node& node, std::span<const Kept> inputs, unsigned input_mask,
        std::span<const Kept> outputs, unsigned output_mask)
      : node_(node),
        inputs_(inputs),
        outputs_(outputs),
        input_mask_(input_mask),
        output_mask_(output_mask) {}
  const Var& input(int i) const { return checked("input", inputs_, input_mask_, i); }
  /// An output, connected to the node that made it.
  Var output(int i = 0) const {
    return Var(checked("output", outputs_, output_mask_, i).value(), NodePtr::share(&node_),
               static_cast<uint32_t>(i));
  }
  const Tensor& output_value(int i = 0) const {
    return checked("output", outputs_, output_mask_, i).value();
  }

 private:
  const Var& checked(const char* what, std::span<const Kept> kept, unsigned mask, int i) const {
    const unsigned bit = i >= 0 && i < 32 ? 1u << i : 0;
    const auto place = static_cast<size_t>(std::popcount(mask & (bit - 1)));
    if (!(mask & bit) || place >= kept.size()) fail_not_kept(node_, what, i);
    const Kept& k = kept[place];
    check_version(node_, k);
    return k.value;
  }
  Node& node_;
  std::span<const Kept> inputs_, outputs_;
  unsigned input_mask_, output_mask_;
};

template <class Op>
concept HasKeep = requires {
  Op::keep;
};
template <class Op>
concept Fused = requires {
  &Op::definition;
};

namespace detail {

template <class Op>
constexpr Keep keep_of() {
  if constexpr (Fused<Op>) {
    Keep all{~0u, 0};
    if constexpr (HasKeep<Op>) all.outputs = Op::keep.outputs;
    return all;
  } else if constexpr (HasKeep<Op>) {
    return Op::keep;
  } else {
    return {};
  }
}

/// The outputs of a fused op's definition on the given inputs, and through them the gradients of
/// the inputs: what create_graph runs instead of the op's own backward.
void backward_by_definition(Backward& b, const Node& node, const std::vector<Var>& inputs,
                            const std::function<std::vector<Var>(const std::vector<Var>&)>& f);

/// In anomaly mode: shows a result to who watches the tape (tape_watch.h), else checks it. node:
/// what recorded it, if anything.
void check_result(const char* op, SourceLine where, const Tensor& value, const NodePtr& node,
                  uint32_t output);

template <class Op, size_t N>
constexpr size_t kept_inputs() {
  constexpr unsigned mask = N >= 32 ? ~0u : (1u << N) - 1;
  return static_cast<size_t>(std::popcount(keep_of<Op>().inputs & mask));
}
template <class Op>
constexpr size_t kept_outputs() {
  return static_cast<size_t>(std::popcount(keep_of<Op>().outputs));
}

/// The type that numbers among the inputs take: that of the first tensor that is not bool.
template <class... Inputs>
DType number_dtype(const Inputs&... in) {
  DType dtype = kFloat64;
  const auto decides = [&](const In& x) {
    if (!x.var || x.var->is_number() || x.var->dtype() == kBool) return false;
    dtype = x.var->dtype();
    return true;
  };
  static_cast<void>((... || decides(in)));
  return dtype;
}

/// A node for an op with N inputs.
template <class Op, size_t N>
class OpNode final : public Node {
 public:
  OpNode(Op op, const std::array<const Var*, N>& inputs) : op_(std::move(op)) {
    set_edges(inputs_edges_);
    size_t kept = 0;
    for (size_t i = 0; i < N; ++i) {
      const Var& v = *inputs[i];
      if (v.node()) inputs_edges_[i] = {v.node(), v.output()};
      if (keep_of<Op>().inputs & (1u << i)) {
        if (v.defined()) inputs_[kept] = {v, v.value().version()};
        ++kept;
      }
    }
  }
  void keep_output(int i, const Tensor& value) {
    if (keep_of<Op>().outputs & (1u << i))
      outputs_[static_cast<size_t>(std::popcount(keep_of<Op>().outputs & ((1u << i) - 1)))] = {
          Var(value), value.version()};
  }
  const char* name() const override { return Op::name; }

  void backward(Backward& b) override {
    const Saved saved(*this, inputs_, keep_of<Op>().inputs, outputs_, keep_of<Op>().outputs);
    if constexpr (Fused<Op>) {
      if (b.create_graph()) {
        std::vector<Var> inputs;
        for (size_t i = 0; i < N; ++i) inputs.push_back(saved.input(static_cast<int>(i)));
        return backward_by_definition(b, *this, inputs, [this](const std::vector<Var>& in) {
          return [&]<size_t... I>(std::index_sequence<I...>) {
            return as_vector(op_->definition(in[I]...));
          }
          (std::make_index_sequence<N>{});
        });
      }
    }
    op_->backward(b, saved);
  }
  void release_saved() override {
    for (Kept& kept : inputs_) kept.value.reset();
    for (Kept& kept : outputs_) kept.value.reset();
    op_.reset();
  }

 private:
  static std::vector<Var> as_vector(Var v) { return {std::move(v)}; }
  static std::vector<Var> as_vector(std::vector<Var> v) { return v; }
  template <size_t K>
  static std::vector<Var> as_vector(const std::array<Var, K>& v) {
    return {v.begin(), v.end()};
  }

  std::optional<Op> op_;
  std::array<Edge, N> inputs_edges_;
  std::array<Kept, kept_inputs<Op, N>()> inputs_;
  std::array<Kept, kept_outputs<Op>()> outputs_;
};

}  // namespace detail

/// Runs op.forward on the inputs' values and, when recording is on and an input requires a
/// gradient, adds a node to the graph. Numbers among the inputs take the type of the first Var.
/// forward may return a Tensor or a std::array of them; so does record.
template <class Op, class... Inputs>
requires(std::is_same_v<Inputs, In>&&...) auto record(Op op, SourceLine where,
                                                      const Inputs&... in) {
  constexpr size_t N = sizeof...(Inputs);
  const DType dtype = detail::number_dtype(in...);
  std::array<std::optional<Var>, N> converted;  // numbers, in the tensors' type
  size_t position = 0;
  std::array<const Var*, N> inputs{};
  const auto take = [&](const In& x) {
    if (!x.var || x.var->is_number()) converted[position] = x.as_var(dtype);
    inputs[position] = converted[position] ? &*converted[position] : x.var;
    ++position;
  };
  (take(in), ...);
  bool needed = false;
  for (const Var* v : inputs) needed = needed || v->requires_grad();
  needed = needed && is_recording();
  if constexpr (requires { op.recording; }) op.recording = needed;

  auto values = [&]<size_t... I>(std::index_sequence<I...>) {
    return op.forward(inputs[I]->value()...);
  }
  (std::make_index_sequence<N>{});
  constexpr bool single = std::is_same_v<decltype(values), Tensor>;

  auto finish = [&](NodePtr node) {
    if constexpr (single) {
      if (is_detecting_anomaly()) detail::check_result(Op::name, where, values, node, 0);
      return Var(std::move(values), std::move(node), 0);
    } else {
      std::array<Var, std::tuple_size_v<decltype(values)>> out;
      for (size_t i = 0; i < out.size(); ++i) {
        const uint32_t number = static_cast<uint32_t>(i);
        if (is_detecting_anomaly()) detail::check_result(Op::name, where, values[i], node, number);
        const bool differentiable = is_floating(values[i].dtype());
        out[i] = Var(std::move(values[i]), differentiable ? node : NodePtr(), number);
      }
      return out;
    }
  };
  if (!needed) return finish({});
  auto* node = new detail::OpNode<Op, N>(std::move(op), inputs);
  NodePtr owner(node);
  node->set_where(where);
  if constexpr (single) {
    node->add_output(values);
    node->keep_output(0, values);
  } else {
    for (size_t i = 0; i < values.size(); ++i) {
      node->add_output(values[i]);
      node->keep_output(static_cast<int>(i), values[i]);
    }
  }
  return finish(std::move(owner));
}

template <class Op, class... Inputs>
requires(std::is_same_v<Inputs, In>&&...) auto record(Op op, const In& first,
                                                      const Inputs&... rest) {
  return record(std::move(op), first.where, first, rest...);
}

/// As record, for ops that take a list: op.forward(span of Tensor), op.backward(Backward&, span of
/// input shapes). Nothing is kept.
template <class Op>
Var record_list(Op op, SourceLine where, const std::vector<Var>& inputs);

namespace detail {

template <class Op>
class ListNode final : public Node {
 public:
  ListNode(Op op, const std::vector<Var>& inputs) : op_(std::move(op)) {
    for (const Var& v : inputs) {
      edges_.push_back({v.node(), v.output()});
      shapes_.push_back(v.shape());
    }
    set_edges(edges_);
  }
  const char* name() const override { return Op::name; }
  void backward(Backward& b) override { op_.backward(b, shapes_); }

 private:
  Op op_;
  std::vector<Edge> edges_;
  std::vector<Shape> shapes_;
};

}  // namespace detail

template <class Op>
Var record_list(Op op, SourceLine where, const std::vector<Var>& inputs) {
  std::vector<Tensor> values;
  bool needed = false;
  for (const Var& v : inputs) {
    values.push_back(v.value());
    needed = needed || v.requires_grad();
  }
  Tensor out = op.forward(values);
  NodePtr node;
  if (needed && is_recording()) {
    node = NodePtr(new detail::ListNode<Op>(std::move(op), inputs));
    node->set_where(where);
    node->add_output(out);
  }
  if (is_detecting_anomaly()) detail::check_result(Op::name, where, out, node, 0);
  return Var(std::move(out), std::move(node), 0);
}

}  // namespace glass
