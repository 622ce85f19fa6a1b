#include "nn/attention/kernel_pooling.h"

#include <cmath>

#include "nn/mask.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {
namespace {

Pooled pool(const Var& query, const Var& keys, const Var& values, const Var& bandwidth,
            PoolingKernel kernel) {
  if (query.ndim() != 2 || keys.ndim() != 2 || values.ndim() != 2 ||
      query.size(1) != keys.size(1) || keys.size(0) != values.size(0))
    fail("kernel_pooling", "needs query [T, D], keys [S, D], values [S, K]", "query ",
         query.shape(), ", keys ", keys.shape(), ", values ", values.shape());
  const Var distance2 = sum(square(unsqueeze(query, 1) - unsqueeze(keys, 0)), {2});  // [T, S]
  Var weights;
  if (kernel == PoolingKernel::gaussian) {
    // Less that of the nearest key, which changes no weight: a narrow kernel finds that key.
    const Var nearest = keys.size(0) > 0 ? amin(distance2, {1}, true).detach() : Var(0.0);
    weights = masked_softmax((distance2 - nearest) / bandwidth / bandwidth * -0.5, Mask());
  } else {
    const Var u2 = distance2 / bandwidth / bandwidth;
    const Var near = kernel == PoolingKernel::box ? where(u2 <= 1.0, u2 * 0.0 + 1.0, 0.0)
                                                  : where(u2 < 1.0, 1.0 - u2, 0.0);
    const Var total = sum(near, {1}, true);
    weights = near / where(total == 0.0, 1.0, total);
  }
  return {matmul(weights, values), weights};
}

void check_bandwidth(double bandwidth) {
  if (!(bandwidth > 0 && std::isfinite(bandwidth)))
    fail("kernel_pooling", "bandwidth must be finite and positive", bandwidth);
}

}  // namespace

Pooled kernel_pooling(const Var& query, const Var& keys, const Var& values, double bandwidth,
                      PoolingKernel kernel) {
  check_bandwidth(bandwidth);
  return pool(query, keys, values, Var(Tensor::scalar(bandwidth, query.dtype())), kernel);
}

KernelPooling::KernelPooling(double width, PoolingKernel chosen) : kernel(chosen) {
  check_bandwidth(width);
  bandwidth = parameter(Tensor::scalar(width));
}

Pooled KernelPooling::operator()(const Var& query, const Var& keys, const Var& values) const {
  return pool(query, keys, values, bandwidth, kernel);
}

std::vector<Entry> kernel_pooling_entries() {
  const auto sample = [](std::string label, PoolingKernel kernel) {
    Sample s{};
    s.label = std::move(label);
    s.inputs = {{{3, 2}, -1, 1}, {{4, 2}, -1, 1}, {{4, 2}}, {{}, 1.2, 1.6}};
    if (kernel == PoolingKernel::box) s.expect = Verdict::vacuous;  // the same to all in reach
    s.f = [=](const Vars& in) {
      KernelPooling layer(1, kernel);
      bind_parameters(layer, in, 3);
      const Pooled y = layer(in[0], in[1], in[2]);
      return Vars{y.context, y.weights};
    };
    return s;
  };
  return {{.name = "KernelPooling",
           .kind = EntryKind::layer,
           .formula = "weights = K(|q - k|/h) / Σ K(|q - k|/h), K(u) = exp(-u²/2)",
           .gradient = "as softmax of -|q - k|²/(2h²)",
           .notes = "A query with no key in reach of a box or an epanechnikov kernel gets 0.",
           .samples = {sample("gaussian", PoolingKernel::gaussian),
                       sample("epanechnikov", PoolingKernel::epanechnikov),
                       sample("box", PoolingKernel::box)},
           .errors = {{"bandwidth", [] { KernelPooling layer(0); }, "must be positive"}}},
          {.name = "kernel_pooling",
           .kind = EntryKind::op,
           .formula = "KernelPooling with a given bandwidth",
           .gradient = "as KernelPooling",
           .samples = {[] {
             Sample s{};
             s.label = "gaussian";
             s.inputs = {{{2, 1}}, {{3, 1}}, {{3, 2}}};
             s.f = [](const Vars& in) {
               return Vars{kernel_pooling(in[0], in[1], in[2], 0.5).context};
             };
             return s;
           }()},
           .errors = {{"shapes",
                       [] {
                         const Var x(Tensor::zeros({2, 3}));
                         kernel_pooling(x, Var(Tensor::zeros({2, 2})), x, 1);
                       },
                       "query [2, 3], keys [2, 2]"}}}};
}

}  // namespace glass
