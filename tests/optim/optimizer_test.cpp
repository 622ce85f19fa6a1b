#include "optim/optimizer.h"

#include "autograd/autograd.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/catch.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Var trainable(std::vector<float> values) {
  const auto n = static_cast<int64_t>(values.size());
  return Var(Tensor::from(values, {n}), true);
}
void give(const Var& p, double gradient) {
  p.set_grad(Var(Tensor::full(p.shape(), gradient, p.dtype())));
}
std::vector<float> values(const Var& p) { return p.value().to_vector<float>(); }

using Floats = std::vector<float>;

}  // namespace

TEST_CASE("a parameter without a gradient is left alone, and so is its state", "[optimizer]") {
  const Var a = trainable({1}), b = trainable({1});
  Adam adam({a, b}, {.lr = 0.1, .weight_decay = 0.5});
  give(a, 1);
  adam.step();
  CHECK(values(b) == Floats{1});
  CHECK(adam.state_dict().at("0.step").item() == 1);
  CHECK(adam.state_dict().at("1.step").item() == 0);
  CHECK(adam.state_dict().find("1.exp_avg") == nullptr);
  // Its first step is a first step, whenever it comes.
  a.zero_grad();
  give(b, 3);
  adam.step();
  CHECK(b.item() == Approx(0.9));
}

TEST_CASE("a tied parameter is updated once", "[optimizer]") {
  const Var a = trainable({1}), same = a;
  SGD sgd({a, same}, {.lr = 0.1});
  give(a, 1);
  sgd.step();
  CHECK(a.item() == Approx(0.9));
}

TEST_CASE("groups have options of their own", "[optimizer]") {
  const Var a = trainable({1}), b = trainable({1});
  SGD sgd({{{a}, {.lr = 0.1}}, {{b}, {.lr = 0.2, .momentum = 0.5}}});
  give(a, 1);
  give(b, 1);
  sgd.step();
  sgd.step();
  CHECK(a.item() == Approx(0.8));
  CHECK(b.item() == Approx(1 - 0.2 - 0.2 * 1.5));
  CHECK(sgd.lr(1) == 0.2);
  sgd.set_lr(0.5, 1);
  CHECK(sgd.lr(0) == 0.1);
  sgd.set_lr(0.3);
  CHECK(sgd.lr(1) == 0.3);
  CHECK_THROWS_AS(sgd.set_lr(-1), Error);
  CHECK_THROWS_WITH(SGD({{{a}, {}}, {{a}, {}}}), ContainsSubstring("two groups"));
}

TEST_CASE("frozen parameters are skipped, results of ops refused", "[optimizer]") {
  const Var frozen(Tensor::ones({2})), a = trainable({1});
  SGD sgd({frozen, a}, {.lr = 0.1});
  give(a, 1);
  sgd.step();
  CHECK(values(frozen) == Floats{1, 1});
  CHECK_THROWS_WITH(SGD({a * 2.0}), ContainsSubstring("no leaf"));
  CHECK_THROWS_AS(SGD({Var()}), Error);
}

TEST_CASE("a step makes a backward that saved the old values say so", "[optimizer]") {
  const Var a = trainable({2});
  SGD sgd({a}, {.lr = 0.1});
  const Var y = sum(a * a);
  give(a, 1);
  sgd.step();
  CHECK_THROWS_WITH(y.backward(), ContainsSubstring("changed in place"));
}

TEST_CASE("a strided parameter is updated where it stands", "[optimizer]") {
  const Tensor whole = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Var column(whole.select(1, 0), true);
  SGD sgd({column}, {.lr = 1});
  give(column, 10);
  sgd.step();
  CHECK(whole.to_vector<float>() == Floats{-9, 2, -7, 4});
}

TEST_CASE("zero_grad empties the gradients", "[optimizer]") {
  const Var a = trainable({1});
  SGD sgd({a});
  give(a, 1);
  sgd.zero_grad();
  CHECK(!a.grad().defined());
}

TEST_CASE("a restored optimiser continues bit for bit, through a file", "[optimizer]") {
  const Scratch folder;
  const auto gradient = [](int step, int i) { return std::sin(3.0 * step + i); };
  const auto train = [&](Optimizer& optimizer, const std::vector<Var>& params, int from, int to) {
    for (int step = from; step < to; ++step) {
      for (size_t i = 0; i < params.size(); ++i)
        give(params[i], gradient(step, static_cast<int>(i)));
      optimizer.step();
    }
  };
  const AdamOptions options{.lr = 0.01, .weight_decay = 0.1, .amsgrad = true};
  const std::vector<Var> straight{trainable({1, 2}), trainable({3})};
  Adam a(straight, options);
  train(a, straight, 0, 3);
  a.set_lr(0.02);
  NamedTensors saved = a.state_dict();
  for (size_t i = 0; i < straight.size(); ++i)
    saved.add("model." + std::to_string(i), straight[i].value());
  save_safetensors(folder / "state.safetensors", saved);
  train(a, straight, 3, 6);

  NamedTensors state, loaded = load_safetensors(folder / "state.safetensors");
  for (const auto& [name, tensor] : loaded.tensors)
    if (name.rfind("model.", 0) != 0) state.add(name, tensor);
  const std::vector<Var> resumed{Var(loaded.at("model.0"), true), Var(loaded.at("model.1"), true)};
  Adam b(resumed, options);
  b.load_state_dict(state);
  CHECK(b.lr() == 0.02);
  train(b, resumed, 3, 6);
  CHECK(values(resumed[0]) == values(straight[0]));
  CHECK(values(resumed[1]) == values(straight[1]));
}

TEST_CASE("an optimiser refuses a state that does not fit with all its faults, and stays as it was",
          "[optimizer]") {
  const std::vector<Var> params{trainable({1, 2}), trainable({3})};
  Adam adam(params, {.lr = 0.1});
  for (const Var& p : params) give(p, 1);
  adam.step();
  const double before = adam.state_dict().at("0.exp_avg").at({0});
  NamedTensors state;
  state.add("lr", Tensor::from<double>({0.5}));
  state.add("0.step", Tensor::from<int64_t>({7}, {}));
  state.add("0.exp_avg", Tensor::zeros({2}));
  state.add("0.exp_avg_sq", Tensor::zeros({3}));
  state.add("1.step", Tensor::from<int64_t>({0}, {}));
  state.add("1.momentum_buffer", Tensor::zeros({1}));
  try {
    adam.load_state_dict(state);
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK_THAT(e.values(), ContainsSubstring("0.exp_avg_sq is [3] float32, needs [2] float32"));
    CHECK_THAT(e.values(), ContainsSubstring("surplus: 1.momentum_buffer"));
  }
  CHECK(adam.lr() == 0.1);
  CHECK(adam.state_dict().at("0.step").item() == 1);
  CHECK(adam.state_dict().at("0.exp_avg").at({0}) == before);
}

TEST_CASE("a loaded state is the optimiser's own", "[optimizer]") {
  const Var a = trainable({1}), b = trainable({1});
  Adam first({a}), second({b});
  give(a, 1);
  first.step();
  second.load_state_dict(first.state_dict());
  give(b, 1);
  second.step();
  CHECK(first.state_dict().at("0.exp_avg").item() == Approx(0.1));
}
