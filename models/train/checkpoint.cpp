// The trainer's checkpoint.safetensors.
#include <filesystem>

#include "models/json.h"
#include "models/train/trainer.h"
#include "models/train/weights.h"

namespace glass {
namespace {

constexpr const char* kWhere = "training";  // the metadata that hold what is no tensor
constexpr WholeRange kTokensRange{0, INT64_MAX};
constexpr NumberRange kRateRange{.low = 0, .high = 1000};
constexpr NumberRange kNotNegative{.low = 0, .high = 1e300};

// Adds state's tensors to all under prefix.
void put(NamedTensors& all, const std::string& prefix, const NamedTensors& state) {
  for (const auto& [name, tensor] : state.tensors) all.tensors.emplace_back(prefix + name, tensor);
}

NamedTensors take(const NamedTensors& all, const std::string& prefix) {
  NamedTensors state;
  for (const auto& [name, tensor] : all.tensors)
    if (name.starts_with(prefix)) state.tensors.emplace_back(name.substr(prefix.size()), tensor);
  return state;
}

Score score_from(const Json& j, const char* where) {
  return {entry(j, "loss", where, kNotNegative), entry(j, "exact_match", where, kNotNegative),
          entry(j, "symbol_error_rate", where, kNotNegative),
          entry(j, "bleu", where, kNotNegative)};
}

std::vector<HistoryEntry> history_from(const Json& list, const WholeRange& steps) {
  const char* where = "training, history";
  if (!list.is_array()) fail_environment(where, "must be a list", "got ", brief(list));
  std::vector<HistoryEntry> history;
  for (const Json& h : list)
    history.push_back({entry(h, "step", where, steps), entry(h, "train_loss", where, kNotNegative),
                       entry(h, "lr", where, kRateRange),
                       score_from(require(h, "valid", where), "training, history, valid")});
  return history;
}

Generator generator_from(const Json& j) {
  const bool right =
      j.is_array() && j.size() == 2 && j[0].is_number_unsigned() && j[1].is_number_unsigned();
  if (!right) fail_environment(kWhere, "random must be two whole numbers", "got ", brief(j));
  return Generator::from({j[0].get<uint64_t>(), j[1].get<uint64_t>()});
}

}  // namespace

void Trainer::save_checkpoint() {
  NamedTensors all;
  put(all, "model.", trainee_.model().state_dict());
  put(all, "optimizer.", optimizer_.state_dict());
  if (average_) put(all, "average.", average_->state_dict());
  put(all, "best.", best_state_);
  const auto random = trainee_.generator().state();
  Json history = Json::array();
  for (const HistoryEntry& h : history_)
    history.push_back({{"step", h.step},
                       {"train_loss", h.train_loss},
                       {"lr", h.lr},
                       {"valid", to_json(h.valid)}});
  const Json state = {{"step", step_},
                      {"seconds", seconds_},
                      {"step_seconds", step_seconds_},
                      {"loss_sum", loss_sum_},
                      {"loss_tokens", loss_tokens_},
                      {"best_step", best_step_},
                      {"best", to_json(best_)},
                      {"random", {random.key, random.counter}},
                      {"history", history}};
  all.metadata[kWhere] = state.dump();
  save_safetensors(folder_ + "/checkpoint.safetensors", all);
}

void Trainer::resume() {
  const std::string path = folder_ + "/checkpoint.safetensors";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    fail_environment("resume", "the run ended before its first checkpoint", folder_,
                     "; start it again without --resume");
  const NamedTensors all = load_weights(path);
  const auto found = all.metadata.find(kWhere);
  if (found == all.metadata.end())
    fail_environment("resume", "this file is no checkpoint of a training", path);
  const Json state = parse_json(path + ", " + kWhere, found->second);
  in_file(path, [&] {
    const WholeRange steps{0, static_cast<uint64_t>(options_.steps)};
    step_ = entry(state, "step", kWhere, steps);
    const WholeRange steps_done{0, static_cast<uint64_t>(step_)};
    best_step_ = entry(state, "best_step", kWhere, steps_done);
    history_ = history_from(require(state, "history", kWhere), steps_done);
    seconds_ = entry(state, "seconds", kWhere, kNotNegative);
    if (state.contains("step_seconds"))  // checkpoints of older versions have none
      step_seconds_ = entry(state, "step_seconds", kWhere, kNotNegative);
    loss_sum_ = entry(state, "loss_sum", kWhere, kNotNegative);
    loss_tokens_ = entry(state, "loss_tokens", kWhere, kTokensRange);
    best_ = score_from(require(state, "best", kWhere), "training, best");
    trainee_.generator() = generator_from(require(state, "random", kWhere));
  });
  batches_.seek({step_ / batches_.per_epoch(), step_ % batches_.per_epoch()});
  best_state_ = take(all, "best.");
  if (best_state_.tensors.empty() != history_.empty())
    fail_environment(path, "the best model and the history of validations must both be there",
                     history_.size(), " validations and ", best_state_.tensors.size(), " tensors");
  if (!history_.empty()) load_state(trainee_.model(), best_state_, path);  // that it fits
  load_state(trainee_.model(), take(all, "model."), path);
  load_state(optimizer_, take(all, "optimizer."), path);
  if (average_) load_state(*average_, take(all, "average."), path);
  // The best model's file may be older when the last session died between two writes.
  if (!history_.empty()) save_safetensors(folder_ + "/model.safetensors", best_state_);
}

}  // namespace glass
