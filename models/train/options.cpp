// TrainOptions and Score as JSON.
#include "models/json.h"
#include "models/train/trainer.h"

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
          {"valid_every", o.valid_every},
          {"patience", o.patience},
          {"seed", o.seed}};
}

TrainOptions train_options(const Json& json) {
  const char* where = "config.json, training";
  TrainOptions o;
  o.steps = entry<int64_t>(json, "steps", where);
  o.max_minutes = entry<double>(json, "max_minutes", where);
  o.batch_size = entry<int64_t>(json, "batch_size", where);
  o.lr = entry<double>(json, "lr", where);
  o.warmup = entry<int64_t>(json, "warmup", where);
  o.schedule = entry<std::string>(json, "schedule", where);
  o.clip = entry<double>(json, "clip", where);
  o.weight_decay = entry<double>(json, "weight_decay", where);
  o.valid_every = entry<int64_t>(json, "valid_every", where);
  o.patience = entry<int64_t>(json, "patience", where);
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
