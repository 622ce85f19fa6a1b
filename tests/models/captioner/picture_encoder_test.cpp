#include "models/captioner/picture_encoder.h"

#include <nlohmann/json.hpp>

#include "autograd/gradcheck.h"
#include "tensor/ops.h"
#include "tensor/safetensors.h"
#include "tests/catch.h"
#include "tests/tensor/scratch.h"

using namespace glass;

namespace {

Tensor random_pictures(const Shape& shape, uint64_t seed = 5) {
  Generator g(seed);
  return uniform(shape, -1, 1, kFloat64, g);
}

GradReport checked(Module& module, const std::function<Var()>& f) {
  CheckOptions options;
  options.second_order = false;
  for (const auto& [name, p] : module.named_parameters()) options.input_names.push_back(name);
  return check([&](const Vars&) { return Vars{f()}; }, module.parameters(), options);
}

}  // namespace

TEST_CASE("ResidualBlock: gradients, and what it is", "[captions]") {
  for (const int64_t stride : {1, 2}) {
    Generator g(1);
    ResidualBlock block(3, stride == 1 ? 3 : 4, stride, g);
    block.to(kFloat64);
    CHECK(block.shortcut.has_value() == (stride == 2));
    const Var x(random_pictures({2, 3, 5, 4}));
    const GradReport report = checked(block, [&] { return block(x); });
    INFO(report.text());
    CHECK(report.ok());
    CHECK(block(x).shape() == (stride == 1 ? Shape{2, 3, 5, 4} : Shape{2, 4, 2, 2}));
  }
  Generator g(1);
  ResidualBlock block(3, 3, 1, g);
  block.to(kFloat64);
  block.norm2.weight.value().zero_();  // what is left is the shortcut
  const Var x(random_pictures({2, 3, 4, 4}));
  CHECK(block(x).value().to_vector<double>() == relu(x).value().to_vector<double>());
}

TEST_CASE("PictureEncoder: gradients of every parameter", "[captions]") {
  Generator g(1);
  PictureEncoder encoder({.channels = 4, .stages = 1, .blocks = 2}, g);
  encoder.to(kFloat64);
  const Tensor x = random_pictures({2, 3, 6, 4});
  const GradReport report = checked(encoder, [&] { return encoder(x); });
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("PictureEncoder: a cell is a place of the picture, row by row", "[captions]") {
  Generator g(2);
  PictureEncoder encoder({.channels = 8, .stages = 2}, g);
  encoder.to(kFloat64);
  encoder.eval();
  const NoGrad no_grad;
  Tensor x = random_pictures({1, 3, 32, 24});
  const Var before = encoder(x);
  CHECK(before.shape() == Shape{1, 8 * 6, 8});
  CHECK(encoder.cells_along(32) == 8);
  CHECK(encoder.cells_along(35) == 8);
  CHECK_THROWS_AS(encoder.cells_along(3), Error);
  x = x.clone();
  x.select(0, 0).select(0, 1).narrow(0, 13, 1).narrow(1, 21, 1).fill_(9);  // row 3, column 5
  const Tensor change = abs((encoder(x) - before).value());
  double largest = 0;
  int64_t at = -1;
  for (int64_t cell = 0; cell < 48; ++cell) {
    const double size = sum(change.select(0, 0).select(0, cell)).item();
    if (size > largest) at = cell;
    largest = std::max(largest, size);
    if (std::abs(cell / 6 - 3) > 3) CHECK(size == 0);  // too far away to see it
  }
  CHECK(std::abs(at / 6 - 3) <= 1);
  CHECK(std::abs(at % 6 - 5) <= 1);
  // A cell sees as far to each side: turned round, the picture gives the cells turned round.
  for (ResidualBlock& block : encoder.blocks)
    for (Conv2d* conv : {&block.conv1, &block.conv2, &*block.shortcut})
      conv->weight.value().fill_(0.01);
  encoder.stem.weight.value().fill_(0.01);
  encoder.stem.weight.value().narrow(1, 3, 2).zero_();  // blind to places
  const Tensor y = encoder(random_pictures({1, 3, 16, 16}, 8)).value();
  const Tensor z = encoder(flip(Var(random_pictures({1, 3, 16, 16}, 8)), {2, 3}).value()).value();
  CHECK(amax(abs(flip(Var(y), {1}) - Var(z))).item() < 1e-12);
  // Equal pixels are still different places.
  encoder.stem.weight.value().narrow(1, 3, 2).fill_(0.01);
  const Var flat = encoder(Tensor::zeros({1, 3, 32, 24}));
  CHECK(sum(abs(select(flat, 1, 13) - select(flat, 1, 22))).item() > 0);
  CHECK_THROWS_AS(encoder(Tensor::zeros({1, 4, 8, 8})), Error);
  CHECK_THROWS_AS(PictureEncoder({.channels = 6, .stages = 2}, g), Error);
}

TEST_CASE("A frozen encoder keeps weights and statistics", "[captions]") {
  Generator g(3);
  PictureEncoder encoder({.channels = 4, .stages = 1, .frozen = true}, g);
  encoder.train();
  const auto before = encoder.state_dict();
  std::vector<std::vector<float>> values;
  for (const auto& [name, t] : before.tensors) values.push_back(t.to(kFloat32).to_vector<float>());
  const Var y = encoder(random_pictures({2, 3, 8, 8}).to(kFloat32));
  CHECK_FALSE(y.requires_grad());
  size_t i = 0;
  for (const auto& [name, t] : encoder.state_dict().tensors)
    CHECK(t.to(kFloat32).to_vector<float>() == values[i++]);
}

TEST_CASE("An encoder begins with the weights of a file, its own or a model's", "[captions]") {
  const tests::Scratch folder;
  Generator g(4);
  const PictureEncoderOptions options{.channels = 4, .stages = 1};
  PictureEncoder first(options, g), second(options, g), third(options, g);
  save_safetensors(folder / "encoder.safetensors", first.state_dict());
  NamedTensors model;
  for (const auto& [name, t] : first.state_dict().tensors) model.add("encoder.picture." + name, t);
  model.add("decoder.output.weight", Tensor::zeros({2}));
  save_safetensors(folder / "model.safetensors", model);
  load_picture_encoder(second, folder / "encoder.safetensors");
  load_picture_encoder(third, folder / "model.safetensors");
  for (PictureEncoder* each : {&second, &third})
    CHECK(each->stem.weight.value().to_vector<float>() ==
          first.stem.weight.value().to_vector<float>());
  PictureEncoder other({.channels = 8, .stages = 1}, g);
  CHECK_THROWS_WITH(load_picture_encoder(other, folder / "model.safetensors"),
                    Catch::Matchers::ContainsSubstring("does not fit the picture encoder"));
}

TEST_CASE("PictureEncoderOptions survive JSON, and damage is named", "[captions]") {
  const PictureEncoderOptions options{.channels = 32, .stages = 3, .blocks = 2, .frozen = true};
  const nlohmann::json json = to_json(options);
  CHECK(to_json(picture_encoder_options(json)) == json);
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"channels", 36},
                                   {"stages", 9},
                                   {"frozen", 1},
                                   {"colour", 2}}) {
    nlohmann::json wrong = json;
    wrong[key] = value;
    CHECK_THROWS_WITH(picture_encoder_options(wrong), Catch::Matchers::ContainsSubstring(key));
  }
}
