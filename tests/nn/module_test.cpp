#include "nn/module.h"

#include "nn/embedding.h"
#include "nn/linear.h"
#include "tests/catch.h"

using namespace glass;

namespace {

using Names = std::vector<std::string>;

/// A language model in small: the output layer's weight is the table's, and a counter is kept.
struct Tied : Module {
  explicit Tied(Generator& generator) : table(4, 3, -1, generator), output(3, 4, true, generator) {
    output.weight = table.weight;
  }
  void visit(Visitor& v) override {
    v("table", table);
    v("output", output);
    v("scale", scale);
    v("seen", seen);
    v("absent", absent);
  }
  Embedding table;
  Linear output;
  Var absent;
  Tensor scale = Tensor::full({2}, 0.5);
  Tensor seen = Tensor::full({}, 7, kInt64);
};

template <class Named>
Names names_of(const Named& named) {
  Names names;
  for (const auto& [name, value] : named) names.push_back(name);
  return names;
}

NamedTensors copy_of(const NamedTensors& state) {
  NamedTensors copy;
  for (const auto& [name, tensor] : state.tensors) copy.add(name, tensor.clone());
  return copy;
}

std::vector<float> all_values(Module& module) {
  std::vector<float> values;
  for (const Var& p : module.parameters())
    for (const float x : p.value().to_vector<float>()) values.push_back(x);
  return values;
}

}  // namespace

TEST_CASE("members have paths, and absent ones are not shown", "[module]") {
  Generator generator(1);
  Tied model(generator);
  CHECK(names_of(model.named_parameters()) ==
        Names{"table.weight", "output.weight", "output.bias"});
  CHECK(names_of(model.named_buffers()) == Names{"scale", "seen"});
  CHECK(names_of(model.state_dict().tensors) ==
        Names{"table.weight", "output.weight", "output.bias", "scale", "seen"});
}

TEST_CASE("a tied parameter counts once", "[module]") {
  Generator generator(1);
  Tied model(generator);
  CHECK(model.parameters().size() == 2);
  CHECK(model.num_parameters() == 4 * 3 + 4);
}

TEST_CASE("train and eval reach every module below", "[module]") {
  Generator generator(1);
  Tied model(generator);
  CHECK(model.output.is_training());
  model.eval();
  CHECK(!model.is_training());
  CHECK(!model.output.is_training());
  CHECK(!model.table.is_training());
  model.train();
  CHECK(model.table.is_training());
}

TEST_CASE("zero_grad empties all gradients", "[module]") {
  Generator generator(1);
  Tied model(generator);
  sum(model.output(model.table(Var(Tensor::from<int64_t>({1, 2}))))).backward();
  CHECK(model.table.weight.grad().defined());
  model.zero_grad();
  for (const Var& p : model.parameters()) CHECK(!p.grad().defined());
}

TEST_CASE("a conversion keeps ties, leaves integers alone and rounds nothing twice", "[module]") {
  Generator generator(1);
  Tied model(generator);
  const auto before = all_values(model);
  model.to(kFloat64);
  CHECK(model.table.weight.dtype() == kFloat64);
  CHECK(model.output.weight.node().get() == model.table.weight.node().get());
  CHECK(model.scale.dtype() == kFloat64);
  CHECK(model.seen.dtype() == kInt64);
  CHECK(model.table.weight.requires_grad());
  model.to(kFloat32);
  CHECK(all_values(model) == before);
  CHECK_THROWS_AS(model.to(kInt64), Error);
}

TEST_CASE("a conversion to the type it has changes nothing", "[module]") {
  Generator generator(1);
  Linear layer(2, 2, true, generator);
  sum(layer(Var(Tensor::ones({2})))).backward();
  layer.to(kFloat32);
  CHECK(layer.weight.grad().defined());
}

TEST_CASE("a clone has equal values of its own, and the same ties", "[module]") {
  Generator generator(1);
  Tied model(generator);
  Tied copy = clone(model);
  CHECK(all_values(copy) == all_values(model));
  CHECK(copy.output.weight.node().get() == copy.table.weight.node().get());
  CHECK(copy.table.weight.node().get() != model.table.weight.node().get());
  copy.table.weight.value().zero_();
  copy.scale.zero_();
  CHECK(model.table.weight.value().at({0, 0}) != 0);
  CHECK(model.scale.at({0}) == 0.5);
}

TEST_CASE("a module with two names is converted, copied and loaded once", "[module]") {
  struct Twice : Module {
    explicit Twice(Generator& generator) : layer(2, 2, false, generator) {}
    void visit(Visitor& v) override {
      v("a", layer);
      v("b", layer);
    }
    Linear layer;
  };
  Generator generator(1);
  Twice model(generator);
  model.to(kFloat64);
  CHECK(model.num_parameters() == 4);
  Twice copy = clone(model);
  CHECK(copy.layer.weight.node().get() != model.layer.weight.node().get());
  copy.layer.weight.value().zero_();
  model.load_state_dict(copy.state_dict());
  CHECK(model.layer.weight.value().at({1, 1}) == 0);
}

TEST_CASE("a copy shares its parameters", "[module]") {
  Generator generator(1);
  Tied model(generator);
  Tied copy = model;
  copy.table.weight.value().zero_();
  CHECK(model.table.weight.value().at({0, 0}) == 0);
}

TEST_CASE("a state goes into another model of the same form", "[module]") {
  Generator generator(1);
  Tied a(generator), b(generator);
  REQUIRE(all_values(a) != all_values(b));
  a.seen.fill_(9);
  b.load_state_dict(a.state_dict());
  CHECK(all_values(a) == all_values(b));
  CHECK(b.seen.item() == 9);
  CHECK(!b.table.weight.value().shares_storage(a.table.weight.value()));
}

TEST_CASE("a state of another floating type is converted", "[module]") {
  Generator generator(1);
  Tied a(generator), b(generator);
  const auto values = all_values(a);
  a.to(kFloat64);
  b.load_state_dict(a.state_dict());
  CHECK(b.table.weight.dtype() == kFloat32);
  CHECK(all_values(b) == values);
}

TEST_CASE("a state that does not fit is refused with all its faults, and changes nothing",
          "[module]") {
  Generator generator(1);
  Tied model(generator);
  NamedTensors state = copy_of(model.state_dict());
  for (auto& [name, tensor] : state.tensors) tensor.fill_(1);
  state.tensors[2] = {"output.bias", Tensor::zeros({5})};    // another shape
  state.tensors[3] = {"sclae", Tensor::zeros({2})};          // another name
  state.tensors[4] = {"seen", Tensor::zeros({}, kFloat32)};  // another type
  const auto before = all_values(model);
  try {
    model.load_state_dict(state);
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    for (const char* part : {"missing: scale", "surplus: sclae", "output.bias is [5] float32",
                             "needs [4] float32", "seen is [] float32, needs [] int64"})
      CHECK_THAT(e.values(), Catch::Matchers::ContainsSubstring(part));
  }
  CHECK(all_values(model) == before);
}

TEST_CASE("two values for one tied parameter are refused", "[module]") {
  Generator generator(1);
  Tied model(generator);
  NamedTensors state = copy_of(model.state_dict());
  state.tensors[1].second.fill_(1);
  const auto before = all_values(model);
  CHECK_THROWS_WITH(model.load_state_dict(state),
                    Catch::Matchers::ContainsSubstring("table.weight and output.weight"));
  CHECK(all_values(model) == before);
}

TEST_CASE("a state that shares memory with the model is read before it is overwritten",
          "[module]") {
  struct Pair : Module {
    void visit(Visitor& v) override {
      v("a", a);
      v("b", b);
    }
    Var a = parameter(Tensor::from<float>({1, 2}));
    Var b = parameter(Tensor::from<float>({3, 4}));
  } pair;
  NamedTensors swapped;
  swapped.add("a", pair.b.value());
  swapped.add("b", pair.a.value());
  pair.load_state_dict(swapped);
  CHECK(pair.a.value().to_vector<float>() == std::vector<float>{3, 4});
  CHECK(pair.b.value().to_vector<float>() == std::vector<float>{1, 2});
}

TEST_CASE("loading makes a backward that saved the old values say so", "[module]") {
  Generator generator(1);
  Linear layer(2, 2, true, generator);
  const Var x(Tensor::ones({1, 2}), true);
  const Var loss = sum(layer(x));
  layer.load_state_dict(copy_of(layer.state_dict()));
  CHECK_THROWS_AS(loss.backward(), Error);
}
