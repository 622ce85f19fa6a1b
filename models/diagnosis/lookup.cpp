#include "models/diagnosis/lookup.h"

#include <algorithm>
#include <numeric>

#include "models/diagnosis/course.h"
#include "models/text/draws.h"
#include "tensor/ops.h"

namespace glass {
namespace {

constexpr int64_t kSymbols = 32, kColours = 8, kAsked = 4;  // 0 is padding beside the symbols
constexpr int64_t kLookupTraining = 2000, kLookupValidation = 200;

AttentionOptions attention_options(const LookupOptions& o) {
  AttentionOptions options;
  options.query_dim = options.key_dim = o.size;
  options.score = o.score;
  options.scope = o.scope;
  return options;
}

}  // namespace

Lookup::Network::Network(const LookupOptions& o, Generator& g)
    : symbols(kSymbols + 1, o.size, 0, g),
      colours(kColours + 1, o.size, 0, g),
      asked(kSymbols + 1, o.size, 0, g),
      norm(Shape{o.size}),
      attention(attention_options(o), g),
      output(o.size, kColours, true, g) {}

void Lookup::Network::visit(Visitor& v) {
  v("symbols", symbols);
  v("colours", colours);
  v("asked", asked);
  v("norm", norm);
  v("attention", attention);
  v("output", output);
}

Lookup::Lookup(const LookupOptions& options)
    : options_(options), generator_(1), network_(options, generator_) {
  std::mt19937_64 random(1);
  std::vector<int64_t> all(kSymbols);
  std::iota(all.begin(), all.end(), 1);
  const auto range = static_cast<uint64_t>(options.longest - options.shortest + 1);
  for (int64_t i = 0; i < kLookupTraining + kLookupValidation; ++i) {
    shuffle(all, random);
    const auto length = static_cast<size_t>(options.shortest) + draw_below(random, range);
    Example e;
    e.symbols.assign(all.begin(), all.begin() + static_cast<int64_t>(length));
    for (size_t j = 0; j < length; ++j)
      e.colours.push_back(1 + static_cast<int64_t>(draw_below(random, kColours)));
    for (int64_t t = 0; t < kAsked; ++t) {
      const size_t j = draw_below(random, length);
      e.asked.push_back(e.symbols[j]);
      e.answers.push_back(e.colours[j] - 1);
    }
    examples_.push_back(std::move(e));
  }
}

Lookup::Tensors Lookup::tensors(const std::vector<int64_t>& rows) const {
  const auto B = static_cast<int64_t>(rows.size());
  Tensors y;
  for (int64_t row : rows)
    y.lengths.push_back(static_cast<int64_t>(examples_[static_cast<size_t>(row)].symbols.size()));
  const int64_t S = *std::max_element(y.lengths.begin(), y.lengths.end());
  y.symbols = Tensor::zeros({B, S}, kInt64);
  y.colours = Tensor::zeros({B, S}, kInt64);
  y.asked = Tensor::zeros({B, kAsked}, kInt64);
  y.answers = Tensor::zeros({B, kAsked}, kInt64);
  const auto put = [](const Tensor& to, int64_t b, const std::vector<int64_t>& row) {
    std::copy(row.begin(), row.end(), to.data<int64_t>() + b * to.size(1));
  };
  for (int64_t b = 0; b < B; ++b) {
    const Example& e = examples_[static_cast<size_t>(rows[static_cast<size_t>(b)])];
    put(y.symbols, b, e.symbols);
    put(y.colours, b, e.colours);
    put(y.asked, b, e.asked);
    put(y.answers, b, e.answers);
  }
  return y;
}

Var Lookup::logits(const Tensors& batch) {
  Network& n = network_;
  const Var keys = n.norm(n.symbols(Var(batch.symbols)) + n.colours(Var(batch.colours)));
  const Mask mask =
      options_.masked ? Mask::from_lengths(batch.lengths, batch.symbols.size(1)) : Mask();
  return n.output(
      n.attention(n.norm(n.asked(Var(batch.asked))), n.attention.prepare(keys, mask)).output);
}

Trainee::Loss Lookup::loss(const Batch& batch, int64_t) {
  const Tensors t = tensors(batch.rows);
  return {cross_entropy(logits(t), Var(t.answers)), t.answers.numel()};
}

Score Lookup::validate() {
  std::vector<int64_t> rows(kLookupValidation);
  std::iota(rows.begin(), rows.end(), kLookupTraining);
  const NoGrad quiet;
  const Tensors t = tensors(rows);
  const Var y = logits(t);
  const Tensor best = argmax(y, 2).value();
  int64_t right = 0;
  for (int64_t i = 0; i < best.numel(); ++i)
    right += best.data<int64_t>()[i] == t.answers.data<int64_t>()[i];
  const double share = static_cast<double>(right) / static_cast<double>(best.numel());
  return {cross_entropy(y, Var(t.answers)).item(), share, 1 - share, 0};
}

BatchLengths Lookup::lengths(const Batch& batch) {
  return {tensors(batch.rows).lengths, std::vector<int64_t>(batch.rows.size(), kAsked)};
}

Course Lookup::train() {
  std::vector<std::vector<int64_t>> sources, targets;
  for (int64_t i = 0; i < kLookupTraining; ++i) {
    // In no order, so that sentences of all lengths meet in a batch.
    sources.push_back({0});
    targets.push_back({0});
  }
  return run_course(*this, Batches(sources, targets, {.batch_size = 32}),
                    {.steps = options_.steps,
                     .batch_size = 32,
                     .lr = 5e-3,
                     .warmup = 20,
                     .valid_every = options_.steps / 4});
}

}  // namespace glass
