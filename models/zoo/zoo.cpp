#include "models/zoo/zoo.h"

#include <algorithm>
#include <cctype>

#include "autograd/autograd.h"
#include "models/names.h"

namespace glass {
namespace {

// What a place is given in a network, as leaves of their own.
Vars leaves_at(const ZooPlace& place, const NamedValues& values) {
  Vars leaves;
  for (const Var& v : arguments_of(place, values))
    leaves.emplace_back(v.value().clone(), v.requires_grad());
  return leaves;
}

bool names_cause(const GradReport& report, CauseKind kind) {
  for (const GradBlock& b : report.first.mismatches)
    for (const Cause& c : b.causes)
      if (c.kind == kind) return true;
  return false;
}

}  // namespace

size_t zoo_place(const std::string& name) {
  std::vector<std::string> names;
  for (size_t p = 0; p < zoo_places().size(); ++p) {
    if (zoo_places()[p].name == name) return p;
    names.push_back(zoo_places()[p].name);
  }
  fail("zoo", "there is no place of this name", name, "; places: ", listed(names, ", "));
}

const ZooKind& zoo_kind(const std::string& given) {
  std::string name = given;  // as the diagnosis writes it, too
  for (char& c : name)
    c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<uint8_t>(c)));
  std::vector<std::string> names;
  for (const ZooKind& k : zoo_kinds()) {
    if (name_of(k.kind) == name) return k;
    names.emplace_back(name_of(k.kind));
  }
  fail("zoo", "there is no kind of bug of this name", given, "; kinds: ", listed(names, ", "));
}

Zoo::Zoo(uint64_t seed) : seed_(seed), values_(zoo_values(seed)) {
  Generator g(seed + 1);
  const std::vector<ZooKind>& kinds = zoo_kinds();
  const CauseKind kind =
      kinds[static_cast<size_t>(g.draw_int(static_cast<int64_t>(kinds.size())))].kind;
  std::vector<Candidate> left = candidates(kind);
  while (!left.empty()) {
    const auto n = static_cast<size_t>(g.draw_int(static_cast<int64_t>(left.size())));
    place_ = left[n].place;
    bug_ = left[n].bug;
    if (is_seen()) return;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(n));
  }
  fail_bug("zoo", "no place shows this kind of bug", name_of(kind), ", seed ", seed);
}

// Where the kind changes a gradient.
std::vector<Zoo::Candidate> Zoo::candidates(CauseKind kind) const {
  const auto values = [](uint64_t seed) { return run_network(zoo_values(seed), 0, {}); };
  const NamedValues here = run_network(values_, 0, {}), there = values(seed_ + 1000),
                    elsewhere = values(seed_ + 2000);
  std::vector<Candidate> found;
  for (size_t p = 0; p < zoo_places().size(); ++p) {
    const ZooPlace& place = zoo_places()[p];
    for (const Mutation& m : mutations(place.f, leaves_at(place, here)))
      if (m.cause == kind &&
          !is_equivalent(place.f, m, {leaves_at(place, there), leaves_at(place, elsewhere)}))
        found.push_back({p, m});
  }
  return found;
}

// The network's check fails, and the place's says why.
bool Zoo::is_seen() const {
  return check_network(false).verdict == Verdict::fail &&
         names_cause(check_place(place_, true), bug_.cause);
}

bool Zoo::is_of(CauseKind kind) const { return names_cause(check_place(place_, true), kind); }

Function Zoo::broken() const {
  const ZooPlace& place = zoo_places()[place_];
  return plant(place.f, bug_, place.name);
}

Function Zoo::loss() const {
  return [values = values_, place = place_, broken = broken()](const Vars& parameters) {
    NamedValues all = values;
    for (size_t i = 0; i < parameters.size(); ++i) all[kZooParameters[i]] = parameters[i];
    return Vars{run_network(std::move(all), place, broken).at("loss")};
  };
}

Vars Zoo::parameters() const {
  Vars all;
  for (const std::string& name : kZooParameters)
    all.emplace_back(values_.at(name).value().clone(), true);
  return all;
}

GradReport Zoo::check_network(bool diagnose) const {
  return check(loss(), parameters(),
               {.name = "the network",
                .input_names = kZooParameters,
                .second_order = false,
                .diagnose = diagnose});
}

GradReport Zoo::check_place(size_t place, bool diagnose) const {
  const ZooPlace& at = zoo_places()[place];
  CheckOptions options{.name = at.name, .second_order = false, .diagnose = diagnose};
  const Vars inputs = leaves_at(at, run_network(values_, 0, {}));
  options.input_names = at.arguments;
  return check(place == place_ ? broken() : at.f, inputs, options);
}

std::vector<double> Zoo::training(bool with_bug) const {
  constexpr int kSteps = 60, kShown = 20;
  constexpr double kRate = 0.2;
  const Function bad = loss();
  const Function right = [this](const Vars& parameters) {
    NamedValues all = values_;
    for (size_t i = 0; i < parameters.size(); ++i) all[kZooParameters[i]] = parameters[i];
    return Vars{run_network(std::move(all), 0, {}).at("loss")};
  };
  Vars weights = parameters();
  std::vector<double> losses;
  for (int step = 0; step <= kSteps; ++step) {
    const Var loss = (with_bug ? bad : right)(weights)[0];
    if (step % kShown == 0) losses.push_back(loss.item());
    const Vars gradients = grad({loss}, weights);
    for (size_t i = 0; i < weights.size(); ++i)
      if (gradients[i].defined()) weights[i].value().add_(gradients[i].value(), -kRate);
  }
  return losses;
}

}  // namespace glass
