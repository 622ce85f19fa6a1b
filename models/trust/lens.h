#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nn/module.h"

namespace glass {

/// How a place is taken away: the others close up, or it is blank. Cells are always blanked.
enum class Erasure : uint8_t { drop, blank };

/// An answer of a model and how to run it again: all that the lens needs to know of a model.
struct TrustQuestion {
  std::vector<std::string> source, answer;   ///< S places and T tokens, as they are shown
  std::vector<int64_t> ids;                  ///< T: the answer's
  std::vector<std::vector<double>> weights;  ///< [T][S]: what the attention says
  Tensor input;                              ///< [1, S, E]: what stands at each place
  /// Logits [N, T, V] of the answer's tokens (each given those before it) from inputs [N, S', E],
  /// S' ≤ S.
  std::function<Var(const Var& inputs)> logits;
  Module* model = nullptr;  ///< with a layer: whose weights are shuffled; null: none are
  std::string layer = {};   ///< its path
  /// Places are cells of a picture's map with so many columns, row by row; 0: tokens.
  int64_t columns = 0;
  Tensor blank = {};  ///< [E]: what stands at a place that is blanked; undefined: zeros
};

/// What lies behind one token y of an answer. Places are those of the source.
struct TokenTrust {
  std::string token;
  double log_probability = 0;
  std::vector<double> weights = {};
  std::vector<double> gradient = {};        ///< ‖∂logit_y/∂x_s‖
  std::vector<double> input_gradient = {};  ///< (x_s - blank) · ∂logit_y/∂x_s
  std::vector<double> erasure = {};         ///< log p(y) - log p(y | without place s)
  /// Spearman's ρ of the weights with the sizes |·| of each; empty without an order.
  std::optional<double> rho_gradient = {}, rho_input_gradient = {}, rho_erasure = {};
  /// The weights of all tokens shuffled among the places (a sentinel keeps its own): the median
  /// distance ½Σ|p - p'| of this token's distributions, and how often another token became the
  /// likeliest. Empty: not done.
  std::optional<double> shuffled_distance = {}, shuffled_changed = {};
};

struct TrustReport {
  std::vector<std::string> source;
  std::string layer;
  std::vector<TokenTrust> tokens;
  int64_t columns = 0;  ///< TrustQuestion::columns
};

struct TrustOptions {
  Erasure erasure = Erasure::drop;  ///< a place that is the only one is blanked
  int64_t shuffles = 20;            ///< 0: none
  uint64_t seed = 1;                ///< of the shuffles
};

/// Holds attention weights against what changes the answer (Jain and Wallace 2019; Wiegreffe and
/// Pinter 2019): gradients, erasure, and weights that point elsewhere. The model must be in eval
/// mode; float64 keeps small effects in order. Throws Error for sizes that do not fit together.
TrustReport examine(const TrustQuestion& question, const TrustOptions& options = {});

/// Sizes |x|: what ranks and shares count.
std::vector<double> sizes(const std::vector<double>& values);
size_t largest(const std::vector<double>& values);  ///< the first of them

}  // namespace glass
