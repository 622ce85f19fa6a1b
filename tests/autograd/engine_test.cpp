#include "autograd/engine.h"

#include <pthread.h>

#include <cmath>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/op.h"
#include "tensor/memory.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

using Numbers = std::vector<double>;

// Runs f on a thread whose stack is as small as said.
void on_small_stack(size_t bytes, void (*f)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  REQUIRE(pthread_create(
              &thread, &attributes,
              [](void* call) -> void* {
                reinterpret_cast<void (*)()>(call)();
                return nullptr;
              },
              reinterpret_cast<void*>(f)) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

double chain_gradient = 0;
bool chain_freed_unused = false;

// A backward that fails after it has passed something on.
// Reads what it does not keep, or names an input that it does not have.
struct Careless {
  static constexpr const char* name = "careless";
  static constexpr Keep keep{.inputs = 0b01};
  int what = 0;
  Tensor forward(const Tensor& a, const Tensor&) const { return a * 2.0; }
  void backward(Backward& b, const Saved& saved) const {
    if (what < 3)
      b.add(0, what == 0 ? saved.input(1) : what == 1 ? saved.input(50) : saved.output());
    b.add(what == 3 ? 2 : 50'000'000, b.grad());
  }
};

struct Failing {
  static constexpr const char* name = "failing";
  Tensor forward(const Tensor& x, const Tensor&) const { return x; }
  void backward(Backward& b, const Saved&) const {
    b.add(0, b.grad());
    fail("failing", "on purpose");
  }
};

struct MisshapenGradient {
  static constexpr const char* name = "wrong_shape";
  Tensor forward(const Tensor& x) const { return x; }
  void backward(Backward& b, const Saved&) const { b.add(0, Tensor::ones({2}, kFloat64)); }
};

}  // namespace

TEST_CASE("a node runs once, after everything that uses it", "[engine]") {
  const Var a = leaf(3);
  const Var b = a * a, c = b + a, d = b * c, e = d + b;
  CHECK(e.item() == 117);
  e.backward();
  CHECK(a.grad().item() == 141);
}

TEST_CASE("sixty doublings cost sixty visits, not 2^60", "[engine]") {
  const Var x = leaf(1);
  Var y = x;
  for (int i = 0; i < 60; ++i) y = y + y;
  CHECK(y.item() == std::ldexp(1, 60));
  y.backward();
  CHECK(x.grad().item() == std::ldexp(1, 60));
}

TEST_CASE("a branch that the loss does not use changes no gradient", "[engine]") {
  const Var x = leaf(2), p = leaf(7);
  const Var unused = p * x * 100.0;
  (x * x).backward();
  CHECK(x.grad().item() == 4);
  CHECK(!p.grad().defined());
  CHECK(grad({x * 3.0}, {x, p})[0].item() == 3);
  CHECK(!grad({x * 3.0}, {x, p})[1].defined());
}

TEST_CASE("a million ops run backward and are freed on a small stack", "[engine]") {
  on_small_stack(512 * 1024, [] {
    const Var x = leaf(1);
    {
      Var y = x;
      for (int i = 0; i < 1'000'000; ++i) y = y * 1.0 + 0.0;
      y.backward();
      chain_gradient = x.grad().item();
    }
    Var y = x;
    for (int i = 0; i < 1'000'000; ++i) y = y * 1.0;
    y = Var();
    chain_freed_unused = true;
  });
  CHECK(chain_gradient == 1);
  CHECK(chain_freed_unused);
}

TEST_CASE("a wide graph with a million edges into one node", "[engine]") {
  const Var x = leaf(1);
  Var total = x * 0.0;
  for (int i = 0; i < 100'000; ++i) total = total + x;
  total.backward();
  CHECK(x.grad().item() == 100'000);
}

TEST_CASE("a graph can be used once, or as often as it is retained", "[engine]") {
  const Var x = leaf(2);
  const Var y = x * x * x;
  y.backward({.retain_graph = true});
  CHECK(x.grad().item() == 12);
  y.backward();
  CHECK(x.grad().item() == 24);
  CHECK_THAT(message_of([&] { y.backward(); }), ContainsSubstring("used up"));
  CHECK_THAT(message_of([&] { y.backward(); }), ContainsSubstring("engine_test.cpp:"));
  CHECK(x.grad().item() == 24);
}

TEST_CASE("two losses over one shared graph", "[engine]") {
  const Var x = leaf(2);
  const Var shared = x * x;
  const Var first = shared * 3.0, second = shared * shared;
  first.backward({.retain_graph = true});
  CHECK(x.grad().item() == 12);
  second.backward();
  CHECK(x.grad().item() == 12 + 32);
  const Var third = leaf(5);
  const Var late = shared * third;  // built on what is used up
  CHECK_THROWS_AS(late.backward(), Error);
  CHECK(!third.grad().defined());
  CHECK(grad({late}, {third})[0].item() == 4);  // does not go through it
}

TEST_CASE("backward needs a fitting seed", "[engine]") {
  const Var x = leaf({1, 2});
  CHECK_THROWS_AS((x * 2.0).backward(), Error);
  CHECK_THROWS_AS((x * 2.0).backward(Var(Tensor::ones({3}, kFloat64))), Error);
  CHECK_THROWS_AS((x * 2.0).backward(Var(Tensor::ones({2}, kFloat32))), Error);
  CHECK(!x.grad().defined());
  (x * 2.0).backward(Var(Tensor::from<double>({10, 20})));
  CHECK(numbers(x.grad()) == Numbers{20, 40});
}

TEST_CASE("backward without a history is an error", "[engine]") {
  CHECK_THROWS_AS(Var(Tensor::scalar(1, kFloat64)).backward(), Error);
  CHECK_THROWS_AS(grad({leaf(1) * 2.0}, {Var(Tensor::scalar(1, kFloat64))}), Error);
}

TEST_CASE("the leaf itself as output", "[engine]") {
  const Var x = leaf(4);
  x.backward();
  CHECK(x.grad().item() == 1);
  CHECK(grad({x}, {x})[0].item() == 1);
}

TEST_CASE("higher derivatives of x^4", "[engine]") {
  const Var x = leaf(3);
  const Var y = x * x * x * x;
  const Var first = grad({y}, {x}, {}, {.create_graph = true})[0];
  const Var second = grad({first}, {x}, {}, {.create_graph = true})[0];
  const Var third = grad({second}, {x}, {}, {.create_graph = true})[0];
  const Var fourth = grad({third}, {x})[0];
  CHECK(first.item() == 4 * 27);
  CHECK(second.item() == 12 * 9);
  CHECK(third.item() == 24 * 3);
  CHECK(fourth.item() == 24);
  CHECK(!x.grad().defined());
}

TEST_CASE("backward under create_graph leaves a gradient with history", "[engine]") {
  const Var x = leaf(2);
  (x * x * x).backward({.create_graph = true});
  CHECK(x.grad().item() == 12);
  const Var slope = x.grad();
  x.zero_grad();               // the gradient refers to x: a cycle until it is dropped
  (slope * slope).backward();  // (3x²)² -> 36x³
  CHECK(x.grad().item() == 288);
  x.zero_grad();
}

TEST_CASE("a second derivative by one input of a fused op alone", "[engine]") {
  // y = w·x, loss = y², dloss/dx = 2·w²·x, and the square of that by w: 16·w³·x²
  const Var x = leaf({3}, {1, 1}), w = leaf({2}, {1, 1}), bias = leaf({0});
  const Var scaled = w * 1.0;
  const Var slope =
      grad({sum(square(linear(x, scaled, bias)))}, {x}, {}, {.create_graph = true})[0];
  CHECK(slope.item() == 24);
  const std::vector<Var> second = grad({sum(square(slope))}, {w, x});
  CHECK(second[0].item() == 16 * 8 * 9);
  CHECK(second[1].item() == 8 * 16 * 3);
}

TEST_CASE("grad by values inside the graph", "[engine]") {
  const Var x = leaf(2);
  const Var h = x * x, y = h * h * x;
  const std::vector<Var> g = grad({y}, {h, x}, {}, {.retain_graph = true});
  CHECK(g[0].item() == 16);                  // 2·h·x
  CHECK(g[1].item() == 80);                  // 5·x⁴: what lies behind h counts too
  CHECK(grad({y, h}, {x})[0].item() == 84);  // two outputs: their sum
}

TEST_CASE("grad names each input, also when one is given twice", "[engine]") {
  const Var x = leaf(2);
  const std::vector<Var> g = grad({x * x}, {x, x});
  CHECK(g[0].item() == 4);
  CHECK(g[1].item() == 4);
}

TEST_CASE("a gradient of a leaf belongs to it alone", "[engine]") {
  const Var a = leaf({1, 2}), b = leaf({3, 4});
  const Var seed(Tensor::from<double>({5, 6}));
  (a + b).backward(seed);
  CHECK(!a.grad().value().shares_storage(b.grad().value()));
  a.grad().value().mul_(0.5);  // as clipping does
  CHECK(numbers(a.grad()) == Numbers{2.5, 3});
  CHECK(numbers(b.grad()) == Numbers{5, 6});
  CHECK(numbers(seed) == Numbers{5, 6});
  a.backward(seed);
  CHECK(numbers(a.grad()) == Numbers{7.5, 9});
  CHECK(numbers(seed) == Numbers{5, 6});
}

TEST_CASE("gradients that pass through views are dense and own their storage", "[engine]") {
  const Var a = leaf({1, 2, 3, 4}, {2, 2}), b = leaf({1, 1, 1, 1}, {2, 2});
  const Var seed(Tensor::from<double>({1, 2, 3, 4}, {2, 2}));
  (transpose(a, 0, 1) + b).backward(seed);
  CHECK(a.grad().value().is_contiguous());
  CHECK(numbers(a.grad()) == Numbers{1, 3, 2, 4});
  a.grad().value().zero_();
  CHECK(numbers(b.grad()) == Numbers{1, 2, 3, 4});
  const Var row = leaf({1, 2});
  sum(expand(row, {3, 2})).backward();
  CHECK(row.grad().value().is_contiguous());
  CHECK(numbers(row.grad()) == Numbers{3, 3});
}

TEST_CASE("what grad gave is not changed by a later run", "[engine]") {
  const Var x = leaf({1, 2});
  const Var h = x * 3.0, y = h * 1.0;
  const Var seed(Tensor::ones({2}, kFloat64));
  const std::vector<Var> g = grad({y}, {h}, {seed}, {.retain_graph = true});
  (y + h + x).backward(seed);
  CHECK(numbers(g[0]) == Numbers{1, 1});
  CHECK(numbers(seed) == Numbers{1, 1});
}

TEST_CASE("a weight's products at many time steps are its sum", "[engine]") {
  Generator generator(3);
  const Var w(uniform({4, 5}, -1, 1, kFloat64, generator), true);
  Var loss(Tensor::zeros({}, kFloat64));
  Tensor expected = Tensor::zeros({4, 5}, kFloat64);
  for (int t = 0; t < 6; ++t) {
    const Tensor x = uniform({3 + t, 4}, -1, 1, kFloat64, generator);
    const Tensor dy = uniform({3 + t, 5}, -1, 1, kFloat64, generator);
    loss = loss + sum(matmul(Var(x), w) * Var(dy));
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 5; ++j)
        for (int64_t n = 0; n < 3 + t; ++n)
          expected.data<double>()[i * 5 + j] += x.at({n, i}) * dy.at({n, j});
  }
  loss = loss + sum(w) * 2.0;  // and one part that is no product
  for (double& e : std::span(expected.data<double>(), 20)) e += 2;
  int calls = 0;
  Numbers seen;
  w.register_hook([&](const Var& g) {
    ++calls;
    seen = numbers(g);
    return Var();
  });
  loss.backward();
  const Numbers wanted = expected.to_vector<double>(), got = numbers(w.grad());
  CHECK(calls == 1);
  CHECK(seen == got);
  for (size_t i = 0; i < wanted.size(); ++i) CHECK(got[i] == Approx(wanted[i]).epsilon(1e-12));
}

TEST_CASE("empty and 0-d", "[engine]") {
  const Var five = leaf(5);
  (five * five).backward();
  CHECK(five.grad().shape() == Shape{});
  CHECK(five.grad().item() == 10);
  const Var a(Tensor::zeros({2, 0}, kFloat64), true), b(Tensor::zeros({0, 3}, kFloat64), true);
  const Var y = matmul(a, b);
  CHECK(numbers(y) == Numbers(6, 0.0));
  sum(y).backward();
  CHECK(a.grad().shape() == Shape{2, 0});
  CHECK(b.grad().shape() == Shape{0, 3});
  const Var x(Tensor::zeros({4, 0}, kFloat64), true), w(Tensor::zeros({3, 0}, kFloat64), true);
  const Var bias = leaf({1, 2, 3});
  const Var out = linear(x, w, bias);
  CHECK(numbers(out) == Numbers{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  sum(out).backward();
  CHECK(x.grad().shape() == Shape{4, 0});
  CHECK(w.grad().shape() == Shape{3, 0});
  CHECK(numbers(bias.grad()) == Numbers{4, 4, 4});
}

TEST_CASE("an error during backward leaves everything usable", "[engine]") {
  const int64_t before = memory_stats().live;
  {
    const Var x = leaf({1, 2}), z = leaf({3, 4});
    const Var h = x * 2.0;
    const Var bad = sum(record(Failing{}, In(h), In(z)) + h * z);
    for (int i = 0; i < 3; ++i)
      CHECK_THAT(message_of([&] { bad.backward({.retain_graph = true}); }),
                 ContainsSubstring("on purpose"));
    CHECK(!x.grad().defined());
    sum(h * z).backward();
    CHECK(numbers(x.grad()) == Numbers{6, 8});
    CHECK(numbers(z.grad()) == Numbers{2, 4});
  }
  CHECK(memory_stats().live == before);
}

TEST_CASE("a gradient of the wrong shape names the op and both shapes", "[engine]") {
  const Var x = leaf({1, 2, 3});
  const std::string message =
      message_of([&] { sum(record(MisshapenGradient{}, In(x))).backward(); });
  CHECK_THAT(message, ContainsSubstring("wrong_shape"));
  CHECK_THAT(message, ContainsSubstring("[2]"));
  CHECK_THAT(message, ContainsSubstring("[3]"));
}

TEST_CASE("nothing stays behind after many steps", "[engine]") {
  const Var w = leaf({1, 2, 3, 4}, {2, 2});
  const Var x(Tensor::from<double>({1, -1, 2, 0.5}, {2, 2}));
  const auto step = [&] {
    Var h = x;
    for (int t = 0; t < 5; ++t) h = tanh(matmul(h, w) + h);
    const Var loss = mean(square(h));
    const Var slope = grad({loss}, {w}, {}, {.create_graph = true})[0];
    (loss + sum(square(slope))).backward();
    w.zero_grad();
  };
  step();
  const int64_t before = memory_stats().live;
  for (int i = 0; i < 200; ++i) step();
  CHECK(memory_stats().live == before);
}

TEST_CASE("a run frees what was saved, also while the output lives", "[engine]") {
  const Var x(Tensor::ones({1000}, kFloat64), true);
  Var y = x;
  const int64_t start = memory_stats().live;
  for (int i = 0; i < 10; ++i) y = exp(y * 0.1);
  const Var loss = sum(y);
  y = Var();
  const int64_t recorded = memory_stats().live - start;
  CHECK(recorded > 10 * 8000);
  loss.backward();
  x.zero_grad();
  CHECK(memory_stats().live - start < 16000);  // the 21 nodes themselves, and the loss
}

TEST_CASE("a backward that names what is not there says so", "[engine]") {
  const Var x = leaf({1, 2}), z = leaf({3, 4});
  const auto message = [&](int what) {
    return message_of([&] { sum(record(Careless{what}, In(x), In(z))).backward(); });
  };
  const std::string read = "careless: its backward reads a value that it did not keep: ";
  CHECK_THAT(message(0), ContainsSubstring(read + "input 1"));
  CHECK_THAT(message(1), ContainsSubstring(read + "input 50"));
  CHECK_THAT(message(2), ContainsSubstring(read + "output 0"));
  const std::string input = "careless: its backward names an input that it does not have: input ";
  CHECK_THAT(message(3), ContainsSubstring(input + "2 of 2"));
  CHECK_THAT(message(4), ContainsSubstring(input + "50000000 of 2"));
}
