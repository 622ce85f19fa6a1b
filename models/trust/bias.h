#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/report/html.h"
#include "models/seq2seq/evaluate.h"

namespace glass {

/// What one word does over a data set. Shares are of all words' sums; numbers are one word.
struct BiasRow {
  std::string word;
  int64_t count = 0;
  double occurrence = 0;  ///< of all places
  double attention = 0;   ///< of the weights
  double gradient = 0;    ///< of ‖∂logit/∂x‖
  double effect = 0;      ///< of |log p - log p without it|
  double excess() const { return effect - occurrence; }
};

/// Wrong answers of one kind, and the word that is most often first among the causes.
struct WrongAnswers {
  std::string answer, word;
  int64_t count = 0;
  int64_t by_erasure = 0, by_gradient = 0,
          by_input_gradient = 0;  ///< in how many the word is ranked first
};

struct BiasReport {
  int64_t texts = 0, wrong = 0;
  std::vector<BiasRow> rows;         ///< the largest excess first
  std::vector<WrongAnswers> wrongs;  ///< the most frequent first
};

struct BiasOptions {
  int64_t texts = 0;       ///< so many, taken evenly; 0: all
  std::string layer = {};  ///< of attention; empty: the last from answer to source
};

/// Which words of the texts get attention and have effect out of proportion to how often they
/// occur: the model's own answers under the lens (lens.h), summed over their tokens. The model
/// should be in float64. poll is called before each text. Throws Error for a model without
/// attention and where no text has an answer.
BiasReport bias_report(
    Translator& model, const TextCodec& codec, const std::vector<References>& data,
    const BiasOptions& options = {}, const Poll& poll = [] {});

/// The first rows, and the wrong answers, as tables.
std::vector<ReportTable> bias_tables(const BiasReport& report, const std::string& name,
                                     size_t rows);
nlohmann::json to_json(const BiasReport& report);

}  // namespace glass
