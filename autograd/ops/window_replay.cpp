#include "autograd/ops/window_replay.h"

namespace glass {

Dims replay_dims(Replay& r, const std::string& name, const Dims& otherwise) {
  const std::vector<int64_t> given = r.integers(name, std::vector<int64_t>{});
  return given.empty() ? otherwise : Dims(std::span<const int64_t>(given));
}

ConvOptions replay_conv_options(Replay& r) {
  ConvOptions o;
  o.stride = replay_dims(r, "stride", {1});
  o.dilation = replay_dims(r, "dilation", {1});
  o.groups = r.integer("groups", 1);
  if (r.has("padding") && std::holds_alternative<std::string>(r.argument("padding").value)) {
    const std::string padding = r.text("padding");
    if (padding != "same" && padding != "valid")
      fail(r.op, "padding is a number, \"same\" or \"valid\"", padding);
    o.same = padding == "same";
  } else {
    o.padding = replay_dims(r, "padding", {0});
  }
  return o;
}

ConvTransposeOptions replay_conv_transpose_options(Replay& r) {
  return {.stride = replay_dims(r, "stride", {1}),
          .padding = replay_dims(r, "padding", {0}),
          .output_padding = replay_dims(r, "output_padding", {0}),
          .groups = r.integer("groups", 1),
          .dilation = replay_dims(r, "dilation", {1})};
}

MaxPoolOptions replay_max_pool_options(Replay& r) {
  return {.stride = replay_dims(r, "stride"),
          .padding = replay_dims(r, "padding", {0}),
          .dilation = replay_dims(r, "dilation", {1}),
          .ceil_mode = r.flag("ceil_mode", false)};
}

AvgPoolOptions replay_avg_pool_options(Replay& r, bool two_axes) {
  AvgPoolOptions o{.stride = replay_dims(r, "stride"),
                   .padding = replay_dims(r, "padding", {0}),
                   .ceil_mode = r.flag("ceil_mode", false),
                   .count_include_pad = r.flag("count_include_pad", true)};
  if (two_axes && r.has("divisor_override")) o.divisor_override = r.integer("divisor_override");
  if (two_axes) r.integer("divisor_override", 0);
  return o;
}

Dims replay_output_size(Replay& r) {
  const Argument& size = r.argument("output_size");
  const auto one = [&](const Argument& a) -> int64_t {
    if (std::holds_alternative<std::monostate>(a.value)) return -1;
    if (const auto* n = std::get_if<int64_t>(&a.value)) return *n;
    fail(r.op, "an argument has the wrong type", "output_size should be whole numbers or None");
  };
  const auto* list = std::get_if<std::vector<Argument>>(&size.value);
  if (!list) return {one(size)};
  Dims all;
  for (const Argument& a : *list) all.push_back(one(a));
  return all;
}

std::vector<Var> replay_max_pool(Replay& r, const ValueIndex& y) {
  if (!r.flag("return_indices", false)) return {y.values};
  return {y.values, y.indices};
}

}  // namespace glass
