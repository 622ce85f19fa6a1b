// TrainOptions and Score as JSON.
#include <algorithm>

#include "models/json.h"
#include "models/names.h"
#include "models/train/trainer.h"
#include "tensor/precision.h"

namespace glass {

Json to_json(const TrainOptions& o) {
  return {{"steps", o.steps},
          {"max_minutes", o.max_minutes},
          {"batch_size", o.batch_size},
          {"lr", o.lr},
          {"warmup", o.warmup},
          {"schedule", o.schedule},
          {"clip", o.clip},
          {"weight_decay", o.weight_decay},
          {"beta1", o.beta1},
          {"beta2", o.beta2},
          {"eps", o.eps},
          {"matmul_precision", o.matmul_precision},
          {"ema", o.ema},
          {"valid_every", o.valid_every},
          {"patience", o.patience},
          {"seed", o.seed}};
}

TrainOptions train_options(const Json& json) {
  const char* where = "training";
  TrainOptions o;
  o.steps = entry(json, "steps", where, kCountRange);
  o.max_minutes = entry(json, "max_minutes", where, kAmountRange);
  o.batch_size = entry(json, "batch_size", where, kCountRange);
  o.lr = entry(json, "lr", where, kLearningRateRange);
  o.warmup = entry(json, "warmup", where, kCountOrNoneRange);
  const auto name_of = [&](const std::string& key, const std::vector<std::string>& known) {
    const auto name = entry<std::string>(json, key.c_str(), where);
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail_environment(where, key + " must be " + listed(known, " or "), "got ", name);
    return name;
  };
  o.schedule = name_of("schedule", schedule_names());
  o.clip = entry(json, "clip", where, kAmountRange);
  o.weight_decay = entry(json, "weight_decay", where, kAmountRange);
  // Runs of older versions have none of these.
  if (json.contains("beta1")) o.beta1 = entry(json, "beta1", where, kBetaRange);
  if (json.contains("beta2")) o.beta2 = entry(json, "beta2", where, kBetaRange);
  if (json.contains("eps")) o.eps = entry(json, "eps", where, kEpsilonRange);
  if (json.contains("matmul_precision"))
    o.matmul_precision = name_of("matmul_precision", matmul_precision_names());
  if (json.contains("ema")) o.ema = entry(json, "ema", where, kBetaRange);
  o.valid_every = entry(json, "valid_every", where, kCountRange);
  o.patience = entry(json, "patience", where, kCountOrNoneRange);
  o.seed = entry<uint64_t>(json, "seed", where);
  return o;
}

Json to_json(const Score& score) {
  return {{"loss", score.loss},
          {"exact_match", score.exact_match},
          {"symbol_error_rate", score.symbol_error_rate},
          {"bleu", score.bleu}};
}

}  // namespace glass
