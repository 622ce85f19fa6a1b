#include "models/diagnosis/deep_network.h"

#include <numeric>

#include "models/diagnosis/course.h"
#include "models/text/draws.h"
#include "nn/init.h"
#include "nn/mask.h"
#include "tensor/ops.h"

namespace glass {
namespace {

constexpr int64_t kPoint = 8, kClasses = 4, kValidation = 400, kZeroEvery = 16;
constexpr double kSharp = 40;  // logits times this make a softmax that is 0 or 1

}  // namespace

DeepNetwork::Network::Network(const DeepNetworkOptions& o, Generator& g) {
  for (int64_t i = 0; i < o.depth; ++i) {
    layers.emplace_back(i == 0 ? kPoint : o.width, i + 1 == o.depth ? kClasses : o.width, true, g);
    if (o.sigmoid)
      xavier_uniform_(layers.back().weight, g);
    else
      kaiming_uniform_(layers.back().weight, g);
    layers.back().weight.value().mul_(o.weight_factor);
    layers.back().bias.value().zero_();
  }
}

void DeepNetwork::Network::visit(Visitor& v) {
  for (size_t i = 0; i < layers.size(); ++i) v("layers." + std::to_string(i), layers[i]);
}

DeepNetwork::DeepNetwork(const DeepNetworkOptions& options)
    : options_(options), generator_(1), network_(options, generator_) {
  Generator data(2);
  const int64_t n = options.examples + kValidation;
  points_ = uniform({n, kPoint}, -1, 1, kFloat32, data);
  std::mt19937_64 random(3);
  for (int64_t i = 0; i < n; ++i) {
    float* x = points_.data<float>() + i * kPoint;
    if (i % kZeroEvery == 0) std::fill(x, x + kPoint, 0.0f);
    int64_t label = 2 * (x[0] > 0) + (x[1] > 0);
    const bool wrong =
        draw_below(random, 1000) < static_cast<uint64_t>(1000 * options.wrong_labels);
    if (wrong && i < options.examples) label = static_cast<int64_t>(draw_below(random, kClasses));
    labels_.push_back(label);
  }
}

Tensor DeepNetwork::points(const std::vector<int64_t>& rows) const {
  return index_select(Var(points_), 0,
                      Var(Tensor::from<int64_t>(rows, {static_cast<int64_t>(rows.size())})))
      .value();
}

Tensor DeepNetwork::labels(const std::vector<int64_t>& rows) const {
  std::vector<int64_t> y;
  for (int64_t row : rows) y.push_back(labels_[static_cast<size_t>(row)]);
  return Tensor::from<int64_t>(y, {static_cast<int64_t>(y.size())});
}

// Of the last hidden layer, [B, width].
Var DeepNetwork::features(const Var& points) const {
  Var h = points;
  for (size_t i = 0; i + 1 < network_.layers.size(); ++i) {
    const Var z = network_.layers[i](h);
    h = options_.sigmoid ? sigmoid(z) : relu(z);
  }
  if (options_.trap == Trap::no_eps)  // each point's features sum to 1
    return h / (sum(h, {1}, true) + (options_.trapped ? 0.0 : 1e-6));
  if (options_.trap == Trap::root_of_zero)  // and have length 1
    return h / (sqrt(sum(square(h), {1}, true) + (options_.trapped ? 0.0 : 1e-6)) + 1.0);
  if (options_.trap == Trap::empty_row) {  // attention among the features that are not 0
    const Var there = h > 0.0;
    const Var weights = options_.trapped
                            ? softmax(where(there, h, -INFINITY), 1)
                            : masked_softmax(h, Mask::where_true_may_attend(there.value()));
    return h * weights;
  }
  return h;
}

Var DeepNetwork::logits(const Var& features) const { return network_.layers.back()(features); }

Var DeepNetwork::loss_of(const Var& logits, const Tensor& labels) const {
  const bool sharp = options_.trap == Trap::log_of_softmax || options_.trap == Trap::plain_exp;
  const double factor =
      options_.trap == Trap::plain_exp ? -0.65 * kSharp : kSharp;  // minus an energy
  const Var scores = sharp ? logits * factor : logits;
  if (!options_.trapped || !sharp) return cross_entropy(scores, Var(labels));
  const Var right = Var(labels.reshape({labels.size(0), 1}));
  if (options_.trap == Trap::log_of_softmax)
    return -mean(log(gather(softmax(scores, 1), 1, right)));
  const Var e = exp(scores);
  return -mean(log(gather(e, 1, right) / sum(e, {1}, true)));
}

Trainee::Loss DeepNetwork::loss(const Batch& batch, int64_t) {
  const Var y = loss_of(logits(features(Var(points(batch.rows)))), labels(batch.rows));
  if (options_.keeps_the_tapes) total_ = total_.defined() ? total_ + y : y;
  return {y, static_cast<int64_t>(batch.rows.size())};
}

Score DeepNetwork::validate() {
  std::vector<int64_t> rows(kValidation);
  std::iota(rows.begin(), rows.end(), options_.examples);
  const NoGrad quiet;
  const Var y = logits(features(Var(points(rows))));
  const Tensor best = argmax(y, 1).value(), truth = labels(rows);
  int64_t right = 0;
  for (int64_t i = 0; i < kValidation; ++i)
    right += best.data<int64_t>()[i] == truth.data<int64_t>()[i];
  const double share = static_cast<double>(right) / static_cast<double>(kValidation);
  return {loss_of(y, truth).item(), share, 1 - share, 0};
}

Course DeepNetwork::train() {
  const std::vector<std::vector<int64_t>> any(static_cast<size_t>(options_.examples), {0});
  const int64_t batch = std::min<int64_t>(64, options_.examples);
  return run_course(*this, Batches(any, any, {.batch_size = batch}),
                    {.steps = options_.steps,
                     .batch_size = batch,
                     .lr = options_.lr,
                     .warmup = 20,
                     .valid_every = options_.steps / 10});
}

}  // namespace glass
