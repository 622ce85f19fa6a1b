#include "autograd/mutants.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "autograd/gradcheck_diagnosis.h"
#include "autograd/op.h"
#include "tensor/ops.h"

namespace glass {
namespace {

using Tensors = std::vector<Tensor>;

struct Call {
  Tensors values;
  std::vector<bool> wanted;  // whose gradient
};

Call call_of(const Vars& inputs) {
  Call call;
  for (const Var& x : inputs) {
    call.values.push_back(x.defined() ? x.value().clone() : Tensor());
    call.wanted.push_back(x.defined() && x.requires_grad());
  }
  return call;
}

struct Recording {
  Vars inputs, outputs;
};

Recording record_call(const Function& f, const Call& call) {
  const EnableGrad on;
  Recording r;
  for (size_t i = 0; i < call.values.size(); ++i)
    r.inputs.push_back(call.values[i].defined() ? Var(call.values[i], call.wanted[i]) : Var());
  r.outputs = f(r.inputs);
  return r;
}

// The gradients of a recording; undefined for inputs that want none.
Tensors gradients_of(const Recording& r, const Tensors& seeds) {
  Vars used, upstream, ends;
  for (size_t o = 0; o < r.outputs.size(); ++o) {
    if (!r.outputs[o].defined() || !r.outputs[o].requires_grad() || !seeds[o].defined()) continue;
    used.push_back(r.outputs[o]);
    upstream.emplace_back(seeds[o]);
  }
  for (const Var& x : r.inputs)
    if (x.defined() && x.requires_grad()) ends.push_back(x);
  const Vars found = used.empty() ? Vars(ends.size()) : grad(used, ends, upstream);
  Tensors gradients(r.inputs.size());
  size_t next = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Var& x = r.inputs[i];
    if (!x.defined() || !x.requires_grad()) continue;
    const Var& g = found[next++];
    gradients[i] = g.defined() ? g.value().clone() : Tensor::zeros(x.shape(), x.dtype());
  }
  return gradients;
}

Tensors gradients_of(const Function& f, const Call& call, const Tensors& seeds) {
  return gradients_of(record_call(f, call), seeds);
}

Dims last_two_exchanged(int n) { return axis_orders(n)[0]; }

// The elements of x read as if its axes stood in another order, in x's shape.
Tensor misread(const Tensor& x, const Dims& axes) {
  return x.permute(axes).contiguous().reshape(x.shape());
}

class Mutant {
 public:
  Mutant(Function f, const Mutation& m, const std::string& name)
      : f_(std::move(f)),
        m_(m),
        name_(name.empty() ? text("mutant(", name_of(m.cause), ")") : name) {}
  const char* name() const { return name_.c_str(); }
  const Function& function() const { return f_; }

  void called(const Call& call) {
    if (first_.empty()) first_ = call.values;
    latest_ = call.values;
  }

  Tensors gradients(const Call& call, const Tensors& seeds) {
    Tensors right = gradients_of(f_, call, seeds);
    switch (m_.cause) {
      case CauseKind::upstream_ignored:
        return with(right, gradients_of(f_, call, changed(seeds, [](const Tensor& u) {
                                          return Tensor::ones(u.shape(), u.dtype());
                                        })));
      case CauseKind::wrong_axis:
        return with(right, gradients_of(f_, call, changed(seeds, [](const Tensor& u) {
                                          return u.ndim() < 2
                                                     ? u
                                                     : misread(u, last_two_exchanged(u.ndim()));
                                        })));
      case CauseKind::not_reduced:
        return with(right, gradients_of(f_, call, changed(seeds, [&](const Tensor& u) {
                                          return first_entry(u, m_.axis);
                                        })));
      case CauseKind::stale:
        return gradients_of(f_, {first_, call.wanted}, seeds);
      case CauseKind::overwritten:
        return gradients_of(f_, overwritten(call), seeds);
      case CauseKind::mask_ignored:
        if (m_.variant < 2) return gradients_of(f_, unmasked(call), seeds);
        right[m_.input] = filled(right[m_.input]);
        return right;
      case CauseKind::swapped:
        return exchanged(right);
      case CauseKind::twice:
        return accumulated(right);
      case CauseKind::nondeterministic:
        for (Tensor& g : right)
          if (g.defined()) g = g * (1 + 0.01 * generator_.draw_uniform());
        return right;
      case CauseKind::missing:
        right[m_.input] = Tensor();
        return right;
      default:
        right[m_.input] = broken(right[m_.input]);
        return right;
    }
  }

 private:
  // Only the gradient of the mutation's input is wrong.
  Tensors with(Tensors right, const Tensors& wrong) const {
    right[m_.input] = wrong[m_.input];
    return right;
  }
  template <class Change>
  static Tensors changed(Tensors seeds, const Change& change) {
    for (Tensor& u : seeds)
      if (u.defined()) u = change(u);
    return seeds;
  }
  static Tensor first_entry(const Tensor& u, int64_t axis) {
    if (u.ndim() <= axis || u.size(axis) == 0) return u;
    const Tensor only = Tensor::zeros(u.shape(), u.dtype());
    only.select(axis, 0).copy_(u.select(axis, 0));
    return only;
  }
  Tensor broken(const Tensor& g) const {
    const int n = g.ndim();
    switch (m_.cause) {
      case CauseKind::sign:
        return g * -1.0;
      case CauseKind::factor:
        return g * m_.factor;
      case CauseKind::transposed:
        return misread(g, last_two_exchanged(n));
      case CauseKind::permuted: {
        Dims turned;
        for (int i = 0; i < n; ++i) turned.push_back((i + 1) % n);
        return misread(g, turned);
      }
      case CauseKind::dropped:
        if (m_.axis >= 0) {
          g.select(m_.axis, g.size(m_.axis) - 1).fill_(0);
        } else {
          g.reshape({-1}).select(0, g.numel() / 2).fill_(0);
        }
        return g;
      default:  // nan
        g.reshape({-1}).select(0, g.numel() / 2).fill_(NAN);
        return g;
    }
  }
  Call overwritten(const Call& call) const {
    if (m_.variant == 0) return {latest_, call.wanted};
    Call changed = call;
    const NoGrad off;
    changed.values[m_.other] = record_call(f_, call).outputs[0].value().clone();
    return changed;
  }
  Call unmasked(const Call& call) const {
    Call changed = call;
    for (Tensor& x : changed.values)
      if (x.defined() && x.dtype() == kBool) x = Tensor::full(x.shape(), m_.variant == 0, kBool);
    return changed;
  }
  static Tensor filled(const Tensor& g) {
    std::vector<double> values = g.to_vector<double>();
    double size = 0;
    for (double v : values) size = std::max(size, std::abs(v));
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] == 0) values[i] = size * (0.5 + 0.1 * static_cast<double>(i % 5));
    return Tensor::from(values, g.shape());
  }
  Tensors exchanged(Tensors g) const {
    const Tensor a = g[m_.input], b = g[m_.other];
    g[m_.input] = b.reshape(a.shape());
    g[m_.other] = a.reshape(b.shape());
    return g;
  }
  Tensors accumulated(const Tensors& right) {
    sums_.resize(right.size());
    Tensors given(right.size());
    for (size_t i = 0; i < right.size(); ++i) {
      if (!right[i].defined()) continue;
      sums_[i] = sums_[i].defined() && sums_[i].shape() == right[i].shape() ? sums_[i] + right[i]
                                                                            : right[i];
      given[i] = sums_[i].clone();
    }
    return given;
  }

  Function f_;
  Mutation m_;
  std::string name_;
  Tensors first_, latest_, sums_;  // what calls have in common
  Generator generator_{11};
};

class MutantNode final : public Node {
 public:
  MutantNode(std::shared_ptr<Mutant> mutant, Call call, const Vars& inputs)
      : mutant_(std::move(mutant)), call_(std::move(call)) {
    for (const Var& x : inputs)
      edges_.push_back(x.defined() && x.node() ? Edge{x.node(), x.output()} : Edge{});
    set_edges(edges_);
  }
  const char* name() const override { return mutant_->name(); }
  void backward(Backward& b) override {
    Tensors seeds;
    for (uint32_t o = 0; o < outputs(); ++o)
      seeds.push_back(b.has_grad(o) ? b.grad(o).value() : Tensor());
    const Tensors gradients = mutant_->gradients(call_, seeds);
    for (size_t i = 0; i < gradients.size(); ++i)
      if (gradients[i].defined()) b.add(i, gradients[i]);
  }

 private:
  std::shared_ptr<Mutant> mutant_;
  Call call_;
  std::vector<Edge> edges_;
};

Vars call_mutant(const std::shared_ptr<Mutant>& mutant, SourceLine where, const Vars& inputs) {
  const Call call = call_of(inputs);
  const Recording r = record_call(mutant->function(), call);
  mutant->called(call);
  const bool records = is_recording() &&
                       std::find(call.wanted.begin(), call.wanted.end(), true) != call.wanted.end();
  if (!records) {
    Vars plain;
    for (const Var& y : r.outputs) plain.push_back(y.detach());
    return plain;
  }
  NodePtr node(new MutantNode(mutant, call, inputs));
  node->set_where(where);
  for (const Var& y : r.outputs) node->add_output(y.value());
  Vars outputs;
  for (uint32_t o = 0; o < r.outputs.size(); ++o) {
    const Var& y = r.outputs[o];
    outputs.push_back(y.requires_grad() ? Var(y.value(), node, o) : y);
    if (is_detecting_anomaly()) detail::check_result(node->name(), where, y.value(), node, o);
  }
  return outputs;
}

Tensors random_seeds(const Vars& outputs, Generator& generator) {
  Tensors seeds;
  for (const Var& y : outputs)
    seeds.push_back(y.defined() && is_floating(y.dtype())
                        ? away_from_zero(y.shape(), generator).to(y.dtype())
                        : Tensor());
  return seeds;
}

bool close(const Tensor& a, const Tensor& b) {
  const double difference = norm(a - b);
  return difference <= 1e-10 * std::max(norm(a), norm(b));  // false for NaN
}

}  // namespace

Function plant(const Function& f, const Mutation& mutation, const std::string& name,
               const char* file, int line) {
  const SourceLine where{file, line};
  return [mutant = std::make_shared<Mutant>(f, mutation, name), where](const Vars& inputs) {
    return call_mutant(mutant, where, inputs);
  };
}

bool is_equivalent(const Function& f, const Mutation& mutation,
                   const std::vector<Vars>& inputs) try {
  const Function mutant = plant(f, mutation);
  Generator generator(17);
  for (int round = 0; round < 2; ++round) {
    std::vector<Recording> recordings;
    for (const Vars& x : inputs) recordings.push_back({x, mutant(x)});
    for (const Recording& r : recordings) {
      const Tensors seeds = random_seeds(r.outputs, generator);
      const Tensors right = gradients_of(f, call_of(r.inputs), seeds);
      const Tensors given = gradients_of(r, seeds);
      for (size_t i = 0; i < right.size(); ++i)
        if (right[i].defined() && !close(given[i], right[i])) return false;
    }
  }
  return true;
} catch (const Error&) {  // a backward that throws is no right one
  return false;
}

}  // namespace glass
