#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/var.h"

namespace glass {

/// One input of a model that is audited: real features, so that derivatives can be taken (for text,
/// the embeddings).
struct AuditInput {
  std::string name;
  Tensor value;  ///< [B, L, F]
  std::vector<int64_t> lengths =
      {};               ///< of the rows; what lies beyond is padding. None: no padding
  bool causal = false;  ///< output t may depend on places 0 … t alone
};

enum class LeakKind : uint8_t { padding_seen, future_seen, rows_mixed };

/// Output row, step depends on a place of an input that it must not see.
struct Leak {
  LeakKind kind;
  std::string input;
  int64_t row = 0, step = 0;           ///< of the output
  int64_t from_row = 0, position = 0;  ///< of the input; position -1: somewhere in the padding
  double size = 0;       ///< the derivative's largest element, or how much the output changed
  std::string found_by;  ///< "derivative", or what the padding was replaced by

  std::string text() const;
};

struct AuditReport {
  std::vector<Leak> leaks;                  ///< of each kind, input and step the largest
  int64_t derivatives = 0, poisonings = 0;  ///< how many were tried
  /// Random inputs throughout leave the output as it is: then no leak could have been seen.
  bool vacuous = false;

  bool passed() const { return leaks.empty() && !vacuous; }
  /// "decoder step 3 of row 0 sees source 7 of row 0, which is padding (derivative 0.02)" and so
  /// on.
  std::string text() const;
};

/// Looks for outputs of model that depend on padding, on the future, or on other rows of the batch.
/// model: inputs in order -> [B, T, ...]; it must give the same for the same inputs (evaluation
/// mode). By derivative: the gradient of every output step at random weights, by all inputs. By
/// poison: padding replaced by NaN, 1e30 and random numbers, and all other rows by random ones,
/// must not change an output. output_lengths: the steps of each row that count; none given: all.
AuditReport audit_mask(const std::function<Var(const std::vector<Var>&)>& model,
                       const std::vector<AuditInput>& inputs,
                       const std::vector<int64_t>& output_lengths = {}, uint64_t seed = 0);

}  // namespace glass
