#include "autograd/var.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/op.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

using Numbers = std::vector<double>;

void reenable(int depth) {
  const EnableGrad on;
  CHECK(is_recording());
  if (depth > 0) reenable(depth - 1);
}

// dx is NaN whatever comes in.
struct BadBackward {
  static constexpr const char* name = "bad_backward";
  Tensor forward(const Tensor& x) const { return x; }
  void backward(Backward& b, const Saved&) const { b.add(0, b.grad().value() * std::nan("")); }
};

}  // namespace

TEST_CASE("only floating tensors can require a gradient", "[var]") {
  CHECK_THROWS_AS(Var(Tensor::zeros({2}, kInt64), true), Error);
  CHECK_THROWS_AS(Var(Tensor::zeros({2}, kBool), true), Error);
  CHECK_THROWS_AS(Var(Tensor(), true), Error);
  CHECK(Var(Tensor::zeros({2}), true).requires_grad());
  CHECK(!Var(Tensor::zeros({2})).requires_grad());
}

TEST_CASE("gradients add up until they are cleared", "[var]") {
  const Var x = leaf(2);
  (x * x).backward();
  (x * 3.0).backward();
  CHECK(x.grad().item() == 7);
  x.zero_grad();
  CHECK(!x.grad().defined());
  (x * 3.0).backward();
  CHECK(x.grad().item() == 3);
}

TEST_CASE("a gradient can be set, if it fits", "[var]") {
  const Var x = leaf({1, 2});
  x.set_grad(Var(Tensor::from<double>({5, 6})));
  (x * 1.0).backward(Var(Tensor::ones({2}, kFloat64)));
  CHECK(numbers(x.grad()) == Numbers{6, 7});
  CHECK_THROWS_AS(x.set_grad(Var(Tensor::ones({3}, kFloat64))), Error);
  CHECK_THROWS_AS(x.set_grad(Var(Tensor::ones({2}, kFloat32))), Error);
  CHECK(numbers(x.grad()) == Numbers{6, 7});
}

TEST_CASE("a gradient that was set is not changed in place", "[var]") {
  const Var x = leaf({1, 2});
  const Tensor mine = Tensor::from<double>({5, 6});
  x.set_grad(Var(mine));
  (x * 1.0).backward(Var(Tensor::ones({2}, kFloat64)));
  CHECK(mine.to_vector<double>() == Numbers{5, 6});
}

TEST_CASE("only leaves hold gradients", "[var]") {
  const Var x = leaf(2);
  const Var y = x * x;
  CHECK_THAT(message_of([&] { y.grad(); }), ContainsSubstring("leaf"));
  CHECK(x.is_leaf());
  CHECK(!y.is_leaf());
  CHECK(!Var(Tensor::scalar(1)).grad().defined());
}

TEST_CASE("detach cuts the history and keeps the value", "[var]") {
  const Var x = leaf({1, 2});
  const Var z = sum((x * 2.0).detach() * x);
  z.backward();
  CHECK(numbers(x.grad()) == Numbers{2, 4});
  CHECK(!x.detach().requires_grad());
  CHECK(x.detach().value().shares_storage(x.value()));
}

TEST_CASE("nothing is recorded inside NoGrad", "[var]") {
  const Var x = leaf(2);
  {
    const NoGrad off;
    CHECK(!is_recording());
    CHECK(!(x * x).requires_grad());
    CHECK(!cat({reshape(x, {1})}).requires_grad());
  }
  CHECK((x * x).requires_grad());
}

TEST_CASE("an exception inside NoGrad switches recording on again", "[var]") {
  try {
    const NoGrad off;
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
    CHECK(is_recording());
  }
}

TEST_CASE("NoGrad and EnableGrad nest", "[var]") {
  const NoGrad off;
  reenable(1);
  CHECK(!is_recording());
  {
    const EnableGrad on;
    {
      const NoGrad inner;
      CHECK(!is_recording());
    }
    CHECK(is_recording());
  }
  CHECK(!is_recording());
}

TEST_CASE("a new thread starts with recording on", "[var]") {
  const NoGrad off;
  bool recording = false, anomaly = true;
  const DetectAnomaly detect;
  std::thread([&] {
    recording = is_recording();
    anomaly = is_detecting_anomaly();
    const Var x = leaf(3);
    (x * x).backward();
    recording = recording && x.grad().item() == 6;
  }).join();
  CHECK(recording);
  CHECK(!anomaly);
  CHECK(!is_recording());
}

TEST_CASE("graphs on several threads at once", "[var]") {
  std::vector<double> results(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&results, t] {
      for (int i = 0; i < 200; ++i) {
        const Var x = leaf(static_cast<double>(t + 1));
        Var y = x;
        for (int k = 0; k < 10; ++k) y = y + x;
        y.backward();
        results[t] += x.grad().item();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(results == Numbers(4, 200 * 11));
}

TEST_CASE("backward and grad run under NoGrad, and record only when told", "[var]") {
  const Var x = leaf(2);
  const Var y = x * x * x;
  const NoGrad off;
  const Var slope = grad({y}, {x}, {}, {.create_graph = true})[0];
  CHECK(slope.requires_grad());
  CHECK(!is_recording());
  // slope was computed from values inside y's graph, so it would be used up with it.
  CHECK(grad({slope}, {x}, {}, {.retain_graph = true})[0].item() == 12);
  CHECK(!grad({y}, {x})[0].requires_grad());
}

TEST_CASE("a hook sees the complete gradient, once", "[var]") {
  const Var x = leaf({1, 2});
  const Var h = x * 2.0;
  int calls = 0, leaf_calls = 0;
  Numbers seen;
  h.register_hook([&](const Var& g) {
    ++calls;
    seen = numbers(g);
    return Var();
  });
  x.register_hook([&](const Var&) {
    ++leaf_calls;
    return Var();
  });
  sum(h * 3.0 + h * h + narrow(h, 0, 0, 2)).backward();
  CHECK(calls == 1);
  CHECK(leaf_calls == 1);
  CHECK(seen == Numbers{3 + 4 + 1, 3 + 8 + 1});
  CHECK(numbers(x.grad()) == Numbers{16, 24});
}

TEST_CASE("a hook can replace the gradient", "[var]") {
  const Var x = leaf({1, 2});
  const Var h = x * 2.0;
  h.register_hook([](const Var& g) { return g * 10.0; });
  h.register_hook([](const Var& g) { return g + 1.0; });
  x.register_hook([](const Var& g) { return -g; });
  sum(h).backward({.retain_graph = true});
  CHECK(numbers(x.grad()) == Numbers{-22, -22});
  CHECK(numbers(grad({sum(h)}, {x})[0]) == Numbers{-22, -22});
  CHECK(numbers(grad({sum(x * 2.0)}, {x})[0]) == Numbers{-2, -2});
}

TEST_CASE("a hook that changes the shape is refused", "[var]") {
  const Var x = leaf({1, 2});
  x.register_hook([](const Var&) { return Var(Tensor::ones({3}, kFloat64)); });
  CHECK_THAT(message_of([&] { sum(x * 1.0).backward(); }), ContainsSubstring("hook"));
  CHECK_THROWS_AS(Var(Tensor::ones({3}, kFloat64)).register_hook([](const Var& g) { return g; }),
                  Error);
}

TEST_CASE("what a hook keeps is not changed later", "[var]") {
  const Var x = leaf({1, 2});
  Var kept;
  x.register_hook([&](const Var& g) {
    kept = g;
    return Var();
  });
  const Var seed(Tensor::ones({2}, kFloat64));
  (x * 2.0).backward(seed);
  (x * 5.0).backward(seed);
  CHECK(numbers(x.grad()) == Numbers{7, 7});
  CHECK(numbers(kept) == Numbers{5, 5});
  x.grad().value().zero_();
  CHECK(numbers(kept) == Numbers{5, 5});
}

TEST_CASE("a hook may run a backward on another graph", "[var]") {
  const Var x = leaf(2), other = leaf(3);
  const Var h = x * x;
  h.register_hook([&](const Var&) {
    const EnableGrad on;
    (other * other).backward();
    return Var();
  });
  (h * 5.0).backward();
  CHECK(x.grad().item() == 20);
  CHECK(other.grad().item() == 6);
}

TEST_CASE("a hook that runs a backward on its own graph is told so", "[var]") {
  const Var x = leaf(2);
  const Var h = x * x, y = h * 5.0;
  h.register_hook([&](const Var&) {
    y.backward({.retain_graph = true});
    return Var();
  });
  CHECK_THAT(message_of([&] { y.backward({.retain_graph = true}); }),
             ContainsSubstring("already in a backward run"));
  CHECK(!x.grad().defined());
}

TEST_CASE("a saved value that is changed in place is found", "[var]") {
  const Var x = leaf({1, 2}), w = leaf({3, 4});
  const Var y = sum(x * w);
  w.value().mul_(2);
  const std::string message = message_of([&] { y.backward(); });
  CHECK_THAT(message, ContainsSubstring("changed in place"));
  CHECK_THAT(message, ContainsSubstring("mul"));
  CHECK_THAT(message, ContainsSubstring("var_test.cpp:"));
  CHECK_THAT(message, ContainsSubstring("clone()"));
  CHECK(!x.grad().defined());
}

TEST_CASE("a change through a view, or of an output, is found too", "[var]") {
  const Var x = leaf({1, 2});
  const Var a = exp(x);  // keeps its output
  a.value().slice(0, 0, 1).fill_(7);
  CHECK_THAT(message_of([&] { sum(a).backward(); }), ContainsSubstring("changed in place"));
  const Var b = x + 1.0;  // keeps nothing
  b.value().fill_(7);
  sum(b).backward();
  CHECK(numbers(x.grad()) == Numbers{1, 1});
}

TEST_CASE("anomaly mode names the op that made a NaN, and who called it", "[var]") {
  const Var x = leaf({-1, 2});
  const DetectAnomaly detect;
  const int line = __LINE__ + 1;
  const std::string message = message_of([&] { static_cast<void>(sum(log(x * 2.0))); });
  CHECK_THAT(message, ContainsSubstring("log"));
  CHECK_THAT(message, ContainsSubstring("var_test.cpp:" + std::to_string(line)));
}

TEST_CASE("anomaly mode names the op whose backward made a NaN", "[var]") {
  const Var x = leaf({0, 4});
  const int line = __LINE__ + 1;
  const Var y = sum(sqrt(x) * 0.0 + record(BadBackward{}, In(x)));
  CHECK(message_of([&] { y.backward({.retain_graph = true}); }) == "no error");
  x.zero_grad();
  const DetectAnomaly detect;
  const std::string message = message_of([&] { y.backward(); });
  CHECK_THAT(message, ContainsSubstring("backward"));
  CHECK((message.find("bad_backward") != std::string::npos ||
         message.find("sqrt") != std::string::npos));
  CHECK_THAT(message, ContainsSubstring("var_test.cpp:" + std::to_string(line)));
  CHECK(!x.grad().defined());
}

TEST_CASE("anomaly mode ends with its scope, also by an exception", "[var]") {
  try {
    const DetectAnomaly detect;
    static_cast<void>(log(leaf(-1)));
  } catch (const Error&) {
  }
  CHECK(!is_detecting_anomaly());
  CHECK(std::isnan(log(leaf(-1)).item()));
}

TEST_CASE("a Var outlives its graph's other handles", "[var]") {
  Var y;
  Var slope;
  {
    const Var x = leaf(3);
    y = x * x;
    slope = grad({y}, {x}, {}, {.create_graph = true})[0];
    x.register_hook([](const Var& g) { return g; });
  }
  CHECK(y.item() == 9);
  CHECK(slope.item() == 6);
  slope.backward();
  y = Var();
  CHECK(slope.item() == 6);
}

TEST_CASE("an undefined input is named as such, with the caller's line", "[var]") {
  const Var x = leaf(3);
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  const auto expected = [](int line) {
    return "op: an input is undefined: called at " + std::string(__FILE__) + ":" +
           std::to_string(line);
  };
  CHECK(message([&] { matmul(x, Var()); }) == expected(__LINE__));
  CHECK(message([&] { linear(Var(), x, Var()); }) == expected(__LINE__));
  CHECK(message([] { Var().backward(); }) == "backward: the value is undefined");
}
