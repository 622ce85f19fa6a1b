#include "autograd/ops/cross_entropy.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/indexing.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"
#include "tensor/kernels.h"

namespace glass {

Var reduce_loss(LossReduction reduction, const Var& losses) {
  switch (reduction) {
    case LossReduction::mean:
      return mean(losses);
    case LossReduction::sum:
      return sum(losses);
    default:
      return losses;
  }
}

namespace {

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
  // The gradient for an upstream of 1, made with the loss while the rows are in the cache; the
  // first backward takes it, another computes it again.
  mutable Tensor gradient{};
  bool recording = false;

  // [N, C]; of a dense tensor a view.
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
    if (recording && options.reduction != LossReduction::none)
      gradient = Tensor::empty(x.shape(), x.dtype());
    kernels(x).cross_entropy(rows, losses, 1 / divisor,
                             gradient.defined() ? as_rows(gradient) : Tensor());
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
    const Tensor& up = b.grad().value();
    if (gradient.defined()) {
      if (const double upstream = up.item(); upstream != 1) gradient.mul_(upstream);
      return b.add(0, std::exchange(gradient, Tensor()));
    }
    const Tensor dx = Tensor::empty(x.shape(), x.dtype());
    if (dx.numel() > 0) {
      CrossEntropyRows r = rows;
      r.x = as_rows(x);
      kernels(x).cross_entropy_backward(r, up.contiguous(), 1 / divisor, as_rows(dx));
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
  return reduce_loss(options.reduction, -sum(log_softmax(x, -1) * q, {-1}));
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

// Class targets as a sample: logits and ids, and places that are ignored.
Sample classes(const char* label, std::vector<Input> inputs, const CrossEntropyOptions& options) {
  const auto typed = [options](const Vars& v) {
    CrossEntropyOptions o = options;
    if (o.weight.defined()) o.weight = o.weight.to(v[0].dtype());
    return o;
  };
  return {.label = label,
          .inputs = std::move(inputs),
          .f = [=](const Vars& v) { return Vars{cross_entropy(v[0], v[1], typed(v))}; },
          .definition =
              [=](const Vars& v) {
                return Vars{
                    CrossEntropy{typed(v)}.definition(classes_last(v[0], options.class_dim), v[1])};
              }};
}

Numbers nll_mean(const Columns& in) {
  double total = 0, counted = 0;
  const size_t places = in[1].size(), classes = in[0].size() / places;
  for (size_t i = 0; i < places; ++i) {
    if (in[1][i] == 2) continue;
    total -= in[0][i * classes + static_cast<size_t>(in[1][i])];
    ++counted;
  }
  return {counted > 0 ? total / counted : 0};
}

// PyTorch keeps the classes on axis 1, and on the only axis of one place.
Vars replay_classes(Replay& r, Var (*loss)(In, const Var&, const CrossEntropyOptions&),
                    bool smoothed) {
  CrossEntropyOptions options{.ignore_index = r.integer("ignore_index", -100),
                              .reduction = reduction_argument(r),
                              .weight = r.maybe("weight").value(),
                              .class_dim = r["input"].ndim() > 1 ? 1 : 0};
  if (smoothed) options.label_smoothing = r.real("label_smoothing", 0);
  return {loss(r["input"], r["target"], options)};
}

}  // namespace

std::vector<Entry> cross_entropy_ops() {
  const Tensor weight = Tensor::from<double>({0.5, 2, 1, 0.25}, {4});
  const auto none = LossReduction::none, total = LossReduction::sum;
  const Input rows{{5, 4}, -3, 3}, ids = ints({5}, 0, 4);
  const auto nll = [](const Vars& v) { return Vars{nll_loss(v[0], v[1], {.ignore_index = 2})}; };
  const auto target = [](int64_t id) {
    cross_entropy(ones({1, 3}), Var(Tensor::from<int64_t>({id})), {.ignore_index = -1});
  };
  const auto probabilities = [](const Vars& v) { return Vars{cross_entropy(v[0], v[1])}; };
  const auto by_hand = [](const Columns& in) {
    double sum = 0;
    for (size_t i = 0; i < 3; ++i) {
      double all = 0;
      for (size_t c = 0; c < 4; ++c) all += std::exp(in[0][i * 4 + c]);
      for (size_t c = 0; c < 4; ++c)
        sum -= in[1][i * 4 + c] * std::log(std::exp(in[0][i * 4 + c]) / all);
    }
    return Numbers{sum / 3};
  };
  Sample ignored =
      classes("all ignored", {rows, exact_ints({5}, {1, 1, 1, 1, 1})}, {.ignore_index = 1});
  ignored.expect = Verdict::vacuous;
  return {{.name = "cross_entropy",
           .kind = EntryKind::fused,
           .formula = "loss = -Σ_c q_c·log softmax(x)_c, q = (1 - ε)·[c = target] + ε/C, times w_c",
           .gradient = "dx_c = g·(softmax(x)_c·Σ q - q_c)",
           .notes = "mean divides by Σ w[target] over the targets that count; none counts: 0.",
           .samples = {classes("mean", {rows, ids}, {}),
                       classes("sum, one ignored", {rows, exact_ints({5}, {0, 3, 1, 1, 2})},
                               {.ignore_index = 3, .reduction = total}),
                       classes("none, smoothed", {rows, ids},
                               {.label_smoothing = 0.2, .reduction = none}),
                       classes("weighted, smoothed, ignored", {rows, ids},
                               {.ignore_index = 1, .label_smoothing = 0.1, .weight = weight}),
                       classes("sequence", {{{2, 3, 4}}, ints({2, 3}, 0, 4)}, {}),
                       classes("classes second", {{{2, 4, 3}}, ints({2, 3}, 0, 4)},
                               {.reduction = none, .class_dim = 1}),
                       classes("one place", {{{4}}, ints({}, 0, 4)}, {}),
                       {.label = "probabilities",
                        .inputs = {{{3, 4}}, {{3, 4}, 0, 1}},
                        .f = probabilities,
                        .reference = by_hand},
                       ignored},
           .errors = {{"target behind the classes", [=] { target(3); }, "target out of range: 3"},
                      {"negative target", [=] { target(-4); }, "target out of range: -4"},
                      {"target of another shape",
                       [] {
                         cross_entropy(ones({2, 3}), Var(Tensor::zeros({3}, kInt64)));
                       },
                       "[3] for [2, 3]; need [2]"},
                      {"smoothing above 1",
                       [] {
                         cross_entropy(ones({1, 3}), Var(Tensor::zeros({1}, kInt64)),
                                       {.label_smoothing = 1.5});
                       },
                       "label_smoothing must be in [0, 1]: 1.5"}},
           .replay = [](Replay& r) { return replay_classes(r, cross_entropy, true); }},
          {.name = "nll_loss",
           .kind = EntryKind::loss,
           .formula = "loss = -w[target]·x[target]",
           .gradient = "dx = -g·w[target] at the target, else 0",
           .samples = {{.label = "mean, one ignored",
                        .inputs = {{{4, 3}}, exact_ints({4}, {0, 2, 1, 1})},
                        .f = nll,
                        .reference = nll_mean}},
           .errors = {{"target behind the classes",
                       [] {
                         nll_loss(ones({1, 3}), Var(Tensor::from<int64_t>({3})));
                       },
                       "target out of range: 3"}},
           .replay = [](Replay& r) { return replay_classes(r, nll_loss, false); }}};
}

}  // namespace glass
