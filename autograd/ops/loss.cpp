#include "autograd/ops/loss.h"

#include "autograd/op.h"
#include "autograd/ops/activation.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "tensor/kernels.h"

namespace glass {
namespace {

Var reduce(const Var& losses, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::mean:
      return mean(losses);
    case LossReduction::sum:
      return sum(losses);
    default:
      return losses;
  }
}

/// The targets of a loss over classes, checked.
struct Targets {
  Tensor target;  // int64, dense
  Tensor weight;  // [C], or undefined
  int64_t classes, ignore_index;
  double counted = 0;  // (weighted) number of those that count

  Targets(const char* op, const Tensor& t, const CrossEntropyOptions& options, int64_t c)
      : target(t.contiguous()),
        weight(options.weight.defined() ? options.weight.contiguous() : Tensor()),
        classes(c),
        ignore_index(options.ignore_index) {
    const int64_t* ids = target.data<int64_t>();
    const Tensor weights = weight.defined() ? weight.to(kFloat64) : Tensor();
    const double* w = weights.defined() ? weights.data<double>() : nullptr;
    for (int64_t i = 0; i < target.numel(); ++i) {
      if (ids[i] == ignore_index) continue;
      if (ids[i] < 0 || ids[i] >= classes)
        fail(op, "target out of range", ids[i], " at place ", i, "; need 0 … ", classes - 1,
             " or ignore_index ", ignore_index);
      counted += w ? w[ids[i]] : 1;
    }
  }

  double divisor(LossReduction reduction) const {
    return reduction == LossReduction::mean && counted != 0 ? counted : 1;
  }
  Var counts() const { return ne(Var(target), static_cast<double>(ignore_index)); }
  // -w[target]·log_probs[target], 0 where ignored; not yet reduced.
  Var losses(const Var& log_probs) const {
    if (target.numel() == 0 || classes == 0) return sum(log_probs, {-1});
    const Var ids(unsqueeze(where(counts(), Var(target), Var(Tensor::zeros({}, kInt64))), -1));
    const Var picked = squeeze(gather(log_probs, -1, ids), -1);
    return where(counts(), -(weight.defined() ? picked * weight_of(ids) : picked), 0.0);
  }
  Var finish(const Var& losses, LossReduction reduction) const {
    if (reduction == LossReduction::none) return losses;
    return sum(losses) / divisor(reduction);
  }

 private:
  Var weight_of(const Var& ids) const {
    const Tensor flat = ids.value().reshape({ids.numel()});
    return reshape(gather(Var(weight), 0, Var(flat)), target.shape());
  }
};

struct CrossEntropy {
  static constexpr const char* name = "cross_entropy";
  CrossEntropyOptions options;
  CrossEntropyRows rows{};
  double divisor = 1;

  static Tensor as_rows(const Tensor& x) {
    const int64_t classes = x.size(-1);
    return x.contiguous().reshape({classes > 0 ? x.numel() / classes : 0, classes});
  }
  Tensor forward(const Tensor& x, const Tensor& target) {
    const Targets targets(name, target, options, x.size(-1));
    divisor = targets.divisor(options.reduction);
    const int64_t n = targets.target.numel();
    if (n == 0 || x.numel() == 0)
      return Tensor::zeros(options.reduction == LossReduction::none ? target.shape() : Shape{},
                           x.dtype());
    rows = {as_rows(x),
            targets.target.reshape({n}),
            targets.weight,
            options.ignore_index,
            options.label_smoothing,
            Tensor::empty({n}, x.dtype()),
            Tensor::empty({n}, x.dtype())};
    const Tensor losses = Tensor::empty({n}, x.dtype());
    kernels(x).cross_entropy(rows, losses);
    rows.x.reset();  // kept as an input
    if (options.reduction == LossReduction::none) return losses.reshape(target.shape());
    double total = 0;
    visit_floating(name, x.dtype(), [&]<class T>(T) {
      for (int64_t i = 0; i < n; ++i) total += static_cast<double>(losses.data<T>()[i]);
    });
    return Tensor::scalar(total / divisor, x.dtype());
  }
  void backward(Backward& b, const Saved& saved) const {
    const Tensor& x = saved.input(0).value();
    static_cast<void>(saved.input(1));  // throws when the targets were changed since
    const Tensor dx = Tensor::empty(x.shape(), x.dtype());
    if (dx.numel() > 0) {
      CrossEntropyRows r = rows;
      r.x = as_rows(x);
      kernels(x).cross_entropy_backward(r, b.grad().value().contiguous(), 1 / divisor, as_rows(dx));
    }
    b.add(0, dx);
  }
  Var definition(const Var& x, const Var& target) const {
    const Targets targets(name, target.value(), options, x.size(-1));
    const Var log_probs = log_softmax(x, -1);
    const double epsilon = options.label_smoothing;
    Var losses = targets.losses(log_probs);
    if (epsilon > 0 && x.numel() > 0) {
      const Var weighted = targets.weight.defined() ? log_probs * Var(targets.weight) : log_probs;
      const Var spread = sum(weighted, {-1}) * (-epsilon / static_cast<double>(targets.classes));
      losses = losses * (1 - epsilon) + where(targets.counts(), spread, 0.0);
    }
    return targets.finish(losses, options.reduction);
  }
};

// The classes to the last axis.
Var classes_last(const Var& x, int64_t class_dim) {
  const int dim = normalize_dim("class_dim", class_dim, x.ndim());
  Dims order;
  for (int i = 0; i < x.ndim(); ++i)
    if (i != dim) order.push_back(i);
  order.push_back(dim);
  return dim == x.ndim() - 1 ? x : permute(x, order);
}

void check_options(const char* op, const Var& input, const CrossEntropyOptions& options) {
  if (!is_floating(input.dtype()))
    fail(op, "input must be float32 or float64", "got ", name_of(input.dtype()));
  if (input.ndim() == 0) fail(op, "input needs an axis of classes", "got a number");
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    fail(op, "label_smoothing must be in [0, 1]", options.label_smoothing);
  const Tensor& weight = options.weight;
  if (!weight.defined()) return;
  check_same_dtype(op, input.dtype(), weight.dtype());
  if (!(weight.shape() == Shape{input.size(options.class_dim)}))
    fail(op, "weight must have one value per class", weight.shape(), " for ",
         input.size(options.class_dim), " classes");
}

void check_target(const char* op, const Var& input, const Var& target) {
  if (target.dtype() != kInt64)
    fail(op, "target must be int64, or class probabilities of the type of input", "got ",
         name_of(target.dtype()));
  Shape expected = input.shape();
  expected.erase(expected.size() - 1);
  if (!(target.shape() == expected))
    fail(op, "target must have the shape of input without the classes", target.shape(), " for ",
         input.shape(), "; need ", expected);
}

// -Σ_c w_c·((1 - ε)·t_c + ε / C)·log p_c
Var with_probabilities(const Var& x, const Var& target, const CrossEntropyOptions& options) {
  if (!(x.shape() == target.shape()))
    fail("cross_entropy", "class probabilities must have the shape of input", target.shape(),
         " for ", x.shape());
  check_same_dtype("cross_entropy", x.dtype(), target.dtype());
  const double epsilon = options.label_smoothing, classes = static_cast<double>(x.size(-1));
  Var q = epsilon > 0 ? target * (1 - epsilon) + epsilon / classes : target;
  if (options.weight.defined()) q = q * Var(options.weight);
  return reduce(-sum(log_softmax(x, -1) * q, {-1}), options.reduction);
}

}  // namespace

Var cross_entropy(In input, const Var& target, const CrossEntropyOptions& options) {
  check_options("cross_entropy", *input, options);
  const Var x = classes_last(*input, options.class_dim);
  if (is_floating(target.dtype()))
    return with_probabilities(x, classes_last(target, options.class_dim), options);
  check_target("cross_entropy", x, target);
  return record(CrossEntropy{options}, input.where, In(x), In(target));
}

Var nll_loss(In log_probs, const Var& target, const CrossEntropyOptions& options) {
  check_options("nll_loss", *log_probs, options);
  if (options.label_smoothing != 0)
    fail("nll_loss", "has no label smoothing", options.label_smoothing, "; use cross_entropy");
  const Var x = classes_last(*log_probs, options.class_dim);
  check_target("nll_loss", x, target);
  const Targets targets("nll_loss", target.value(), options, x.size(-1));
  return targets.finish(targets.losses(x), options.reduction);
}

namespace {

Var difference(const char* op, In input, In target) {
  if (input.var && target.var && !(input->shape() == target->shape()))
    fail(op, "input and target must have one shape", input->shape(), " and ", target->shape());
  return sub(input, target);
}

}  // namespace

Var mse_loss(In input, In target, LossReduction reduction) {
  return reduce(square(difference("mse_loss", input, target)), reduction);
}

Var l1_loss(In input, In target, LossReduction reduction) {
  return reduce(abs(difference("l1_loss", input, target)), reduction);
}

Var smooth_l1_loss(In input, In target, LossReduction reduction, double beta) {
  if (!(beta >= 0)) fail("smooth_l1_loss", "beta must not be negative", beta);
  if (beta == 0) return l1_loss(input, target, reduction);
  return huber_loss(input, target, reduction, beta) / beta;
}

Var huber_loss(In input, In target, LossReduction reduction, double delta) {
  if (!(delta > 0)) fail("huber_loss", "delta must be positive", delta);
  const Var d = abs(difference("huber_loss", input, target));
  return reduce(where(d < delta, square(d) * 0.5, (d - delta / 2) * delta), reduction);
}

Var binary_cross_entropy_with_logits(In input, In target, const BceOptions& options) {
  const char* op = "binary_cross_entropy_with_logits";
  if (!(input->shape() == target->shape()))
    fail(op, "input and target must have one shape", input->shape(), " and ", target->shape());
  Var positive = *target * logsigmoid(input);
  if (options.pos_weight.defined()) positive = positive * Var(options.pos_weight);
  Var losses = -(positive + (1.0 - *target) * logsigmoid(-*input));
  if (options.weight.defined()) losses = losses * Var(options.weight);
  if (!(losses.shape() == input->shape()))
    fail(op, "weights must fit the input", losses.shape(), " for ", input->shape());
  return reduce(losses, options.reduction);
}

}  // namespace glass
