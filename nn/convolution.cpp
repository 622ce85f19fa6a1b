#include "nn/convolution.h"

#include <cmath>

#include "autograd/ops/window_replay.h"
#include "nn/init.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {
namespace {

// A weight [first, second / groups, kernel...].
Var draw_weight(const char* name, int64_t first, int64_t second, int64_t groups, const Dims& kernel,
                int axes, Generator& generator) {
  if (groups < 1 || first < 1 || second < 1 || first % groups != 0 || second % groups != 0)
    fail(name, "groups must divide the channels", groups, " groups, channels ", first, " and ",
         second);
  if (kernel.size() != 1 && kernel.size() != axes)
    fail(name, "kernel_size needs one number, or one per axis", kernel);
  Shape shape{first, second / groups};
  for (int i = 0; i < axes; ++i) {
    shape.push_back(kernel[kernel.size() == 1 ? 0 : i]);
    if (shape.back() < 1) fail(name, "kernel_size must be positive", kernel);
  }
  const Var weight = parameter(Tensor::empty(shape));
  const double fan = static_cast<double>(weight.numel()) / static_cast<double>(first);
  uniform_(weight, -1 / std::sqrt(fan), 1 / std::sqrt(fan), generator);
  return weight;
}

Var draw_bias(const Var& weight, int64_t outputs, Generator& generator) {
  const Var bias = parameter(Tensor::empty({outputs}));
  const double fan = static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
  uniform_(bias, -1 / std::sqrt(fan), 1 / std::sqrt(fan), generator);
  return bias;
}

}  // namespace

Conv1d::Conv1d(int64_t in, int64_t out, const Dims& kernel, const ConvOptions& chosen,
               bool with_bias, Generator& generator)
    : weight(draw_weight("Conv1d", out, in, chosen.groups, kernel, 1, generator)), options(chosen) {
  if (with_bias) bias = draw_bias(weight, out, generator);
}
void Conv1d::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

Conv2d::Conv2d(int64_t in, int64_t out, const Dims& kernel, const ConvOptions& chosen,
               bool with_bias, Generator& generator)
    : weight(draw_weight("Conv2d", out, in, chosen.groups, kernel, 2, generator)), options(chosen) {
  if (with_bias) bias = draw_bias(weight, out, generator);
}
void Conv2d::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

ConvTranspose2d::ConvTranspose2d(int64_t in, int64_t out, const Dims& kernel,
                                 const ConvTransposeOptions& chosen, bool with_bias,
                                 Generator& generator)
    : weight(draw_weight("ConvTranspose2d", in, out, chosen.groups, kernel, 2, generator)),
      options(chosen) {
  if (with_bias) bias = draw_bias(weight, out, generator);
}
void ConvTranspose2d::visit(Visitor& v) {
  v("weight", weight);
  v("bias", bias);
}

namespace {

template <class Layer, class Options>
Sample conv_layer_sample(const char* label, const Shape& x, int64_t in, int64_t out,
                         const Dims& kernel, const Options& options, bool bias) {
  Generator generator;
  Layer shaped(in, out, kernel, options, bias, generator);
  std::vector<Input> inputs{{x}};
  for (Input& input : parameter_inputs(shaped)) inputs.push_back(std::move(input));
  return {label, std::move(inputs), [=](const Vars& v) {
            Generator unused;
            Layer layer(in, out, kernel, options, bias, unused);
            bind_parameters(layer, v, 1);
            return Vars{layer(v[0])};
          }};
}

template <class Layer, class Options>
Vars replay_layer(Replay& r, Options (*read)(Replay&)) {
  // Another padding than zeros stays unread: not covered.
  const auto mode = r.arguments.find("padding_mode");
  const auto* given =
      mode == r.arguments.end() ? nullptr : std::get_if<std::string>(&mode->second.value);
  if (given && *given != "zeros") return {};
  if (given) r.text("padding_mode");
  Generator g;
  const int64_t in = r.integer("in_channels"), out = r.integer("out_channels");
  const Dims kernel = replay_dims(r, "kernel_size");
  return replay_module(r, Layer(in, out, kernel, read(r), r.flag("bias", true), g),
                       [&](Layer& layer) { return Vars{layer(r["input"])}; });
}

template <class Layer, class Options>
ErrorRow wrong_groups() {
  return {"groups",
          [] {
            Generator g;
            Layer layer(3, 4, {3}, Options{.groups = 2}, true, g);
          },
          "2 groups"};
}

constexpr const char* kGradient = "as conv2d";

}  // namespace

std::vector<Entry> convolution_entries() {
  return {{.name = "Conv1d",
           .kind = EntryKind::layer,
           .formula = "y = weight slid along x, + bias: conv1d",
           .gradient = kGradient,
           .samples = {conv_layer_sample<Conv1d>("stride", {2, 3, 7}, 3, 4, {3},
                                                 ConvOptions{.stride = {2}}, true),
                       conv_layer_sample<Conv1d>("same, no bias", {2, 5}, 2, 2, {2},
                                                 ConvOptions{.same = true}, false)},
           .errors = {wrong_groups<Conv1d, ConvOptions>(),
                      {"channels",
                       [] {
                         Generator g;
                         Conv1d(3, 4, {3}, {}, true, g)(Var(Tensor::zeros({2, 2, 5})));
                       },
                       "[2, 2, 5] and weight [4, 3, 3]"}},
           .replay = [](Replay& r) { return replay_layer<Conv1d>(r, replay_conv_options); }},
          {.name = "Conv2d",
           .kind = EntryKind::layer,
           .formula = "y = weight slid over x, + bias: conv2d",
           .gradient = kGradient,
           .samples = {conv_layer_sample<Conv2d>("padding, groups", {2, 4, 3, 3}, 4, 2, {2},
                                                 ConvOptions{.padding = {1}, .groups = 2}, true),
                       conv_layer_sample<Conv2d>("no bias, two kernel sizes", {1, 2, 4, 3}, 2, 3,
                                                 {3, 2}, ConvOptions{}, false)},
           .errors = {wrong_groups<Conv2d, ConvOptions>(),
                      {"kernel",
                       [] {
                         Generator g;
                         Conv2d layer(3, 4, {3, 3, 3}, {}, true, g);
                       },
                       "[3, 3, 3]"}},
           .replay = [](Replay& r) { return replay_layer<Conv2d>(r, replay_conv_options); }},
          {.name = "ConvTranspose2d",
           .kind = EntryKind::layer,
           .formula = "y = what takes conv2d's gradient to its input, + bias: conv_transpose2d",
           .gradient = kGradient,
           .samples = {conv_layer_sample<ConvTranspose2d>(
               "stride, more at the end", {1, 2, 2, 3}, 2, 3, {3},
               ConvTransposeOptions{.stride = {2}, .output_padding = {1}}, true)},
           .errors = {wrong_groups<ConvTranspose2d, ConvTransposeOptions>()},
           .replay = [](Replay& r) {
             return replay_layer<ConvTranspose2d>(r, replay_conv_transpose_options);
           }}};
}

}  // namespace glass
