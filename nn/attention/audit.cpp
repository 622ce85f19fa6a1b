#include "nn/attention/audit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "autograd/autograd.h"
#include "tensor/random.h"

namespace glass {
namespace {

class Audit {
 public:
  Audit(const std::function<Var(const std::vector<Var>&)>& model,
        const std::vector<AuditInput>& inputs, const std::vector<int64_t>& output_lengths,
        uint64_t seed)
      : model_(model), inputs_(inputs), lengths_(output_lengths), generator_(seed) {
    for (const AuditInput& input : inputs) check(input);
  }

  AuditReport run() {
    std::vector<Var> leaves;
    for (const AuditInput& input : inputs_) leaves.emplace_back(input.value, true);
    const Var output = model_(leaves);
    rows_ = inputs_[0].value.size(0);
    if (output.ndim() < 2 || output.size(0) != rows_)
      fail("audit_mask", "the model must give [B, T, ...]", output.shape(), " for B = ", rows_);
    steps_ = output.size(1);
    if (!lengths_.empty() && static_cast<int64_t>(lengths_.size()) != rows_)
      fail("audit_mask", "one output length per row", lengths_.size(), " for ", rows_);
    for (const int64_t n : lengths_)
      if (n < 0 || n > steps_)
        fail("audit_mask", "an output length is out of range", n, " of ", steps_);
    before_ = values(output);
    if (output.requires_grad()) derive(output, leaves);
    poison();
    report_.vacuous = stays_the_same();
    for (auto& [key, leak] : found_) report_.leaks.push_back(leak);
    return report_;
  }

 private:
  void check(const AuditInput& input) const {
    const Tensor& x = input.value;
    if (!is_floating(x.dtype()) || x.ndim() < 2)
      fail("audit_mask", "an input must be real and [B, L, ...]", input.name, ": ", x.shape());
    if (x.size(0) != inputs_[0].value.size(0))
      fail("audit_mask", "inputs of different batches", input.name, ": ", x.shape());
    if (!input.lengths.empty() && static_cast<int64_t>(input.lengths.size()) != x.size(0))
      fail("audit_mask", "one length per row", input.name, ": ", input.lengths.size(), " for ",
           x.shape());
    for (const int64_t n : input.lengths)
      if (n < 0 || n > x.size(1))
        fail("audit_mask", "a length is out of range", input.name, ": ", n, " of ", x.size(1));
  }

  bool counts(int64_t row, int64_t step) const {
    return lengths_.empty() || step < lengths_[static_cast<size_t>(row)];
  }
  bool is_padding(const AuditInput& input, int64_t row, int64_t place) const {
    return !input.lengths.empty() && place >= input.lengths[static_cast<size_t>(row)];
  }
  static std::vector<double> values(const Var& x) {
    return x.value().to(kFloat64).contiguous().to_vector<double>();
  }

  void add(Leak leak) {
    const auto key = std::tuple(leak.kind, leak.input, leak.step);
    const auto [place, fresh] = found_.try_emplace(key, leak);
    if (!fresh && leak.found_by == place->second.found_by && leak.size > place->second.size)
      place->second = leak;
  }

  void derive(const Var& output, const std::vector<Var>& leaves) {
    for (int64_t b = 0; b < rows_; ++b)
      for (int64_t t = 0; t < steps_; ++t) {
        if (!counts(b, t)) continue;
        Tensor seed = Tensor::zeros(output.shape(), output.dtype());
        const Tensor part = seed.select(0, b).select(0, t);
        part.copy_(uniform(part.shape(), 0.5, 1.5, output.dtype(), generator_));
        const std::vector<Var> gradients =
            grad({output}, leaves, {Var(seed)}, {.retain_graph = true});
        ++report_.derivatives;
        for (size_t i = 0; i < inputs_.size(); ++i)
          if (gradients[i].defined()) judge(inputs_[i], gradients[i].value(), b, t);
      }
  }

  // Every place of an input that the gradient of output b, t reaches.
  void judge(const AuditInput& input, const Tensor& gradient, int64_t b, int64_t t) {
    const int64_t L = gradient.size(1);
    const std::vector<double> g = values(Var(gradient));
    const int64_t F = L * rows_ > 0 ? gradient.numel() / (L * rows_) : 0;
    for (int64_t row = 0; row < rows_; ++row)
      for (int64_t place = 0; place < L; ++place) {
        double size = 0;
        for (int64_t f = 0; f < F; ++f) {
          const double element = std::abs(g[static_cast<size_t>((row * L + place) * F + f)]);
          if (!(element <= size)) size = element;
        }
        if (size == 0) continue;
        Leak leak{LeakKind::rows_mixed, input.name, b, t, row, place, size, "derivative"};
        if (row != b) add(leak);
        leak.kind = LeakKind::padding_seen;
        if (is_padding(input, row, place)) add(leak);
        leak.kind = LeakKind::future_seen;
        if (input.causal && row == b && place > t && !is_padding(input, row, place)) add(leak);
      }
  }

  // How far output step t of row b is from what it was, 0 when equal.
  double change(const std::vector<double>& after, int64_t b, int64_t t) const {
    const size_t n = before_.size() / static_cast<size_t>(std::max<int64_t>(rows_ * steps_, 1));
    const size_t first = static_cast<size_t>(b * steps_ + t) * n;
    double largest = 0;
    for (size_t i = first; i < first + n; ++i) {
      const double difference = std::abs(after[i] - before_[i]);
      if (std::isnan(after[i]) && !std::isnan(before_[i])) return INFINITY;
      largest = std::max(largest, difference);
    }
    return largest;
  }

  void compare(const std::vector<Var>& poisoned, Leak leak, int64_t only_row) {
    const NoGrad quiet;
    const std::vector<double> after = values(model_(poisoned));
    ++report_.poisonings;
    if (after.size() != before_.size())
      fail("audit_mask", "the model's output changed its size", after.size(), " and ",
           before_.size());
    for (int64_t b = 0; b < rows_; ++b)
      for (int64_t t = 0; t < steps_; ++t) {
        if ((only_row >= 0 && b != only_row) || !counts(b, t)) continue;
        leak.row = leak.from_row = b;
        leak.step = t;
        leak.size = change(after, b, t);
        if (leak.size > 0) add(leak);
      }
  }

  bool stays_the_same() {
    std::vector<Var> all;
    for (const AuditInput& input : inputs_)
      all.emplace_back(uniform(input.value.shape(), -3, 3, input.value.dtype(), generator_));
    const NoGrad quiet;
    const std::vector<double> after = values(model_(all));
    for (int64_t b = 0; b < rows_; ++b)
      for (int64_t t = 0; t < steps_; ++t)
        if (counts(b, t) && change(after, b, t) > 0) return false;
    return true;
  }

  void poison() {
    const auto originals = [&] {
      std::vector<Var> all;
      for (const AuditInput& input : inputs_) all.emplace_back(input.value);
      return all;
    };
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const AuditInput& input = inputs_[i];
      const Tensor& x = input.value;
      const Tensor noise = uniform(x.shape(), -3, 3, x.dtype(), generator_);
      for (const auto& [name, value] :
           {std::pair{"NaN", std::nan("")}, {"1e30", 1e30}, {"random", 0.0}}) {
        if (input.lengths.empty()) continue;
        Tensor changed = x.clone();
        for (int64_t b = 0; b < rows_; ++b) {
          const int64_t n = input.lengths[static_cast<size_t>(b)];
          const Tensor pad = changed.select(0, b).narrow(0, n, x.size(1) - n);
          if (std::string(name) == "random")
            pad.copy_(noise.select(0, b).narrow(0, n, x.size(1) - n));
          else
            pad.fill_(value);
        }
        std::vector<Var> all = originals();
        all[i] = Var(changed);
        compare(all, {LeakKind::padding_seen, input.name, 0, 0, 0, -1, 0, name}, -1);
      }
    }
    for (int64_t b = 0; rows_ > 1 && b < rows_; ++b) {
      std::vector<Var> all;
      for (const AuditInput& input : inputs_) {
        Tensor changed = uniform(input.value.shape(), -3, 3, input.value.dtype(), generator_);
        changed.select(0, b).copy_(input.value.select(0, b));
        all.emplace_back(changed);
      }
      compare(all, {LeakKind::rows_mixed, "all inputs", 0, 0, 0, -1, 0, "other rows random"}, b);
    }
  }

  const std::function<Var(const std::vector<Var>&)>& model_;
  const std::vector<AuditInput>& inputs_;
  const std::vector<int64_t>& lengths_;
  Generator generator_;
  int64_t rows_ = 0, steps_ = 0;
  std::vector<double> before_;
  std::map<std::tuple<LeakKind, std::string, int64_t>, Leak> found_;
  AuditReport report_;
};

}  // namespace

std::string Leak::text() const {
  const std::string who = glass::text("step ", step, " of row ", row);
  const std::string how = glass::text(" (", found_by, ", ", size, ")");
  if (position < 0)
    return who +
           (kind == LeakKind::rows_mixed ? " depends on other rows of the batch"
                                         : " changes with the padding of " + input) +
           how;
  const std::string where = glass::text(" sees ", input, " ", position, " of row ", from_row);
  switch (kind) {
    case LeakKind::padding_seen:
      return who + where + ", which is padding" + how;
    case LeakKind::future_seen:
      return who + where + glass::text(", ", position - step, " ahead in the future") + how;
    default:
      return who + where + ", another row of the batch" + how;
  }
}

std::string AuditReport::text() const {
  std::string all;
  for (const Leak& leak : leaks) all += "  LEAK  " + leak.text() + "\n";
  if (vacuous) all += "  nothing proved: no output depends on any input\n";
  return all + glass::text("audit: ", derivatives, " derivatives and ", poisonings, " poisonings, ",
                           leaks.size(), leaks.size() == 1 ? " leak" : " leaks");
}

AuditReport audit_mask(const std::function<Var(const std::vector<Var>&)>& model,
                       const std::vector<AuditInput>& inputs,
                       const std::vector<int64_t>& output_lengths, uint64_t seed) {
  if (inputs.empty()) fail("audit_mask", "needs at least one input", "got none");
  return Audit(model, inputs, output_lengths, seed).run();
}

}  // namespace glass
