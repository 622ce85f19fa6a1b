#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/report/html.h"
#include "models/seq2seq/evaluate.h"

namespace glass {

/// What one word of the sources, or one cell of the pictures, does over a data set. Shares are of
/// all places' sums; numbers are one word.
struct BiasRow {
  std::string word;  ///< "row 1, column 3" of a cell
  int64_t count = 0;
  double occurrence = 0;  ///< of all places
  double attention = 0;   ///< of the weights
  double gradient = 0;    ///< of ‖∂logit/∂x‖
  double effect = 0;      ///< of |log p - log p without it|
  double excess() const { return effect - occurrence; }
};

/// What one word of the answers hangs on.
struct AnswerWord {
  std::string word;
  int64_t count = 0;
  double occurrence = 0;  ///< of all words of the answers
  double effect = 0;      ///< its share of all effects
  double weight = 0;      ///< its largest weight, on average
  int64_t agree = 0;      ///< how often its weights agree with their effect (verdict.h)
  double excess() const { return effect - occurrence; }
};

/// A word of answers that no reference has, and the place that is most often first among its
/// causes.
struct WrongAnswers {
  std::string answer, word;  ///< the wrong word, and the place
  int64_t count = 0;
  int64_t by_erasure = 0, by_gradient = 0,
          by_input_gradient = 0;  ///< in how many the place is ranked first
};

struct BiasReport {
  int64_t texts = 0, wrong = 0;               ///< answers that are no reference
  int64_t empty = 0;                          ///< answers without a word to explain
  int64_t columns = 0;                        ///< of the pictures' maps; 0: sources are texts
  std::vector<BiasRow> rows;                  ///< the largest excess first
  std::vector<AnswerWord> answer_words = {};  ///< the same; none where answers are single words
  std::vector<WrongAnswers> wrongs;           ///< the most frequent first
};

struct BiasOptions {
  int64_t texts = 0;       ///< so many, taken evenly; 0: all
  std::string layer = {};  ///< of attention; empty: the last from answer to source
};

/// Which words of the texts, or regions of the pictures, get attention and have effect out of
/// proportion to how often they occur, and which words of the answers: the model's own answers
/// under the lens (lens.h), summed over their tokens. The model should be in float64. poll is
/// called before each text. Throws Error for a model without attention and where no text has an
/// answer.
BiasReport bias_report(
    Translator& model, const TextCodec& codec, const std::vector<References>& data,
    const BiasOptions& options = {}, const Poll& poll = [] {});

/// The first rows, the words of the answers, and the wrong ones, as tables.
std::vector<ReportTable> bias_tables(const BiasReport& report, const std::string& name,
                                     size_t rows);
/// Of pictures: attention, gradient and effect as maps of the cells; of texts none.
std::vector<AttentionMap> bias_maps(const BiasReport& report, const std::string& name);
nlohmann::json to_json(const BiasReport& report);

}  // namespace glass
