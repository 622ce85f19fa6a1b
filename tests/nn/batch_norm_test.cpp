#include "nn/batch_norm.h"

#include <cmath>

#include "nn/instance_norm.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

// Means 2 and 4, variances (divided by one less than the number) 2 and 8.
Var batch() { return Var(Tensor::from<float>({1, 2, 3, 6}, {2, 2})); }

}  // namespace

TEST_CASE("training moves the running statistics, evaluation does not", "[batch_norm]") {
  BatchNorm1d layer(2, {.momentum = 0.5});
  layer(batch());
  CHECK(layer.running_mean.at({0}) == Approx(1));
  CHECK(layer.running_mean.at({1}) == Approx(2));
  CHECK(layer.running_var.at({0}) == Approx(1.5));
  CHECK(layer.running_var.at({1}) == Approx(4.5));
  CHECK(layer.num_batches_tracked.item() == 1);
  layer.eval();
  const Var y = layer(batch());
  CHECK(y.value().at({1, 1}) == Approx((6 - 2) / std::sqrt(4.5 + 1e-5)));
  CHECK(layer.running_mean.at({0}) == Approx(1));
  CHECK(layer.num_batches_tracked.item() == 1);
}

TEST_CASE("a batch norm gives the numbers worked out by hand", "[batch_norm]") {
  BatchNorm1d layer(2);
  layer.to(kFloat64);
  const Var y = layer(Var(Tensor::from({1.0, 10.0, 2.0, 10.0, 6.0, 10.0}, {3, 2})));
  check_close(y, {-0.9258191, 0, -0.4629096, 0, 1.3887287, 0});  // divided by n
  check_close(Var(layer.running_mean), {0.3, 1});
  check_close(Var(layer.running_var), {1.6, 0.9});  // divided by n - 1
  layer.eval();
  const Var row(Tensor::from({3.0, 10.0}, {1, 2}));
  check_close(layer(row), {2.1345308, 9.4867803});
  check_close(Var(layer.running_var), {1.6, 0.9});

  BatchNorm2d planes(1);
  planes(Var(Tensor::from<float>({1, 2, 3, 6, 0, 0, 4, 8}, {2, 1, 2, 2})));
  CHECK(planes.running_mean.item() == Approx(0.3));
  CHECK(planes.running_var.item() == Approx(1.7285714));

  const Var x = leaf({1, 2, 6}, {3, 1});
  batch_norm(x, {}, {}, {}, true, 0.01).backward(Var(Tensor::from({1.0, -2.0, 5.0}, {3, 1})));
  check_close(x.grad(), {0.8346319, -1.0469978, 0.2123659});
}

TEST_CASE("one value per channel is refused by every norm that would train on it", "[batch_norm]") {
  BatchNorm1d rows(2);
  BatchNorm2d planes(2);
  InstanceNorm1d lines(2, {.track_running_stats = true});
  CHECK_THROWS_AS(rows(Var(Tensor::ones({1, 2}))), Error);
  CHECK_THROWS_AS(planes(Var(Tensor::ones({1, 2, 1, 1}))), Error);
  CHECK_THROWS_AS(lines(Var(Tensor::ones({3, 2, 1}))), Error);
  for (const Tensor& stats : {rows.running_var, planes.running_var, lines.running_var})
    CHECK(stats.to_vector<float>() == std::vector<float>{1, 1});
  CHECK(rows.num_batches_tracked.item() == 0);
}

TEST_CASE("without momentum the running statistics are the average of all batches",
          "[batch_norm]") {
  BatchNorm1d layer(2, {.momentum = std::nullopt});
  layer(batch());
  CHECK(layer.running_mean.at({1}) == Approx(4));
  CHECK(layer.running_var.at({1}) == Approx(8));
  layer(batch() + 2.0);
  CHECK(layer.running_mean.at({1}) == Approx(5));
  CHECK(layer.num_batches_tracked.item() == 2);
}

TEST_CASE("without running statistics the batch's own are taken in evaluation too",
          "[batch_norm]") {
  BatchNorm1d layer(2, {.affine = false, .track_running_stats = false});
  layer.eval();
  const Var y = layer(batch());
  CHECK(y.value().at({0, 0}) == Approx(-1).epsilon(1e-4));
  CHECK(layer.state_dict().tensors.empty());
}

TEST_CASE("the state of a batch norm has PyTorch's names, in its order", "[batch_norm]") {
  BatchNorm2d layer(3);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : layer.state_dict().tensors) names.push_back(name);
  CHECK(names == std::vector<std::string>{"weight", "bias", "running_mean", "running_var",
                                          "num_batches_tracked"});
}

TEST_CASE("an instance norm's running statistics average over the rows", "[batch_norm]") {
  InstanceNorm1d layer(1, {.momentum = 1, .track_running_stats = true});
  layer(Var(Tensor::from<float>({1, 3, 4, 8}, {2, 1, 2})));
  CHECK(layer.running_mean.at({0}) == Approx(4));
  CHECK(layer.running_var.at({0}) == Approx(5));  // of 2 and 8
}
