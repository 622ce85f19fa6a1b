#include "optim/schedule.h"

#include "optim/plateau.h"
#include "optim/sgd.h"
#include "tests/catch.h"

using namespace glass;

namespace {

std::vector<Var> parameter() { return {Var(Tensor::zeros({1}), true)}; }

// The rates of the first updates from a base of 0.8.
std::vector<double> rates(const Schedule& schedule, int count, double base = 0.8) {
  SGD sgd(parameter(), {.lr = base});
  LRScheduler scheduler(sgd, schedule);
  std::vector<double> lrs;
  for (int i = 0; i < count; ++i) {
    lrs.push_back(sgd.lr());
    scheduler.step();
  }
  return lrs;
}

void check_rates(const Schedule& schedule, const std::vector<double>& want, double base = 0.8) {
  const auto got = rates(schedule, static_cast<int>(want.size()), base);
  for (size_t i = 0; i < want.size(); ++i) {
    INFO("step " << i);
    CHECK(got[i] == Approx(want[i]).epsilon(1e-6).margin(6e-8));
  }
}

}  // namespace

TEST_CASE("steps and borders", "[schedule]") {
  check_rates(StepLR{3, 0.5}, {0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2});
  check_rates(MultiStepLR{{2, 3}, 0.1}, {0.8, 0.8, 0.08, 0.008, 0.008});
  check_rates(MultiStepLR{{2, 2}, 0.1}, {0.8, 0.8, 0.008});
  check_rates(ExponentialLR{0.5}, {0.8, 0.4, 0.2});
}

TEST_CASE("a cosine falls to its end and rises again", "[schedule]") {
  check_rates(CosineAnnealingLR{4}, {0.8, 0.6828427, 0.4, 0.1171573, 0, 0.1171573});
  check_rates(CosineAnnealingLR{2, 0.2}, {0.8, 0.5, 0.2});
  check_rates(CosineAnnealingWarmRestarts{2, 2}, {0.8, 0.4, 0.8, 0.6828427, 0.4, 0.1171573, 0.8});
}

TEST_CASE("lines", "[schedule]") {
  check_rates(LinearWarmup{4}, {0.2, 0.4, 0.6, 0.8, 0.8});
  check_rates(LinearWarmup{2, StepLR{2, 0.5}}, {0.4, 0.8, 0.8, 0.8, 0.4});
  check_rates(LinearLR{0.25, 1, 3}, {0.2, 0.4, 0.6, 0.8, 0.8});
  check_rates(ConstantLR{0.5, 2}, {0.4, 0.4, 0.8});
  check_rates(PolynomialLR{4, 2}, {0.8, 0.45, 0.2, 0.05, 0, 0});
}

TEST_CASE("the inverse square root after a warm-up", "[schedule]") {
  check_rates(NoamLR{512, 4}, {0.0055243, 0.0110485, 0.0165728, 0.0220971, 0.0197642}, 1);
}

TEST_CASE("a schedule keeps the groups apart", "[schedule]") {
  SGD sgd({{parameter(), {.lr = 1}}, {parameter(), {.lr = 0.1}}});
  LRScheduler scheduler(sgd, StepLR{1, 0.5});
  scheduler.step();
  CHECK(sgd.lr(0) == Approx(0.5));
  CHECK(sgd.lr(1) == Approx(0.05));
}

TEST_CASE("a restored schedule continues with the next rate", "[schedule]") {
  SGD a(parameter(), {.lr = 0.8}), b(parameter(), {.lr = 0.3});
  LRScheduler first(a, CosineAnnealingLR{4}), second(b, CosineAnnealingLR{4});
  for (int i = 0; i < 3; ++i) first.step();
  second.load_state_dict(first.state_dict());
  CHECK(second.steps() == 3);
  CHECK(b.lr() == Approx(0.1171573));
  second.step();
  CHECK(b.lr() == Approx(0).margin(1e-12));
}

TEST_CASE("a schedule's state that does not fit is refused", "[schedule]") {
  SGD one(parameter()), two({{parameter(), {}}, {parameter(), {}}});
  LRScheduler a(one, StepLR{1}), b(two, StepLR{1});
  a.step();
  CHECK_THROWS_WITH(b.load_state_dict(a.state_dict()),
                    Catch::Matchers::ContainsSubstring("one float64 per group"));
  CHECK_THROWS_AS(b.load_state_dict({}), Error);
  CHECK(b.steps() == 0);
}

TEST_CASE("schedules that make no sense are refused", "[schedule]") {
  CHECK_THROWS_AS(rates(StepLR{0}, 1), Error);
  CHECK_THROWS_AS(rates(CosineAnnealingLR{0}, 1), Error);
  CHECK_THROWS_AS(rates(NoamLR{512, 0}, 1), Error);
  CHECK_THROWS_AS(rates(Schedule(), 1), Error);
}

TEST_CASE("a plateau lowers the rate after patience reports", "[schedule]") {
  SGD sgd(parameter(), {.lr = 0.8});
  ReduceLROnPlateau plateau(sgd, {.factor = 0.1, .patience = 2});
  std::vector<double> lrs;
  for (int i = 0; i < 5; ++i) {
    plateau.step(5);
    lrs.push_back(sgd.lr());
  }
  for (size_t i = 0; i < 5; ++i) CHECK(lrs[i] == Approx(i < 3 ? 0.8 : 0.08));
}

TEST_CASE("a plateau's cooldown, least rate and NaN", "[schedule]") {
  SGD sgd(parameter(), {.lr = 1});
  ReduceLROnPlateau plateau(sgd, {.factor = 0.5, .patience = 0, .cooldown = 2, .min_lr = 0.2});
  plateau.step(1);
  for (const double want : {0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2}) {
    plateau.step(NAN);
    CHECK(sgd.lr() == Approx(want));
  }
  CHECK(plateau.best() == 1);
  CHECK_THROWS_AS(ReduceLROnPlateau(sgd, {.factor = 1}), Error);
}

TEST_CASE("a restored plateau remembers the best and the bad reports", "[schedule]") {
  SGD a(parameter(), {.lr = 1}), b(parameter(), {.lr = 1});
  const PlateauOptions options{.factor = 0.5, .patience = 2};
  ReduceLROnPlateau first(a, options), second(b, options);
  for (const double metric : {3.0, 4.0, 4.0}) first.step(metric);
  second.load_state_dict(first.state_dict());
  second.step(3.5);
  CHECK(b.lr() == 0.5);
}
