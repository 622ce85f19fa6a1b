// What views refuse, and arange.
#include <functional>

#include "tensor/tensor.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("views refuse what they cannot do and say what they met", "[views]") {
  const Tensor x = Tensor::zeros({2, 3}), one = Tensor::scalar(1);
  struct Row {
    std::function<Tensor()> call;
    std::string message;
  };
  for (const auto& [call, message] : std::vector<Row>{
           {[&] {
              return x.reshape({4, 2});
            },
            "reshape: number of elements differs: [2, 3] to [4, 2]"},
           {[&] {
              return x.reshape({-1, 4});
            },
            "reshape: number of elements differs: [2, 3] to [1, 4]"},
           {[&] {
              return x.reshape({-1, -1});
            },
            "reshape: only one size may be -1: [-1, -1]"},
           {[&] {
              return x.reshape({-2, 3});
            },
            "reshape: negative size: [-2, 3]"},
           {[&] {
              return x.reshape({0, -1});
            },
            "reshape: -1 is ambiguous beside a size of 0"},
           {[&] { return x.flatten(1, 0); }, "flatten: start_dim comes after end_dim: 1 and 0"},
           {[&] { return x.flatten(2); }, "flatten: dim out of range: 2, should be in [-2, 1]"},
           {[&] { return x.permute({0}); }, "permute: needs every dim once: [0] for [2, 3]"},
           {[&] {
              return x.permute({0, 0});
            },
            "permute: dim given twice: 0 in [0, 0]"},
           {[&] {
              return x.permute({1, -1});
            },
            "permute: dim given twice: -1 in [1, -1]"},
           {[&] {
              return x.permute({0, 2});
            },
            "permute: dim out of range: 2"},
           {[&] { return x.transpose(0, 2); }, "transpose: dim out of range: 2"},
           {[&] { return x.slice(0, 0, 2, 0); }, "slice: step must be positive: 0"},
           {[&] { return x.slice(0, 0, 2, -1); }, "slice: step must be positive: -1"},
           {[&] { return x.slice(-3, 0); }, "slice: dim out of range: -3, should be in [-2, 1]"},
           {[&] { return one.slice(0, 0); },
            "slice: needs at least one dimension: got a 0-d tensor"},
           {[&] { return x.narrow(1, 2, 2); },
            "narrow: range out of bounds: start 2, length 2 on a size of 3"},
           {[&] { return x.narrow(1, -4, 1); }, "narrow: range out of bounds: start -1"},
           {[&] { return x.narrow(1, 0, -1); }, "narrow: range out of bounds: start 0, length -1"},
           {[&] { return x.narrow(1, 1, INT64_MAX); }, "narrow: range out of bounds"},
           {[&] { return x.select(1, 3); }, "select: index out of range: 3, should be in [-3, 2]"},
           {[&] { return x.select(1, -4); },
            "select: index out of range: -4, should be in [-3, 2]"},
           {[&] { return Tensor::zeros({0}).select(0, 0); }, "select: index out of range: 0"},
           {[&] { return one.select(0, 0); }, "select: needs at least one dimension"},
           {[&] { return x.expand({3}); },
            "expand: fewer dimensions than the tensor: [2, 3] to [3]"},
           {[&] {
              return x.expand({4, 3});
            },
            "expand: a size other than 1 cannot grow: [2, 3] to [4, 3]"},
           {[&] {
              return x.expand({1, 3});
            },
            "expand: a size other than 1 cannot grow: [2, 3] to [1, 3]"},
           {[&] {
              return x.expand({-1, 2, 3});
            },
            "negative size in shape: [-1, 2, 3]"},
           {[&] { return one.expand({-2}); }, "negative size in shape: [-2]"},
           {[&] { return x.unsqueeze(3); }, "unsqueeze: dim out of range: 3, should be in [-3, 2]"},
           {[&] { return x.squeeze(2); }, "squeeze: dim out of range: 2"},
           {[&] {
              return Tensor::from<float>({1, 2, 3}, {2, 2});
            },
            "from: number of values is not the shape's: 3 values for [2, 2]"},
           {[&] { return Tensor::arange(0, 3, 0); }, "arange: step is zero"},
           {[&] { return Tensor::scalar(x.item()); },
            "item: needs exactly one element: shape [2, 3] has 6"},
           {[&] { return Tensor::scalar(x.at({0})); },
            "at: needs one index per dimension: 1 for shape [2, 3]"},
           {[&] {
              return Tensor::scalar(x.at({0, 3}));
            },
            "at: index out of range: 3 on axis 1 of [2, 3]"},
           {[&] {
              return x.copy_(Tensor::zeros({4, 3})), x;
            },
            "expand: a size other than 1 cannot grow: [4, 3] to [2, 3]"},
           {[&] { return static_cast<void>(x.data<double>()), x; },
            "data: types differ: float64 and float32"},
           {[] { return Tensor().reshape({1}); }, "reshape: the tensor is undefined"},
           {[] { return Tensor().permute({}); }, "permute: the tensor is undefined"},
           {[] { return Tensor().select(0, 0); }, "select: the tensor is undefined"},
           {[] { return Tensor().slice(0, 0, 1); }, "slice: the tensor is undefined"},
           {[] { return Tensor().expand({2}); }, "expand: the tensor is undefined"},
       }) {
    INFO(message);
    CHECK_THROWS_WITH(call(), ContainsSubstring(message));
  }
  CHECK(x.to_vector<float>() == std::vector<float>(6, 0));
}

TEST_CASE("arange counts both ways", "[views]") {
  CHECK(Tensor::arange(2, 9, 3).to_vector<int64_t>() == std::vector<int64_t>{2, 5, 8});
  CHECK(Tensor::arange(2, 8, 3).to_vector<int64_t>() == std::vector<int64_t>{2, 5});
  CHECK(Tensor::arange(5, -5, -4).to_vector<int64_t>() == std::vector<int64_t>{5, 1, -3});
  CHECK(Tensor::arange(3, 3).shape() == Shape{0});
  CHECK(Tensor::arange(3, 1).shape() == Shape{0});
  CHECK(Tensor::arange(0, 3, 1, kFloat64).to_vector<double>() == std::vector<double>{0, 1, 2});
}
