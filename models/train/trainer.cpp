#include "models/train/trainer.h"

#include <cmath>

#include "models/names.h"
#include "models/train/interrupt.h"
#include "optim/clip.h"
#include "tensor/precision.h"

namespace glass {
namespace {

using Clock = std::chrono::steady_clock;

NamedTensors clone_of(const NamedTensors& state) {
  NamedTensors copy;
  for (const auto& [name, tensor] : state.tensors) copy.tensors.emplace_back(name, tensor.clone());
  return copy;
}

}  // namespace

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::steps:
      return "all steps done";
    case StopReason::patience:
      return "no better score for a while";
    case StopReason::minutes:
      return "time is up";
    default:
      return "interrupted";
  }
}

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names{"constant", "linear", "cosine", "inverse-sqrt"};
  return names;
}

double schedule_factor(const TrainOptions& o, int64_t step) {
  if (step <= o.warmup) return static_cast<double>(step) / static_cast<double>(o.warmup);
  if (o.schedule == "constant") return 1;
  if (o.schedule == "inverse-sqrt")
    return std::sqrt(static_cast<double>(std::max<int64_t>(1, o.warmup)) /
                     static_cast<double>(step));
  const double rest = static_cast<double>(std::max<int64_t>(1, o.steps - o.warmup));
  const double done = std::min(1.0, static_cast<double>(step - o.warmup) / rest);
  if (o.schedule == "linear") return 1 - done;
  if (o.schedule == "cosine") return 0.5 * (1 + std::cos(M_PI * done));
  fail("train", "unknown schedule", o.schedule, "; there are ", listed(schedule_names(), " and "));
}

bool ends_with_steps(const std::string& schedule) {
  return schedule == "linear" || schedule == "cosine";
}

bool Score::better_than(const Score& other) const {
  if (symbol_error_rate != other.symbol_error_rate)
    return symbol_error_rate < other.symbol_error_rate;
  return loss < other.loss;
}

Trainer::Trainer(Trainee& trainee, Batches batches, const TrainOptions& options, std::string folder)
    : trainee_(trainee),
      batches_(std::move(batches)),
      options_(options),
      folder_(std::move(folder)),
      optimizer_(trainee.model().parameters(), {.lr = options.lr,
                                                .betas = {options.beta1, options.beta2},
                                                .eps = options.eps,
                                                .weight_decay = options.weight_decay}) {
  if (options.ema > 0) average_.emplace(trainee.model().parameters(), options.ema);
  static_cast<void>(schedule_factor(options, options.warmup + 1));  // the name is known
}

void Trainer::stop_not_finite(const char* what, double value, const Batch& batch) {
  const std::string cause = watch_ ? watch_->explain_not_finite(step_, batch) : "";
  fail("train", what, value, " at step ", step_ + 1, "; ",
       cause.empty() ? "try a lower learning rate" : cause);
}

void Trainer::train_step(Progress& progress) {
  const auto start = Clock::now();
  const MatmulPrecisionGuard precision(matmul_precision_named(options_.matmul_precision));
  const Batch batch = batches_.next();
  if (watch_) watch_->before_step(step_, batch);
  const Trainee::Loss loss = trainee_.loss(batch, step_);
  const double value = loss.mean.item();
  if (!std::isfinite(value)) stop_not_finite("the loss is not finite", value, batch);
  trainee_.model().zero_grad();
  loss.mean.backward();
  if (watch_) watch_->after_backward(value);
  const double norm = clip_grad_norm_(trainee_.model().parameters(),
                                      options_.clip > 0 ? options_.clip : INFINITY, 2, false);
  if (!std::isfinite(norm)) stop_not_finite("the gradients are not finite", norm, batch);
  if (watch_) watch_->after_step(norm);
  ++step_;
  const double lr = options_.lr * schedule_factor(options_, step_);
  optimizer_.set_lr(lr);
  optimizer_.step();
  if (average_) average_->update();
  const double shown = loss.cross_entropy.defined() ? loss.cross_entropy.item() : value;
  loss_sum_ += shown * static_cast<double>(loss.tokens);
  loss_tokens_ += loss.tokens;
  step_seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  progress.update(step_, shown, loss.tokens, lr);
}

void Trainer::validate() {
  if (average_) average_->swap();
  trainee_.model().eval();
  const Score score = trainee_.validate();
  trainee_.model().train();
  history_.push_back({step_, loss_sum_ / static_cast<double>(std::max<int64_t>(1, loss_tokens_)),
                      optimizer_.lr(), score});
  loss_sum_ = 0;
  loss_tokens_ = 0;
  if (best_state_.tensors.empty() || score.better_than(best_)) {
    best_ = score;
    best_step_ = step_;
    best_state_ = clone_of(trainee_.model().state_dict());
    save_safetensors(folder_ + "/model.safetensors", best_state_);
  }
  if (average_) average_->swap();
}

bool Trainer::out_of_patience() const {
  if (options_.patience <= 0 || history_.empty()) return false;
  int64_t since = 0;
  for (auto entry = history_.rbegin(); entry != history_.rend() && entry->step > best_step_;
       ++entry)
    ++since;
  return since >= options_.patience;
}

StopReason Trainer::run(const std::function<void(const Trainer&)>& on_validation) {
  const InterruptGuard guard;
  const auto start = Clock::now();
  const double seconds_before = seconds_;
  const auto update_seconds = [&] {
    seconds_ = seconds_before + std::chrono::duration<double>(Clock::now() - start).count();
  };
  Progress progress(step_, options_.steps);
  trainee_.model().train();
  StopReason reason = StopReason::steps;
  const auto late = [&] {
    return options_.max_minutes > 0 && seconds_ > 60 * options_.max_minutes;
  };
  const auto judge = [&] {
    progress.clear();
    validate();
    update_seconds();
  };
  while (step_ < options_.steps) {
    if (out_of_patience()) {
      reason = StopReason::patience;
      break;
    }
    if (late()) {
      reason = StopReason::minutes;
      break;
    }
    train_step(progress);
    update_seconds();
    const bool due = step_ % options_.valid_every == 0 || step_ == options_.steps || late();
    if (due) judge();
    // Resuming must not differ from an undisturbed run: no validation out of turn.
    const bool stopped = InterruptGuard::interrupted();
    if (due || stopped) save_checkpoint();
    if (due && on_validation) on_validation(*this);
    if (stopped) {
      reason = StopReason::interrupted;
      break;
    }
  }
  if (reason != StopReason::interrupted && history_.empty()) {  // a run leaves a model
    judge();
    save_checkpoint();
    if (on_validation) on_validation(*this);
  }
  progress.clear();
  if (!best_state_.tensors.empty()) trainee_.model().load_state_dict(best_state_);
  trainee_.model().eval();
  return reason;
}

}  // namespace glass
