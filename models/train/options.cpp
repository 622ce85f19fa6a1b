// TrainOptions and Score as JSON.
#include <nlohmann/json.hpp>

#include "models/data/corpus.h"
#include "models/train/trainer.h"

namespace glass {

nlohmann::json to_json(const TrainOptions& o) {
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

TrainOptions train_options(const nlohmann::json& json) {
  const char* where = "config.json, training";
  TrainOptions o;
  o.steps = require(json, "steps", where).get<int64_t>();
  o.max_minutes = require(json, "max_minutes", where).get<double>();
  o.batch_size = require(json, "batch_size", where).get<int64_t>();
  o.lr = require(json, "lr", where).get<double>();
  o.warmup = require(json, "warmup", where).get<int64_t>();
  o.schedule = require(json, "schedule", where).get<std::string>();
  o.clip = require(json, "clip", where).get<double>();
  o.weight_decay = require(json, "weight_decay", where).get<double>();
  o.valid_every = require(json, "valid_every", where).get<int64_t>();
  o.patience = require(json, "patience", where).get<int64_t>();
  o.seed = require(json, "seed", where).get<uint64_t>();
  return o;
}

nlohmann::json to_json(const Score& score) {
  return {{"loss", score.loss},
          {"exact_match", score.exact_match},
          {"symbol_error_rate", score.symbol_error_rate},
          {"bleu", score.bleu}};
}

}  // namespace glass
