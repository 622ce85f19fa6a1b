#include "tests/nn/models.h"

#include <tuple>
#include <type_traits>

#include "nn/batch_norm.h"
#include "nn/bilinear.h"
#include "nn/convolution.h"
#include "nn/elman.h"
#include "nn/embedding.h"
#include "nn/group_norm.h"
#include "nn/gru.h"
#include "nn/instance_norm.h"
#include "nn/linear.h"
#include "nn/lstm.h"
#include "nn/prelu.h"
#include "nn/transformer.h"

namespace glass::tests {
namespace {

// README: a state dict
LSTM lstm_from(const std::string& path) {
  Generator generator;
  LSTM lstm(3, 4, {.num_layers = 2, .bidirectional = true}, generator);
  lstm.load_state_dict(load_safetensors(path));  // weight_ih_l0, weight_hh_l0, bias_ih_l0, ...
  return lstm;
}
// README: end

/// Layers in turn, named 0, 1, ... as nn.Sequential names them.
template <class... Layers>
struct Sequence : Module {
  explicit Sequence(Layers... given) : layers(std::move(given)...) {}
  void visit(Visitor& v) override {
    int place = 0;
    std::apply([&](auto&... layer) { (v(std::to_string(place++), layer), ...); }, layers);
  }
  Var operator()(Var x) {
    std::apply([&](auto&... layer) { ((x = layer(x)), ...); }, layers);
    return x;
  }
  std::tuple<Layers...> layers;
};

template <class M, class F>
Model model(std::string name, M module, F call, int64_t input_batch,
            std::vector<int64_t> output_batch) {
  auto shared = std::make_shared<M>(std::move(module));
  shared->eval();
  return {std::move(name), shared, [=](const Vars& in) { return call(*shared, in); }, input_batch,
          std::move(output_batch)};
}

/// A model with one output.
template <class M>
Model model(std::string name, M module, int64_t batch = 0) {
  const auto call = [](M& m, const Vars& in) {
    if constexpr (std::is_invocable_v<M&, const Var&, const Var&>)
      if (in.size() == 2) return Vars{m(in[0], in[1])};
    if constexpr (std::is_invocable_v<M&, const Var&>) return Vars{m(in[0])};
    return Vars{};
  };
  return model(std::move(name), std::move(module), call, batch, {batch});
}

Vars attend(MultiheadAttention& m, const Vars& in) {
  const Attended y = m(in[0], in[1], in[2]);
  return {y.context, MultiheadAttention::averaged(y.weights)};
}

}  // namespace

std::string state_dict_path(const std::string& name) {
  return text(GLASS_SOURCE_DIR, "/tests/state_dict/", name, ".safetensors");
}

std::vector<Model> pytorch_models() {
  Generator g(1);
  const auto with_state = [](auto& m, const Vars& in) {
    const auto y = m(in[0]);
    return Vars{y.output, y.state};
  };
  TransformerOptions small{.dim_feedforward = 6, .dropout = 0}, gelu = small, norm_first = small;
  gelu.activation = TransformerOptions::Activation::gelu;
  norm_first.norm_first = norm_first.batch_first = true;
  return {
      model("linear_norm", Sequence(Linear(3, 5, true, g), LayerNorm({5}), Linear(5, 2, false, g))),
      model("lstm", lstm_from(state_dict_path("lstm")),
            [](LSTM& m, const Vars& in) {
              const LSTM::Output y = m(in[0]);
              return Vars{y.output, y.state.h, y.state.c};
            },
            1, {1, 1, 1}),
      model("gru", GRU(3, 4, {.num_layers = 2, .batch_first = true}, g), with_state, 0, {0, 1}),
      model("rnn", RNN(3, 4, {.bias = false}, g, ElmanFunction::relu), with_state, 1, {1, 1}),
      model("lstm_cell", LSTMCell(3, 4, true, g),
            [](LSTMCell& m, const Vars& in) {
              const LstmState s = m(in[0]);
              return Vars{s.h, s.c};
            },
            0, {0, 0}),
      model("gru_cell", GRUCell(3, 4, true, g)),
      model("embedding", Embedding(6, 3, 0, g)),
      model("conv2d",
            Sequence(Conv2d(2, 4, {3}, {.stride = {2}, .padding = {1}, .groups = 2}, true, g),
                     BatchNorm2d(4))),
      model("conv1d",
            Sequence(Conv1d(3, 4, {2}, {.dilation = {2}}, true, g), BatchNorm1d(4), PReLU(4))),
      model("conv_transpose2d",
            ConvTranspose2d(2, 3, {2, 3}, {.stride = {2}, .padding = {1}}, true, g)),
      model("group_norm", GroupNorm(2, 4)),
      model("instance_norm", InstanceNorm1d(3, {.affine = true, .track_running_stats = true})),
      model("bilinear", Bilinear(3, 2, 4, true, g)),
      model("attention", MultiheadAttention(4, 2, {}, g), attend, 1, {1, 0}),
      model("attention_kdim",
            MultiheadAttention(4, 2, {.kdim = 3, .vdim = 5, .batch_first = true}, g), attend, 0,
            {0, 0}),
      model("encoder", TransformerEncoder(2, 4, 2, gelu, true, g), 1),
      model("decoder", TransformerDecoder(2, 4, 2, norm_first, false, g)),
      model("transformer", Transformer(4, 2, 1, 2, small, g), 1),
  };
}

Vars recorded(const NamedTensors& cases, const std::string& name) {
  Vars all;
  while (const Tensor* next = cases.find(text(name, '.', all.size()))) all.emplace_back(*next);
  return all;
}

}  // namespace glass::tests
