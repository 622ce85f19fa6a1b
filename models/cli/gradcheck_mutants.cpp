#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "autograd/mutants.h"
#include "models/cli/gradcheck_command.h"
#include "tensor/ops.h"

namespace glass {
namespace {

constexpr const char* kMutantRow = "{:<33} {:>7} {:>7} {:>6} {:>10} {:>8}\n";

struct MutantTally {
  int planted = 0, killed = 0, named = 0, equivalent = 0;
  std::string report;
  void add(const MutantTally& other) {
    planted += other.planted;
    killed += other.killed;
    named += other.named;
    equivalent += other.equivalent;
  }
};

bool can_be_broken(const Sample& sample) {
  return sample.expect == Verdict::pass &&
         std::any_of(sample.inputs.begin(), sample.inputs.end(), [](const Input& x) {
           return x.kind == Input::Kind::real && x.requires_grad && numel(x.shape) > 0;
         });
}

// Inputs as the sample makes them; exact values are moved a little, so that no two draws are equal.
Vars fresh_inputs(const Sample& sample, uint64_t seed) {
  Generator generator(seed);
  Vars inputs = make_inputs(sample, generator);
  for (Var& x : inputs) {
    if (!x.requires_grad()) continue;
    const Tensor factor = uniform(x.shape(), 0.95, 1.05, kFloat64, generator);
    x = Var(x.value() * factor, true);
  }
  return inputs;
}

bool names_it(const GradReport& report, const Mutation& m) {
  for (const GradBlock& b : report.first.mismatches)
    for (const Cause& c : b.causes)
      if (c.kind == m.cause) return true;
  return false;
}

// One sample may hide what another shows (a slope that is zero there): some are drawn.
void check_mutant(const Entry& entry, const Sample& sample, const Mutation& m, MutantTally& tally) {
  constexpr uint64_t kDraws = 8;
  const std::string name = entry.name + ", " + sample.label + ", " + m.label;
  GradReport report;
  for (uint64_t draw = 0; draw < kDraws && report.verdict != Verdict::fail; ++draw) {
    Generator generator(3 + draw);
    report = check(plant(sample.f, m), make_inputs(sample, generator),
                   {.name = name, .tolerance = sample.tolerance, .second_order = false});
  }
  ++tally.planted;
  if (report.verdict != Verdict::fail) {
    tally.report += "  survived: " + name + "\n";
    return;
  }
  ++tally.killed;
  if (names_it(report, m))
    ++tally.named;
  else
    tally.report += "  not named: " + m.label + "\n" + report.text();
}

// Of mistakes of one kind and place, the first that is none on one sample is tried on the next.
MutantTally break_entry(const Entry& entry) {
  constexpr size_t kSamples = 4;
  MutantTally tally;
  std::vector<std::string> planted, equivalent;
  size_t samples = 0;
  for (const Sample& sample : entry.samples) {
    if (!can_be_broken(sample) || samples == kSamples) continue;
    ++samples;
    Generator generator(3);
    for (const Mutation& m : mutations(sample.f, make_inputs(sample, generator))) {
      if (std::count(planted.begin(), planted.end(), m.label) > 0) continue;
      if (is_equivalent(sample.f, m, {fresh_inputs(sample, 5), fresh_inputs(sample, 6)})) {
        equivalent.push_back(m.label);
        continue;
      }
      planted.push_back(m.label);
      check_mutant(entry, sample, m, tally);
    }
  }
  std::sort(equivalent.begin(), equivalent.end());
  equivalent.erase(std::unique(equivalent.begin(), equivalent.end()), equivalent.end());
  for (const std::string& label : equivalent)
    tally.equivalent += std::count(planted.begin(), planted.end(), label) == 0;
  return tally;
}

}  // namespace

int run_mutants(const std::vector<Entry>& entries, const std::vector<std::string>& names,
                std::ostream& out) {
  using Clock = std::chrono::steady_clock;
  MutantTally all;
  const std::vector<const Entry*> chosen = entries_named(entries, names);
  out << fmt::format(kMutantRow, "name", "planted", "killed", "named", "equivalent", "ms");
  for (const Entry* entry : chosen) {
    if (!entry->differentiable) continue;
    const Clock::time_point start = Clock::now();
    const MutantTally tally = break_entry(*entry);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    all.add(tally);
    out << fmt::format(kMutantRow, entry->name, tally.planted, tally.killed, tally.named,
                       tally.equivalent, fmt::format("{:.0f}", ms))
        << tally.report << std::flush;
  }
  out << fmt::format("equivalent, not counted: {}\n", all.equivalent);
  out << fmt::format("mutants: {} planted, {} killed, {} named correctly\n", all.planted,
                     all.killed, all.named);
  return all.killed == all.planted && all.named * 100 >= all.killed * 95 ? 0 : 1;
}

}  // namespace glass
