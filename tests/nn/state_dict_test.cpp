// State dicts that PyTorch wrote (tests/state_dict/make.py), and what its models gave.
#include <functional>
#include <memory>
#include <tuple>

#include "autograd/registry.h"
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
#include "nn/rnn.h"
#include "nn/transformer.h"
#include "tests/reference.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// README: a state dict
LSTM lstm_from(const std::string& path) {
  Generator generator;
  LSTM lstm(3, 4, {.num_layers = 2, .bidirectional = true}, generator);
  lstm.load_state_dict(load_safetensors(path));  // weight_ih_l0, weight_hh_l0, bias_ih_l0, ...
  return lstm;
}
// README: end

std::string path_of(const std::string& name) {
  return text(GLASS_SOURCE_DIR, "/tests/state_dict/", name, ".safetensors");
}

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

struct Model {
  std::string name;  ///< as in make.py
  std::shared_ptr<Module> module;
  std::function<Vars(const Vars&)> call;
};

template <class M, class F>
Model model(std::string name, M module, F call) {
  auto shared = std::make_shared<M>(std::move(module));
  return {std::move(name), shared, [=](const Vars& in) { return call(*shared, in); }};
}

/// A model of one input and one output.
template <class M>
Model model(std::string name, M module) {
  return model(std::move(name), std::move(module),
               [](M& m, const Vars& in) { return Vars{m(in[0])}; });
}

Vars attend(MultiheadAttention& m, const Vars& in) {
  const Attended y = m(in[0], in[1], in[2]);
  return {y.context, MultiheadAttention::averaged(y.weights)};
}

std::vector<Model> models() {
  Generator g(1);
  const auto with_state = [](auto& m, const Vars& in) {
    const auto y = m(in[0]);
    return Vars{y.output, y.state};
  };
  TransformerOptions small{.dim_feedforward = 6}, gelu = small, norm_first = small;
  gelu.activation = TransformerOptions::Activation::gelu;
  norm_first.norm_first = norm_first.batch_first = true;
  return {
      model("linear_norm", Sequence(Linear(3, 5, true, g), LayerNorm({5}), Linear(5, 2, false, g))),
      model("lstm", lstm_from(path_of("lstm")),
            [](LSTM& m, const Vars& in) {
              const LSTM::Output y = m(in[0]);
              return Vars{y.output, y.state.h, y.state.c};
            }),
      model("gru", GRU(3, 4, {.num_layers = 2, .batch_first = true}, g), with_state),
      model("rnn", RNN(3, 4, {.bias = false}, g, ElmanFunction::relu), with_state),
      model("lstm_cell", LSTMCell(3, 4, true, g),
            [](LSTMCell& m, const Vars& in) {
              const LstmState s = m(in[0]);
              return Vars{s.h, s.c};
            }),
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
      model("bilinear", Bilinear(3, 2, 4, true, g),
            [](Bilinear& m, const Vars& in) { return Vars{m(in[0], in[1])}; }),
      model("attention", MultiheadAttention(4, 2, {}, g), attend),
      model("attention_kdim",
            MultiheadAttention(4, 2, {.kdim = 3, .vdim = 5, .batch_first = true}, g), attend),
      model("encoder", TransformerEncoder(2, 4, 2, gelu, true, g)),
      model("decoder", TransformerDecoder(2, 4, 2, norm_first, false, g),
            [](TransformerDecoder& m, const Vars& in) { return Vars{m(in[0], in[1])}; }),
      model("transformer", Transformer(4, 2, 1, 2, small, g),
            [](Transformer& m, const Vars& in) { return Vars{m(in[0], in[1])}; }),
  };
}

/// cases' tensors NAME.0, NAME.1, ...
std::vector<Tensor> numbered(const NamedTensors& cases, const std::string& name) {
  std::vector<Tensor> all;
  while (const Tensor* next = cases.find(text(name, '.', all.size()))) all.push_back(*next);
  return all;
}

NamedTensors clones_of(const NamedTensors& state) {
  NamedTensors copy;
  for (const auto& [name, tensor] : state.tensors) copy.add(name, tensor.clone());
  return copy;
}

bool same(const NamedTensors& a, const NamedTensors& b) {
  bool equal = a.tensors.size() == b.tensors.size();
  for (size_t i = 0; equal && i < a.tensors.size(); ++i)
    equal = a.tensors[i].first == b.tensors[i].first &&
            excess(a.tensors[i].second, b.tensors[i].second, 0) == 0;
  return equal;
}

}  // namespace

// Sums of float32 of at most 24 terms near 1, in another order: a few roundings of 6e-8.
TEST_CASE("a state dict that PyTorch wrote gives PyTorch's outputs", "[state_dict]") {
  const NamedTensors cases = load_safetensors(path_of("cases"));
  for (const Model& m : models()) {
    INFO(m.name);
    m.module->load_state_dict(load_safetensors(path_of(m.name)));
    m.module->eval();
    Vars inputs;
    for (const Tensor& x : numbered(cases, m.name + ".in")) inputs.emplace_back(x);
    const Vars outputs = m.call(inputs);
    const std::vector<Tensor> wanted = numbered(cases, m.name + ".out");
    REQUIRE(!wanted.empty());
    REQUIRE(outputs.size() == wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      INFO("output " << i);
      CHECK(excess(outputs[i].value(), wanted[i], 2e-6) <= 1e-6);
    }
  }
}

TEST_CASE("a model writes the entries it read, in PyTorch's order", "[state_dict]") {
  for (const Model& m : models()) {
    INFO(m.name);
    const NamedTensors read = load_safetensors(path_of(m.name));
    m.module->load_state_dict(read);
    CHECK(same(m.module->state_dict(), read));
  }
}

TEST_CASE("a state dict that does not fit is named and changes nothing", "[state_dict]") {
  for (const Model& m : models()) {
    INFO(m.name);
    const NamedTensors read = load_safetensors(path_of(m.name));
    const NamedTensors before = clones_of(m.module->state_dict());
    const auto refused = [&](const NamedTensors& state, const std::string& what) {
      CHECK_THAT(message_of([&] { m.module->load_state_dict(state); }), ContainsSubstring(what));
      CHECK(same(m.module->state_dict(), before));
    };
    for (size_t i = 0; i < read.tensors.size(); ++i) {
      const auto& [name, tensor] = read.tensors[i];
      NamedTensors missing = read, surplus = read, misshapen = read;
      missing.tensors.erase(missing.tensors.begin() + static_cast<std::ptrdiff_t>(i));
      refused(missing, "missing: " + name);
      surplus.add(name + "_again", tensor);
      refused(surplus, "surplus: " + name + "_again");
      misshapen.tensors[i].second = tensor.unsqueeze(0);
      refused(misshapen, text(name, " is ", tensor.unsqueeze(0).shape()));
    }
  }
}
