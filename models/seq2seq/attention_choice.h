#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "nn/attention/slots.h"

namespace glass {

/// An attention by the names of its parts, as the command line and config.json have it.
struct AttentionChoice {
  std::string score = "additive";  ///< dot, scaled-dot, general, concat, additive, cosine, location
  std::string scope = "global";    ///< global, local-m, local-p, laplace, gaussian, linear
  std::string normalizer = "softmax";  ///< softmax, hard (reinforce), hard-straight-through,
                                       ///< hard-gumbel, monotonic, mocha
  std::string dialect = "paper";       ///< paper, authors, popular
  int64_t size = 128;   ///< inner size of additive and concat scores; keys that location knows
  int64_t heads = 1;    ///< more than one: with projections
  int64_t window = 10;  ///< D of local scopes; keys of a MoChA chunk
  double strength = 1;  ///< of priors
  bool coverage = false;
  std::string gate = "none";  ///< of the context: none, scalar, vector (ContextGate)
};

nlohmann::json to_json(const AttentionChoice& choice);
/// Throws Error naming a missing or unknown entry or name.
AttentionChoice attention_choice(const nlohmann::json& json);

/// The attention of queries and keys of these sizes. Throws Error for an unknown name, or choices
/// that make no sense together.
AttentionOptions attention_options(const AttentionChoice& choice, int64_t query_dim,
                                   int64_t key_dim);
/// Whether one key is chosen, with the REINFORCE estimator.
bool is_reinforce(const AttentionChoice& choice);
/// Whether the places of keys mean something: a text, not a map's cells row by row.
bool needs_order(const AttentionChoice& choice);
/// Whether the score needs queries and keys of one size.
bool needs_equal_sizes(const AttentionChoice& choice);

}  // namespace glass
