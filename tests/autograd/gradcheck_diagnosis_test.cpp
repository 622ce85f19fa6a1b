// What a failing check says: the cause, the place, the steps, the op.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/gradcheck.h"
#include "autograd/mutants.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Var drawn(const Shape& shape, Generator& generator, double low = -2, double high = 2) {
  return Var(uniform(shape, low, high, kFloat64, generator), true);
}

bool names(const GradReport& report, CauseKind kind) {
  for (const GradBlock& b : report.first.mismatches)
    for (const Cause& c : b.causes)
      if (c.kind == kind) return true;
  return false;
}

// y = tanh(x·w + b), x [4, 3], w [3, 3], b [3]
Vars layer(const Vars& in) { return {tanh(matmul(in[0], in[1]) + in[2])}; }
Vars layer_inputs(uint64_t seed) {
  Generator g(seed);
  return {drawn({4, 3}, g), drawn({3, 3}, g), drawn({3}, g)};
}

// softmax over what a mask allows, of a product with three axes
Vars masked(const Vars& in) {
  return {softmax(where(in[2], in[0] * in[1], Var(Tensor::full({2, 3, 4}, -5, kFloat64))), 2)};
}
Vars masked_inputs(uint64_t seed) {
  Generator g(seed);
  return {drawn({2, 3, 4}, g), drawn({2, 3, 4}, g), Var(bernoulli({2, 3, 4}, 0.6, g))};
}

// One of the usual ops on [3, 3], by its number.
Function op_of(int64_t number) {
  switch (number) {
    case 0:
      return [](const Vars& x) { return Vars{tanh(x[0])}; };
    case 1:
      return [](const Vars& x) { return Vars{x[0] * x[1]}; };
    case 2:
      return [](const Vars& x) { return Vars{matmul(x[0], x[1])}; };
    case 3:
      return [](const Vars& x) { return Vars{softmax(x[0], 1)}; };
    case 4:
      return [](const Vars& x) { return Vars{sigmoid(x[0]) + x[1]}; };
    case 5:
      return [](const Vars& x) { return Vars{sin(x[0])}; };
    case 6:
      return [](const Vars& x) { return Vars{x[0] / (square(x[1]) + 1.0)}; };
    default:
      return [](const Vars& x) { return Vars{x[0] - logsumexp(x[1], 1, true)}; };
  }
}

struct Planting {
  size_t position;
  Function broken;
};

// 50 ops or more in a row, each reading earlier results; one of them may be replaced.
Var deep_network(const Vars& in, uint64_t seed, const Planting* planting) {
  Generator g(seed);
  std::vector<Var> values{in[0], in[1]};
  for (size_t step = 0; step < 17; ++step) {
    const Function op = op_of(g.draw_int(8));
    const Var& last = values.back();
    const Var& other = values[static_cast<size_t>(g.draw_int(static_cast<int64_t>(values.size())))];
    const Vars arguments{last, other};
    const Var y =
        planting && planting->position == step ? planting->broken(arguments)[0] : op(arguments)[0];
    values.push_back(last * 0.8 + y * 0.5);
  }
  return values.back();
}

// The op at a position, as deep_network draws it.
Function op_at(uint64_t seed, size_t position) {
  Generator g(seed);
  int64_t number = 0;
  for (size_t step = 0, known = 2; step <= position; ++step, ++known) {
    number = g.draw_int(8);
    g.draw_int(static_cast<int64_t>(known));
  }
  return op_of(number);
}

struct Search {
  int planted = 0, killed = 0, found = 0;
  std::string missed = {};
};
void search(uint64_t seed, Search& tally) {
  Generator g(1000 + seed);
  const Vars inputs{drawn({3, 3}, g, -1, 1), drawn({3, 3}, g, -1, 1)};
  const size_t position = static_cast<size_t>(g.draw_int(17));
  const Function op = op_at(seed, position);
  const auto draw = [&] { return Vars{drawn({3, 3}, g), drawn({3, 3}, g)}; };
  const std::vector<Mutation> all = mutations(op, draw());
  const Mutation& m = all[static_cast<size_t>(g.draw_int(static_cast<int64_t>(all.size())))];
  if (is_equivalent(op, m, {draw(), draw()})) return;
  ++tally.planted;
  const int line = __LINE__ + 1;
  const Planting planting{position, plant(op, m)};
  const GradReport report =
      check([&](const Vars& x) { return Vars{deep_network(x, seed, &planting)}; }, inputs,
            {.seed = seed, .second_order = false});
  if (report.ok()) return;
  ++tally.killed;
  const std::optional<TapePlace>& where = report.first.where;
  const bool right = where && where->op.starts_with("mutant") && where->line == line;
  tally.found += right;
  if (!right) tally.missed += text("seed ", seed, ": ", m.label, "\n", report.text());
}

}  // namespace

TEST_CASE("every kind of mistake is found and named", "[gradcheck][mutants]") {
  const auto all_named = [](const Function& f, Vars (*inputs)(uint64_t)) {
    std::set<CauseKind> kinds;
    for (const Mutation& m : mutations(f, inputs(1))) {
      if (is_equivalent(f, m, {inputs(2), inputs(3)})) continue;
      const GradReport report = check(plant(f, m), inputs(1), {.second_order = false});
      INFO(m.label << "\n" << report.text());
      CHECK(report.verdict == Verdict::fail);
      CHECK(names(report, m.cause));
      kinds.insert(m.cause);
    }
    return kinds;
  };
  std::set<CauseKind> kinds = all_named(layer, layer_inputs);
  kinds.merge(all_named(masked, masked_inputs));
  for (CauseKind kind :
       {CauseKind::nan, CauseKind::nondeterministic, CauseKind::twice, CauseKind::overwritten,
        CauseKind::stale, CauseKind::missing, CauseKind::sign, CauseKind::factor,
        CauseKind::transposed, CauseKind::permuted, CauseKind::swapped, CauseKind::upstream_ignored,
        CauseKind::wrong_axis, CauseKind::not_reduced, CauseKind::dropped,
        CauseKind::mask_ignored}) {
    INFO(name_of(kind));
    CHECK(kinds.count(kind) == 1);
  }
}

TEST_CASE("the message names cause, place and op", "[gradcheck]") {
  const Mutation m{.cause = CauseKind::transposed, .label = "", .input = 1};
  const Function product = [](const Vars& x) { return Vars{matmul(x[0], x[1])}; };
  const int line = __LINE__ + 1;
  const Function broken = plant(product, m);
  const GradReport report = check(
      [&](const Vars& x) {
        return Vars{tanh(broken({x[0], x[1]})[0] + x[2])};
      },
      layer_inputs(4), {.name = "dense", .input_names = {"x", "W", "b"}, .second_order = false});
  const std::string text = report.text();
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("gradcheck FAILED  dense, input 1 (W [3, 3]), float64, 3 "
                                     "upstream vectors, 6 random directions\n"));
  CHECK_THAT(text, ContainsSubstring("  cause    transposed: analytic equals numericᵀ (residual "));
  CHECK_THAT(text, ContainsSubstring("; next best: "));
  CHECK_THAT(text, ContainsSubstring("  worst    W["));
  CHECK_THAT(text, ContainsSubstring(glass::text(
                       "  where    backward of mutant(transposed), called at ",
                       "tests/autograd/gradcheck_diagnosis_test.cpp:", line, " (op 1 of 3")));
  CHECK_THAT(text, ContainsSubstring("a wrong rule"));
  std::ostringstream printed;
  printed << report;
  CHECK(printed.str() == text);
  REQUIRE(report.first.mismatches.size() == 1);
  const GradBlock& b = report.first.mismatches[0];
  CHECK(b.verdict == Verdict::fail);
  CHECK(b.causes[0].kind == CauseKind::transposed);
  CHECK(b.causes[0].residual < 1e-7);
  CHECK(b.runners_up[0].residual > 0.1);
  CHECK(b.ratio.low < b.ratio.mean);
  CHECK(b.ratio.mean < b.ratio.high);
  CHECK(report.first.others.size() == 2);
  for (const GradBlock& other : report.first.others) {
    CHECK(other.verdict == Verdict::pass);
    CHECK(other.precision < 1e-8);
    CHECK(other.size > 0);
  }
}

TEST_CASE("a factor is put into words where it is a size", "[gradcheck]") {
  const auto words = [](double factor) {
    const Mutation m{.cause = CauseKind::factor, .label = "", .input = 2, .factor = factor};
    const GradReport report = check(plant(layer, m), layer_inputs(4), {.second_order = false});
    return report.first.mismatches.at(0).causes.at(0).text;
  };
  CHECK_THAT(words(0.25), ContainsSubstring("1/4 of numeric (size of axis 0 of [4, 3]): mean for"));
  CHECK_THAT(words(12), ContainsSubstring("12 times numeric (number of elements of [4, 3])"));
  CHECK_THAT(words(0.5), ContainsSubstring("½"));
  CHECK_THAT(words(0.73), ContainsSubstring("0.73 times numeric"));
}

TEST_CASE("what no hypothesis explains is said to be unknown, with its place", "[gradcheck]") {
  const auto wrong = [](const Vars& x) {  // lacks a term in the first row only
    const Var rest = sin(select(x[0], 0, 0));
    return Vars{tanh(x[0]), rest.detach() * cos(select(x[0], 0, 0).detach() * 2.0) * 0.0 +
                                square(select(x[0], 0, 0)) * rest.detach()};
  };
  Generator g(3);
  const GradReport report = check(wrong, {drawn({3, 4}, g)}, {.second_order = false});
  INFO(report.text());
  CHECK(report.verdict == Verdict::fail);
  CHECK(report.first.mismatches.at(0).causes.empty());
  CHECK_THAT(report.text(), ContainsSubstring("none that is known fits; nearest: "));
  CHECK_THAT(report.text(), ContainsSubstring("4 of 12 elements differ: index 0 of axis 0"));
}

TEST_CASE("steps tell a wrong rule from a kink and from a lack of precision", "[gradcheck]") {
  const auto steps = [](const Function& f, const Vars& inputs) {
    const GradReport report = check(f, inputs, {.second_order = false});
    INFO(report.text());
    CHECK(!report.ok());
    CHECK(report.first.sweep.size() >= 8);
    return report.first.sweep_text;
  };
  const auto wrong = [](const Vars& x) { return Vars{x[0].detach() * x[0]}; };
  CHECK_THAT(steps(wrong, {leaf({1, 2})}), ContainsSubstring("every step: a wrong rule"));
  const auto kinked = [](const Vars& x) { return Vars{relu(x[0])}; };
  CHECK_THAT(steps(kinked, {leaf({0.0, 1.0})}), ContainsSubstring("a kink"));
  const auto single = [](const Vars& x) {  // computes in float32 and says float64
    return Vars{to(tanh(to(x[0], kFloat32)), kFloat64)};
  };
  Generator g(1);
  const GradReport report = check(single, {drawn({3}, g)}, {.second_order = false});
  INFO(report.text());
  CHECK_THAT(report.first.sweep_text, ContainsSubstring("a floor of precision"));
  CHECK(names(report, CauseKind::precision));
}

TEST_CASE("a sample on a kink can be moved", "[gradcheck]") {
  const auto f = [](const Vars& x) { return Vars{relu(x[0])}; };
  const Var x = leaf({0.0, 1.0, -1.0});
  CHECK(check(f, {x}).verdict == Verdict::kink);
  const GradReport moved = check(f, {x}, {.move_off_kinks = true});
  CHECK(moved.ok());
  CHECK(moved.moved == 1);
  CHECK_THAT(moved.text(), ContainsSubstring("moved 1 time"));
  CHECK(numbers(x) == std::vector<double>{0, 1, -1});
}

TEST_CASE(
    "gear 2 tries every element, refuses what would take too long, and says what a sample "
    "misses",
    "[gradcheck]") {
  Generator g(2);
  const Var small = drawn({4, 5}, g), large = drawn({300, 100}, g);
  const auto f = [](const Vars& x) { return Vars{sum(sin(x[0]))}; };
  const GradReport all = check(f, {small}, {.second_order = false, .gear = 2});
  CHECK(all.ok());
  CHECK(all.first.missed == 0);
  CHECK_THROWS_WITH(check(f, {large}, {.gear = 2}),
                    ContainsSubstring("30000 elements one by one") &&
                        ContainsSubstring("use gear 1, or sample: columns = "));
  const GradReport some = check(f, {large}, {.second_order = false, .gear = 2, .columns = 300});
  CHECK(some.ok());
  CHECK(some.first.missed == Approx(0.99));
  CHECK_THAT(some.text(),
             ContainsSubstring("a single wrong element would be missed with probability 0.99"));
  CHECK_THROWS_AS(check(f, {small}, {.gear = 3}), Error);
  const Mutation dropped{.cause = CauseKind::dropped, .label = "", .axis = -1};
  const GradReport failed = check(plant(f, dropped), {small}, {.second_order = false, .gear = 2});
  CHECK(names(failed, CauseKind::dropped));
}

TEST_CASE("the op that is wrong is found in a network of fifty", "[gradcheck][mutants]") {
  Generator g(1);
  std::set<Node*> nodes;
  std::vector<Var> next{deep_network({drawn({3, 3}, g), drawn({3, 3}, g)}, 1, nullptr)};
  while (!next.empty()) {
    const Var y = next.back();
    next.pop_back();
    if (!nodes.insert(y.node().get()).second) continue;
    for (const Edge& edge : y.node()->edges())
      if (edge.node) next.emplace_back(Tensor(), edge.node, edge.output);
  }
  CHECK(nodes.size() >= 50);
  Search tally;
  for (uint64_t seed = 0; seed < 40; ++seed) search(seed, tally);
  INFO(tally.missed);
  CHECK(tally.planted >= 20);
  CHECK(tally.killed * 100 >= tally.planted * 95);
  CHECK(tally.found * 100 >= tally.killed * 95);
}

TEST_CASE("the op that is wrong is found, five hundred times", "[.slow][gradcheck][mutants]") {
  Search tally;
  for (uint64_t seed = 0; seed < 500; ++seed) search(seed, tally);
  INFO(tally.missed);
  INFO(tally.planted << " planted, " << tally.killed << " killed, " << tally.found << " found");
  CHECK(tally.killed * 100 >= tally.planted * 95);
  CHECK(tally.found * 100 >= tally.killed * 95);
  std::printf("in deep networks: %d planted, %d killed, %d found\n", tally.planted, tally.killed,
              tally.found);
}

TEST_CASE("a right network raises no alarm and names nothing", "[gradcheck]") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Generator g(seed);
    const Vars inputs{drawn({3, 3}, g, -1, 1), drawn({3, 3}, g, -1, 1)};
    const GradReport report =
        check([&](const Vars& x) { return Vars{deep_network(x, seed, nullptr)}; }, inputs,
              {.seed = seed, .second_order = false});
    INFO(report.text());
    CHECK(report.first.verdict == Verdict::pass);  // an input may be left out by chance
    CHECK(report.first.mismatches.empty());
    CHECK_FALSE(report.first.where);
  }
}

TEST_CASE("inputs are counted as the function counts them", "[gradcheck]") {
  Generator g(5);
  const Vars inputs{Var(uniform({2, 3}, -1, 1, kFloat64, g)), drawn({3, 2}, g)};
  const Function product = [](const Vars& x) { return Vars{matmul(x[0], x[1])}; };
  const GradReport report =
      check(plant(product, {.cause = CauseKind::sign, .label = "", .input = 1}), inputs);
  CHECK(report.first.mismatches.at(0).input_number == 1);
  CHECK_THAT(report.text(), ContainsSubstring("function, input 1 [3, 2], float64"));
}
