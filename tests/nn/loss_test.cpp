#include "nn/loss.h"

#include <cmath>

#include "autograd/autograd.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

Var ids(std::initializer_list<int64_t> values) { return Var(Tensor::from<int64_t>(values)); }

void check_values(const Tensor& got, const std::vector<double>& want, double margin = 1e-6) {
  const auto values = got.to(kFloat64).to_vector<double>();
  REQUIRE(values.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) CHECK(values[i] == Approx(want[i]).margin(margin));
}

}  // namespace

TEST_CASE("cross-entropy of large logits", "[loss]") {
  const Var x(Tensor::from<float>({-500, 300, 310}, {1, 3}), true);
  const Var loss = cross_entropy(x, ids({0}));
  CHECK(loss.item() == Approx(810.0000454).epsilon(1e-7));
  loss.backward();
  check_values(x.grad().value(), {-1, 4.53979e-5, 0.9999546});
}

TEST_CASE("cross-entropy keeps its digits far from zero", "[loss]") {
  const Var x(Tensor::from<float>({100000, 100001}, {1, 2}), true);
  const Var loss = cross_entropy(x, ids({1}));
  CHECK(loss.item() == Approx(0.3132617).epsilon(1e-6));  // log(1 + 1/e)
  loss.backward();
  check_values(x.grad().value(), {0.2689414, -0.2689414});
}

TEST_CASE("cross-entropy where a class is impossible", "[loss]") {
  const Var x(Tensor::from<double>({0, -INFINITY, 0}, {1, 3}), true);
  const Var loss = cross_entropy(x, ids({2}));
  CHECK(loss.item() == Approx(0.6931472));
  loss.backward();
  check_values(x.grad().value(), {0.5, 0, -0.5});
}

TEST_CASE("ignored targets count nowhere", "[loss]") {
  const Tensor logits = Tensor::from<double>({1, 2, 0.5, 0, 1, -1}, {2, 3});
  const Var x(logits, true);
  const Var loss = cross_entropy(x, ids({1, -100}));
  CHECK(loss.item() == Approx(0.4643688));
  loss.backward();
  check_values(x.grad().value(), {0.2312239, -0.3714683, 0.1402444, 0, 0, 0});
}

TEST_CASE("with all targets ignored the loss and its gradients are 0", "[loss]") {
  for (const auto reduce : {LossReduction::mean, LossReduction::sum}) {
    for (const double smoothing : {0.0, 0.1}) {
      const Var x(Tensor::from<float>({1, 2, 0.5, 0, INFINITY, NAN}, {2, 3}), true);
      const Var loss = cross_entropy(
          x, ids({7, 7}), {.ignore_index = 7, .label_smoothing = smoothing, .reduction = reduce});
      CHECK(loss.item() == 0);
      loss.backward();
      CHECK(x.grad().value().to_vector<float>() == std::vector<float>(6, 0));
    }
  }
}

TEST_CASE("nothing to average over is 0 where targets are counted, else NaN; never a NaN gradient",
          "[loss]") {
  const auto check = [](const Var& x, const Var& loss, bool nothing_counts) {
    CHECK((nothing_counts ? loss.item() == 0 : std::isnan(loss.item())));
    loss.backward();
    for (const double g : x.grad().value().to(kFloat64).to_vector<double>()) CHECK(g == 0);
  };
  const auto logits = [] { return Var(Tensor::from<double>({1, 2, 0.5}, {1, 3}), true); };
  Var x = logits();
  check(x, nll_loss(x, ids({-100})), true);
  x = logits();
  check(x, nll_loss(x, ids({-100}), {.reduction = LossReduction::sum}), true);
  x = logits();  // what counts has the weight 0
  check(x, cross_entropy(x, ids({1}), {.weight = Tensor::from<double>({1, 0, 1})}), true);
  x = logits();
  check(x, nll_loss(x, ids({1}), {.weight = Tensor::from<double>({1, 0, 1})}), true);
  x = Var(Tensor::zeros({0, 3}), true);  // no rows
  check(x, cross_entropy(x, Var(Tensor::zeros({0}, kInt64))), true);
  const Var none(Tensor::zeros({0}));
  for (const auto& loss :
       {+[](In a, In b) { return mse_loss(a, b); }, +[](In a, In b) { return l1_loss(a, b); },
        +[](In a, In b) { return huber_loss(a, b); },
        +[](In a, In b) { return binary_cross_entropy_with_logits(a, b); }}) {
    const Var empty(Tensor::zeros({0}), true);
    check(empty, loss(empty, none), false);
  }
}

TEST_CASE("a target outside the classes is refused, naming it and the range", "[loss]") {
  const Var x(Tensor::zeros({2, 3}), true);
  CHECK_THROWS_WITH(cross_entropy(x, ids({0, 3})),
                    ContainsSubstring("target out of range: 3 at place 1; need 0 … 2"));
  CHECK_THROWS_WITH(cross_entropy(x, ids({-4, 0}), {.ignore_index = -1}), ContainsSubstring("-4"));
  CHECK_THROWS_WITH(nll_loss(x, ids({3, 0})), ContainsSubstring("3 at place 0"));
  CHECK_THROWS_AS(cross_entropy(x, ids({0, 0, 0})), Error);
  CHECK_THROWS_AS(cross_entropy(Var(Tensor::zeros({2, 3}, kInt64)), ids({0, 0})), Error);
  CHECK_THROWS_AS(cross_entropy(x, ids({0, 0}), {.weight = Tensor::ones({2})}), Error);
  CHECK_THROWS_AS(cross_entropy(x, ids({0, 0}), {.label_smoothing = -0.1}), Error);
}

TEST_CASE("cross-entropy of sequences is that of their places", "[loss]") {
  Generator generator(1);
  const Tensor logits = normal({2, 3, 5}, 0, 2, kFloat64, generator);
  const Tensor target = Tensor::from<int64_t>({0, 4, 2, 1, -100, 3}, {2, 3});
  const Var x(logits, true), flat(logits.clone().reshape({6, 5}), true);
  const CrossEntropyOptions options{.label_smoothing = 0.1};
  const Var a = cross_entropy(x, Var(target), options),
            b = cross_entropy(flat, Var(target.reshape({6})), options);
  CHECK(a.item() == b.item());
  a.backward();
  b.backward();
  CHECK(x.grad().value().to_vector<double>() == flat.grad().value().to_vector<double>());
  CHECK(cross_entropy(x, Var(target), {.reduction = LossReduction::none}).shape() == Shape{2, 3});
}

TEST_CASE("cross-entropy takes strided logits", "[loss]") {
  Generator generator(1);
  const Tensor logits = normal({4, 3}, 0, 2, kFloat64, generator);
  const Var x(logits.transpose(0, 1).contiguous().transpose(0, 1), true), dense(logits, true);
  REQUIRE(!x.value().is_contiguous());
  const Var a = cross_entropy(x, ids({0, 1, 2, 1})), b = cross_entropy(dense, ids({0, 1, 2, 1}));
  CHECK(a.item() == b.item());
  a.backward();
  b.backward();
  CHECK(x.grad().value().to_vector<double>() == dense.grad().value().to_vector<double>());
}

TEST_CASE("targets changed after the call are noticed", "[loss]") {
  const Var x(Tensor::zeros({2, 3}), true), target = ids({0, 1});
  const Var loss = cross_entropy(x, target);
  target.value().fill_(2);
  CHECK_THROWS_AS(loss.backward(), Error);
}

TEST_CASE("cross-entropy does not depend on the number of threads", "[loss]") {
  Generator generator(1);
  const Tensor logits = normal({300, 700}, 0, 2, kFloat32, generator);
  const Var target(randint(0, 700, {300}, generator));
  const int before = num_threads();
  std::vector<double> losses;
  std::vector<std::vector<float>> gradients;
  for (const int threads : {1, 4}) {
    set_num_threads(threads);
    const Var x(logits, true), loss = cross_entropy(x, target, {.label_smoothing = 0.1});
    loss.backward();
    losses.push_back(loss.item());
    gradients.push_back(x.grad().value().to_vector<float>());
  }
  set_num_threads(before);
  CHECK(losses[0] == losses[1]);
  CHECK((gradients[0] == gradients[1]));
}

TEST_CASE("every backward of a cross-entropy gives the same gradient", "[loss]") {
  Generator generator(1);
  const Var x(normal({5, 7}, 0, 2, kFloat64, generator), true);
  const Var target(randint(0, 7, {5}, generator));
  const CrossEntropyOptions options{.ignore_index = 3, .label_smoothing = 0.1};
  const Var loss = cross_entropy(x, target, options);
  std::vector<std::vector<double>> gradients;
  for (const double upstream : {1.0, 1.0, 4.0}) {
    x.zero_grad();
    loss.backward(Var(Tensor::scalar(upstream, kFloat64)), {.retain_graph = true});
    gradients.push_back(x.grad().value().to_vector<double>());
  }
  x.zero_grad();
  (cross_entropy(x, target, options) * 4.0).backward();  // the first, but scaled
  gradients.push_back(x.grad().value().to_vector<double>());
  for (size_t i = 0; i < 35; ++i) {
    CHECK(gradients[1][i] == Approx(gradients[0][i]).epsilon(1e-14));
    CHECK(gradients[2][i] == Approx(4 * gradients[0][i]).epsilon(1e-14));
    CHECK(gradients[3][i] == Approx(4 * gradients[0][i]).epsilon(1e-14));
  }
}

TEST_CASE("binary cross-entropy of large logits", "[loss]") {
  const Var x(Tensor::from<double>({120, -120, 0, 40}), true);
  const Var t(Tensor::from<double>({0, 1, 1, 0.25}));
  const Var loss = binary_cross_entropy_with_logits(x, t, {.reduction = LossReduction::none});
  check_values(loss.value(), {120, 120, 0.6931472, 30});
  sum(loss).backward();
  check_values(x.grad().value(), {1, -1, -0.5, 0.75});
}

TEST_CASE("losses between tensors refuse to broadcast", "[loss]") {
  const Var a(Tensor::zeros({3})), b(Tensor::zeros({3, 1}));
  CHECK_THROWS_WITH(mse_loss(a, b), ContainsSubstring("[3] and [3, 1]"));
  CHECK_THROWS_AS(l1_loss(a, b), Error);
  CHECK_THROWS_AS(huber_loss(a, b), Error);
  CHECK_THROWS_AS(smooth_l1_loss(a, b), Error);
  CHECK_THROWS_AS(binary_cross_entropy_with_logits(a, b), Error);
  CHECK_THROWS_AS(huber_loss(a, a, LossReduction::mean, 0), Error);
}

TEST_CASE("the layer keeps its class weights in its state", "[loss]") {
  CrossEntropyLoss layer({.weight = Tensor::from<float>({1, 3})});
  CHECK(layer.state_dict().at("weight").at({1}) == 3);
  // Equal logits: every place has the loss log 2.
  CHECK(layer(Var(Tensor::zeros({2, 2})), ids({0, 1})).item() == Approx(0.6931472));
  layer.to(kFloat64);
  CHECK(layer.options().weight.dtype() == kFloat64);
}
