// Points where a first or second derivative is easily NaN or a zero that should not be: no spread,
// powers of 0, saturation, infinite logits. Every op of the kind, both kinds of backward.
#include <cmath>
#include <functional>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/ops/attention.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

struct Row {
  const char* name;
  std::vector<double> x;
  std::function<Var(const Var&)> f;
};

bool all_finite(const std::vector<double>& values) {
  for (const double v : values)
    if (!std::isfinite(v)) return false;
  return true;
}

// Weights of a sum, so that no gradient cancels.
Var weights_for(const Var& y) {
  std::vector<double> w;
  for (int64_t i = 0; i < y.numel(); ++i) w.push_back(1 + 0.5 * double(i));
  return Var(Tensor::from(w, y.shape()).to(y.dtype()), true);
}

// First gradients (plain and under create_graph) are equal and finite, and so are the second.
void check_smooth(const Row& row, DType dtype) {
  INFO(row.name << ", " << dtype);
  const Var x(Tensor::from(row.x, {static_cast<int64_t>(row.x.size())}).to(dtype), true);
  const Var y = row.f(x), w = weights_for(y);
  const auto plain = numbers(grad({y}, {x}, {w}, {.retain_graph = true})[0]);
  const Var first = grad({y}, {x}, {w}, {.create_graph = true})[0];
  CHECK(all_finite(plain));
  const auto again = numbers(first);
  for (size_t i = 0; i < plain.size(); ++i) CHECK(again[i] == Approx(plain[i]).margin(1e-6));
  if (!first.requires_grad()) return;
  for (const Var& second : grad({first}, {x, w}, {weights_for(first).detach()}))
    if (second.defined()) CHECK(all_finite(numbers(second)));
}

void check_smooth(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    for (const DType dtype : {kFloat32, kFloat64}) check_smooth(row, dtype);
}

Var matrix(const Var& x) { return reshape(x, {2, 2}); }

}  // namespace

TEST_CASE("without any spread no gradient is NaN, of any order", "[ops]") {
  const std::vector<double> zeros{0, 0, 0, 0}, equal{5, 5, 5, 5};
  std::vector<Row> rows;
  for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0, double(INFINITY)})
    rows.push_back({"norm of zeros", zeros, [p](const Var& x) { return norm(x, p); }});
  for (const double p : {1.0, double(INFINITY), -1.0, -double(INFINITY)})
    rows.push_back(
        {"linalg.norm of zeros", zeros, [p](const Var& x) { return linalg::norm(matrix(x), p); }});
  const auto pairs = [](const Var& x) { return reshape(x, {4, 1}); };
  const std::vector<Row> more{
      {"rows, one of them zeros",
       {0, 0, 3, 4},
       [](const Var& x) { return norm(matrix(x), 2, {1}); }},
      {"std", equal, [](const Var& x) { return standard_deviation(x); }},
      {"std of a population of one",
       {5},
       [](const Var& x) { return standard_deviation(x, {}, false, 0); }},
      {"var", equal, [](const Var& x) { return var(x); }},
      {"cosine_similarity of zeros", zeros,
       [](const Var& x) { return cosine_similarity(x, Var(Tensor::ones({4}, x.dtype())), 0); }},
      {"cosine_similarity of zeros with themselves", zeros,
       [](const Var& x) { return cosine_similarity(x, x, 0); }},
      {"cosine_embedding_loss of zeros", zeros,
       [](const Var& x) { return cosine_embedding_loss(x, x, Var(Tensor::scalar(1, x.dtype()))); }},
      {"triplet_margin_loss of equal points", equal,
       [](const Var& x) { return triplet_margin_loss(matrix(x), matrix(x), matrix(x)); }},
      {"layer_norm", equal, [](const Var& x) { return layer_norm(x, {4}); }},
      {"group_norm", equal,
       [=](const Var& x) {
         return group_norm(reshape(x, {1, 4}), 2);
       }},
      {"instance_norm", equal,
       [](const Var& x) {
         return instance_norm(reshape(x, {1, 2, 2}));
       }},
      {"batch_norm", equal, [=](const Var& x) { return batch_norm(pairs(x), {}, {}, {}, true); }},
      {"mse_loss", equal, [](const Var& x) { return mse_loss(x, x.detach()); }},
      {"l1_loss", equal, [](const Var& x) { return l1_loss(x, x.detach()); }},
      {"huber_loss", equal, [](const Var& x) { return huber_loss(x, x.detach()); }},
      {"smooth_l1_loss", equal, [](const Var& x) { return smooth_l1_loss(x, x.detach()); }},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  check_smooth(rows);
}

TEST_CASE("powers of 0 have the slopes of calculus, of both orders", "[ops]") {
  const double first[] = {0, 1, 0, 0}, second[] = {0, 0, 2, 0};
  for (int n = 0; n < 4; ++n) {
    INFO("exponent " << n);
    const Var exponent = Var(Tensor::scalar(n, kFloat64));
    for (const bool number : {true, false}) {
      const Var x = leaf(0.0);
      const Var y = number ? pow(x, double(n)) : pow(x, exponent);
      const Var dx = grad({y}, {x}, {}, {.create_graph = true})[0];
      CHECK(dx.item() == first[n]);
      const Var dxx = dx.requires_grad() ? grad({dx}, {x})[0] : Var();
      CHECK((dxx.defined() ? dxx.item() : 0) == second[n]);
    }
  }
  // Products of several axes with zeros, whose gradients no division gives.
  const Var x = leaf({2, 0, 3, 0, 5, 7, 1, 4}, {2, 2, 2});
  const Var y = prod(x, {0, 2});  // 2·0·5·7 and 3·0·1·4
  const Var dx = grad({y}, {x}, {Var(Tensor::from({1.0, 10.0}))}, {.create_graph = true})[0];
  CHECK(numbers(dx) == std::vector<double>{0, 70, 0, 120, 0, 0, 0, 0});
}

TEST_CASE("saturated functions have finite derivatives of both orders", "[ops]") {
  const std::vector<double> far{-500, -100, -30, 0, 30, 100, 500};
  check_smooth({
      {"sigmoid", far, [](const Var& v) { return sigmoid(v); }},
      {"tanh", far, [](const Var& v) { return tanh(v); }},
      {"logsigmoid", far, [](const Var& v) { return logsigmoid(v); }},
      {"softplus", far, [](const Var& x) { return softplus(x); }},
      {"softplus, steep", far, [](const Var& x) { return softplus(x, 3, 10); }},
      {"silu", far, [](const Var& v) { return silu(v); }},
      {"elu", far, [](const Var& x) { return elu(x); }},
      {"gelu", far, [](const Var& x) { return gelu(x); }},
      {"gelu, tanh", far, [](const Var& x) { return gelu(x, GeluKind::tanh); }},
      {"erf", far, [](const Var& v) { return erf(v); }},
      {"glu", {-500, 100, 500, -500}, [](const Var& x) { return glu(x); }},
      {"softmax", far, [](const Var& x) { return softmax(x, 0); }},
      {"log_softmax", far, [](const Var& x) { return log_softmax(x, 0); }},
      {"logsumexp", far, [](const Var& x) { return logsumexp(x, 0); }},
      {"masked_softmax", far, [](const Var& x) { return masked_softmax(x, {}); }},
      {"cross_entropy", far,
       [](const Var& x) { return cross_entropy(x, Var(Tensor::scalar(0, kInt64))); }},
      {"cross_entropy, smoothed", far,
       [](const Var& x) {
         return cross_entropy(x, Var(Tensor::scalar(0, kInt64)), {.label_smoothing = 0.1});
       }},
      {"cross_entropy of shares", far,
       [](const Var& x) { return cross_entropy(x, Var(Tensor::full({7}, 1.0 / 7, x.dtype()))); }},
      {"binary_cross_entropy_with_logits", far,
       [](const Var& x) {
         return binary_cross_entropy_with_logits(x, Var(Tensor::full({7}, 0.25, x.dtype())));
       }},
      {"binary_cross_entropy at its ends",
       {0, 1, 0, 1},
       [](const Var& x) {
         const Var t(Tensor::from({0.0, 1.0, 1.0, 0.0}).to(x.dtype()));
         return binary_cross_entropy(x, t);
       }},
      {"kl_div where the target is 0",
       {-500, 0},
       [](const Var& x) {
         return kl_div(x, Var(Tensor::from({0.0, 1.0}).to(x.dtype())));
       }},
  });
}

TEST_CASE("an impossible class takes no part and harms nothing", "[ops]") {
  const std::vector<double> x{-INFINITY, 0, 1};
  const auto at_one = [] { return Var(Tensor::scalar(1, kInt64)); };
  check_smooth({
      {"softmax", x, [](const Var& v) { return softmax(v, 0); }},
      {"log_softmax", x, [](const Var& v) { return narrow(log_softmax(v, 0), 0, 1, 2); }},
      {"logsumexp", x, [](const Var& v) { return logsumexp(v, 0); }},
      {"masked_softmax", x, [](const Var& v) { return masked_softmax(v, {}); }},
      {"masked_softmax, the rest hidden", x,
       [](const Var& v) {
         return masked_softmax(v, Tensor::from<bool>({true, false, false}));
       }},
      {"cross_entropy", x, [=](const Var& v) { return cross_entropy(v, at_one()); }},
      {"exp", x, [](const Var& v) { return exp(v); }},
      {"sigmoid", x, [](const Var& v) { return sigmoid(v); }},
      {"relu", x, [](const Var& v) { return relu(v); }},
  });
  const Var all(Tensor::full({3}, -INFINITY, kFloat64), true);
  CHECK(numbers(masked_softmax(all, {})) == std::vector<double>{0, 0, 0});
  CHECK(logsumexp(all, 0).item() == -INFINITY);
  CHECK(std::isnan(numbers(softmax(all, 0))[0]));  // 0/0, as documented
  CHECK(std::isnan(numbers(log_softmax(all, 0))[0]));
}
