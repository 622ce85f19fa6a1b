#include "autograd/ops/dropout.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

// y = x·m/(1 - p), m drawn; linear in x, so that dx is dy under the same m.
struct Dropout {
  static constexpr const char* name = "dropout";
  double p;
  Generator::State place;
  Tensor forward(const Tensor& x) const {
    Generator generator = Generator::from(place);
    return dropout(x, p, generator);
  }
  void backward(Backward& b, const Saved&) const {
    b.add(0, record(Dropout{p, place}, In(b.grad())));
  }
};

}  // namespace

Var dropout(In x, double p, bool training, Generator& generator) {
  if (!(p >= 0 && p <= 1)) fail("dropout", "p must be in [0, 1]", p);
  if (!training || p == 0) return *x;
  const Generator::State place = generator.state();
  Var y = record(Dropout{p, place}, x);
  generator.take(static_cast<uint64_t>(x->numel() / 4 + (x->numel() % 4 != 0)));
  return y;
}

namespace {

// The mask drawn by itself, and a product: what the single pass must equal.
Sample dropped(const char* label, const Shape& shape, double p) {
  const Generator start(7);
  return {.label = label,
          .inputs = {{shape}},
          .f =
              [=](const Vars& v) {
                Generator generator = start;
                return Vars{dropout(v[0], p, true, generator)};
              },
          .reference =
              [=](const Columns& x) {
                Generator generator = start;
                const Tensor kept = bernoulli(shape, 1 - p, generator);
                Numbers y;
                for (size_t i = 0; i < x[0].size(); ++i)
                  y.push_back(kept.to_vector<bool>()[i] ? x[0][i] / (1 - p) : 0);
                return y;
              }};
}

}  // namespace

std::vector<Entry> dropout_ops() {
  const auto call = [](double p, DType dtype) {
    Generator generator;
    dropout(ones({2}, dtype), p, true, generator);
  };
  Sample all = dropped("everything", {5}, 1);
  all.expect = Verdict::vacuous;
  all.reference = [](const Columns&) { return Numbers(5, 0.0); };
  const Sample evaluation{.label = "not training",
                          .inputs = {{{3}}},
                          .f =
                              [](const Vars& v) {
                                Generator generator;
                                return Vars{dropout(v[0], 0.5, false, generator)};
                              },
                          .reference = [](const Columns& x) { return x[0]; }};
  return {{.name = "dropout",
           .formula = "y = x·m/(1 - p), m = 1 with probability 1 - p, else 0",
           .gradient = "dx = dy·m/(1 - p), the same m",
           .notes = "Not training or p = 0: y = x. p = 1: y = 0.",
           .samples = {dropped("half", {5, 3}, 0.5), dropped("rarely", {40}, 0.1),
                       dropped("never", {3}, 0), all, dropped("empty", {0, 3}, 0.5), evaluation},
           .errors = {{"p above 1", [=] { call(1.5, kFloat32); }, "p must be in [0, 1]: 1.5"},
                      {"p below 0", [=] { call(-0.1, kFloat32); }, "p must be in [0, 1]: -0.1"},
                      {"p no number", [=] { call(NAN, kFloat32); }, "p must be in [0, 1]"},
                      {"integers", [=] { call(0.5, kInt64); }, "got int64"}},
           .replay = [](Replay& r) {
             Generator generator;
             return Vars{
                 dropout(r["input"], r.real("p", 0.5), r.flag("training", true), generator)};
           }}};
}

}  // namespace glass
