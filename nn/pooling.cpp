#include "nn/pooling.h"

#include "autograd/ops/window_replay.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {
namespace {

Var value(const Var& y) { return y; }
Var value(const ValueIndex& y) { return y.values; }

template <class Layer>
Entry pooling_entry(const char* name, const char* function, const Shape& x, const Layer& layer,
                    std::function<Vars(Replay&)> replay) {
  return {
      .name = name,
      .kind = EntryKind::layer,
      .formula = text("y = ", function, "(x)"),
      .gradient = text("as ", function),
      .samples = {{"batch", {{x}}, [=](const Vars& in) { return Vars{value(layer(in[0]))}; }}},
      .errors = {{"axes", [=] { layer(Var(Tensor::zeros({4}))); }, "the batch may be absent: [4]"}},
      .replay = std::move(replay)};
}

template <class Layer>
Vars replay_max(Replay& r) {
  const Dims kernel = replay_dims(r, "kernel_size");
  return replay_module(r, Layer(kernel, replay_max_pool_options(r)),
                       [&](Layer& layer) { return replay_max_pool(r, layer(r["input"])); });
}

template <class Layer>
Vars replay_avg(Replay& r, bool two_axes) {
  const Dims kernel = replay_dims(r, "kernel_size");
  return replay_module(r, Layer(kernel, replay_avg_pool_options(r, two_axes)),
                       [&](Layer& layer) { return Vars{layer(r["input"])}; });
}

template <class Layer>
Vars replay_adaptive(Replay& r) {
  return replay_module(r, Layer(replay_output_size(r)),
                       [&](Layer& layer) { return Vars{layer(r["input"])}; });
}

}  // namespace

std::vector<Entry> pooling_entries() {
  const Shape line{2, 2, 7}, plane{2, 2, 5, 6};
  return {pooling_entry("MaxPool1d", "max_pool1d", line, MaxPool1d({3}, {.stride = {2}}),
                        replay_max<MaxPool1d>),
          pooling_entry("MaxPool2d", "max_pool2d", plane, MaxPool2d({2}, {.ceil_mode = true}),
                        replay_max<MaxPool2d>),
          pooling_entry("AvgPool1d", "avg_pool1d", line, AvgPool1d({3}, {.padding = {1}}),
                        [](Replay& r) { return replay_avg<AvgPool1d>(r, false); }),
          pooling_entry("AvgPool2d", "avg_pool2d", plane, AvgPool2d({2}, {.stride = {1}}),
                        [](Replay& r) { return replay_avg<AvgPool2d>(r, true); }),
          pooling_entry("AdaptiveAvgPool1d", "adaptive_avg_pool1d", line, AdaptiveAvgPool1d({3}),
                        replay_adaptive<AdaptiveAvgPool1d>),
          pooling_entry("AdaptiveAvgPool2d", "adaptive_avg_pool2d", plane,
                        AdaptiveAvgPool2d({2, 3}), replay_adaptive<AdaptiveAvgPool2d>),
          pooling_entry("AdaptiveMaxPool2d", "adaptive_max_pool2d", plane,
                        AdaptiveMaxPool2d({2, 3}), [](Replay& r) {
                          return replay_module(r, AdaptiveMaxPool2d(replay_output_size(r)),
                                               [&](AdaptiveMaxPool2d& layer) {
                                                 return replay_max_pool(r, layer(r["input"]));
                                               });
                        })};
}

}  // namespace glass
