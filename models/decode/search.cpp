#include "models/decode/search.h"

#include <algorithm>
#include <cmath>

#include "models/decode/trail.h"

namespace glass {
namespace {

struct Candidate {
  double log_prob;
  int64_t parent, token;
};

// Higher probability first, then the lower parent, then the lower token.
bool better(const Candidate& a, const Candidate& b) {
  if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

// A hypothesis that is not written out yet.
struct Path {
  Trail trail;
  double log_prob = 0, score = 0;
  bool finished = false;
  std::vector<double> coverage = {};  // Σ of the weights of its rows, with a coverage penalty
};

// What the model said of the rows of one input.
struct Rows {
  std::vector<const double*> log_probs = {};  // V numbers each
  std::vector<const double*> weights = {};    // S numbers each; empty: not kept
  int64_t vocabulary = 0, source = 0;         // V, S
};

// The search of one input: its live hypotheses and its results.
class Beam {
 public:
  Beam(const SearchOptions& options, int64_t max_length)
      : options_(options), max_length_(max_length), live_(1) {}

  int64_t rows() const { return static_cast<int64_t>(live_.size()); }
  int64_t last_token(int64_t row) const {
    return live_[static_cast<size_t>(row)].trail.last_or(options_.bos);
  }

  /// Takes one step. Returns the parent row of each hypothesis that lives on.
  std::vector<int64_t> advance(const Rows& rows) {
    ++length_;
    const std::vector<Candidate> best = best_candidates(rows);
    std::vector<Path> next;
    std::vector<int64_t> parents;
    if (best.empty()) give_up();
    for (const Candidate& c : best) {
      const auto parent = static_cast<size_t>(c.parent);
      const Trail& trail = live_[parent].trail;
      if (c.token == options_.eos) {
        const double score = normalised(c.log_prob, length_) + penalty(live_[parent].coverage);
        results_.push_back({trail, c.log_prob, score, true});
        continue;
      }
      std::vector<double> weights;
      if (!rows.weights.empty())
        weights.assign(rows.weights[parent], rows.weights[parent] + rows.source);
      std::vector<double> coverage = covered(live_[parent].coverage, weights);
      if (!options_.keep_weights) weights.clear();
      next.push_back(
          {trail.extended(c.token, std::move(weights)), c.log_prob, 0, false, std::move(coverage)});
      parents.push_back(c.parent);
    }
    live_ = std::move(next);
    sort_results();
    if (length_ >= max_length_) give_up();
    if (!live_.empty() && results_.size() >= static_cast<size_t>(options_.n_best)) {
      const double bound = normalised(live_[0].log_prob, max_length_);
      if (results_[static_cast<size_t>(options_.n_best - 1)].score >= bound) live_.clear();
    }
    if (live_.empty()) parents.clear();
    return parents;
  }

  std::vector<Hypothesis> take_results() {
    const size_t count = std::min(results_.size(), static_cast<size_t>(options_.n_best));
    std::vector<Hypothesis> written;
    for (size_t i = 0; i < count; ++i) {
      const Path p = std::move(results_[i]);
      written.push_back({p.trail.ids(), p.log_prob, p.score, p.finished, p.trail.weights()});
    }
    return written;
  }

 private:
  double normalised(double log_prob, int64_t length) const {
    const double n = static_cast<double>(std::max<int64_t>(length, 1));
    const double base = options_.length_norm == LengthNorm::gnmt ? (5 + n) / 6 : n;
    return log_prob / std::pow(base, options_.length_penalty);
  }
  std::vector<double> covered(std::vector<double> sums, const std::vector<double>& row) const {
    if (options_.coverage_penalty == 0) return {};
    sums.resize(row.size(), 0.0);
    for (size_t j = 0; j < row.size(); ++j) sums[j] += row[j];
    return sums;
  }
  double penalty(const std::vector<double>& coverage) const {
    double sum = 0;
    for (const double c : coverage) sum += std::log(std::clamp(c, 1e-10, 1.0));
    return options_.coverage_penalty * sum;
  }

  // Tokens that would end an n-gram that the hypothesis already has.
  std::vector<int64_t> repeated(const Trail& trail) const {
    const auto n = static_cast<size_t>(options_.no_repeat_ngram);
    std::vector<int64_t> tokens;
    if (n == 0) return tokens;
    const std::vector<int64_t> ids = trail.ids();
    for (size_t end = n; end <= ids.size(); ++end)
      if (std::equal(ids.end() - static_cast<int64_t>(n - 1), ids.end(),
                     ids.begin() + static_cast<int64_t>(end - n)))
        tokens.push_back(ids[end - 1]);
    return tokens;
  }

  // As many as there are places left: each result has taken one.
  std::vector<Candidate> best_candidates(const Rows& rows) const {
    std::vector<Candidate> all;
    for (size_t row = 0; row < live_.size(); ++row) {
      const std::vector<int64_t> banned = repeated(live_[row].trail);
      for (int64_t token = 0; token < rows.vocabulary; ++token) {
        const double p = rows.log_probs[row][token];
        if (token == options_.eos && length_ <= options_.min_length) continue;
        if (std::find(banned.begin(), banned.end(), token) != banned.end()) continue;
        if (std::isfinite(p))
          all.push_back({live_[row].log_prob + p, static_cast<int64_t>(row), token});
      }
    }
    const size_t places = static_cast<size_t>(options_.beam) - results_.size();
    const size_t wanted = std::min(all.size(), places);
    std::partial_sort(all.begin(), all.begin() + static_cast<int64_t>(wanted), all.end(), better);
    all.resize(wanted);
    return all;
  }

  void sort_results() {
    std::stable_sort(results_.begin(), results_.end(),
                     [](const Path& a, const Path& b) { return a.score > b.score; });
  }

  // At max_length what has not ended fills the list, marked as cut.
  void give_up() {
    std::stable_sort(live_.begin(), live_.end(),
                     [](const Path& a, const Path& b) { return a.log_prob > b.log_prob; });
    for (Path& h : live_) {
      if (results_.size() >= static_cast<size_t>(options_.n_best)) break;
      h.score = normalised(h.log_prob, length_) + penalty(h.coverage);
      results_.push_back(std::move(h));
    }
    live_.clear();
  }

  const SearchOptions& options_;
  const int64_t max_length_;
  std::vector<Path> live_, results_;
  int64_t length_ = 0;
};

void check_search(const SearchOptions& o, int64_t batch) {
  if (o.beam < 1) fail("beam_search", "beam must be at least 1", o.beam);
  if (o.max_length < 1) fail("beam_search", "max_length must be at least 1", o.max_length);
  if (o.n_best < 1 || o.n_best > o.beam)
    fail("beam_search", "n_best must be between 1 and beam", o.n_best, ", beam ", o.beam);
  if (!(o.length_penalty >= 0) || !std::isfinite(o.length_penalty))
    fail("beam_search", "length_penalty must be 0 or more", o.length_penalty);
  if (!(o.coverage_penalty >= 0) || !std::isfinite(o.coverage_penalty))
    fail("beam_search", "coverage_penalty must be 0 or more", o.coverage_penalty);
  if (o.min_length < 0 || o.min_length >= o.max_length)
    fail("beam_search", "min_length must be 0 or more and below max_length", o.min_length,
         ", max_length ", o.max_length);
  if (o.no_repeat_ngram < 0)
    fail("beam_search", "no_repeat_ngram must be 0 or more", o.no_repeat_ngram);
  if (batch < 0) fail("beam_search", "batch must not be negative", batch);
  if (!o.max_lengths.empty() && static_cast<int64_t>(o.max_lengths.size()) != batch)
    fail("beam_search", "needs one of max_lengths per input", o.max_lengths.size(), " for ", batch);
  for (int64_t length : o.max_lengths)
    if (length < 1) fail("beam_search", "max_lengths must be at least 1", length);
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(StepModel& model, int64_t batch,
                                                 const SearchOptions& options) {
  check_search(options, batch);
  std::vector<Beam> beams;
  for (size_t i = 0; i < static_cast<size_t>(batch); ++i)
    beams.emplace_back(options,
                       options.max_lengths.empty() ? options.max_length : options.max_lengths[i]);
  while (true) {
    std::vector<int64_t> tokens;
    for (const Beam& beam : beams)
      for (int64_t row = 0; row < beam.rows(); ++row) tokens.push_back(beam.last_token(row));
    if (tokens.empty()) break;
    const StepModel::Step step =
        model.step(Tensor::from(tokens, {static_cast<int64_t>(tokens.size())}));
    const Tensor log_probs = step.log_probs.to(kFloat64).contiguous();
    if (options.coverage_penalty > 0 && !step.weights.defined())
      fail("beam_search", "a coverage penalty needs a model that attends",
           options.coverage_penalty);
    const bool attends =
        (options.keep_weights || options.coverage_penalty > 0) && step.weights.defined();
    const Tensor weights = attends ? step.weights.to(kFloat64).contiguous() : Tensor();

    std::vector<int64_t> survivors;
    int64_t first = 0;
    for (Beam& beam : beams) {
      Rows rows{.vocabulary = log_probs.size(1), .source = attends ? weights.size(1) : 0};
      const int64_t base = first;
      first += beam.rows();
      for (int64_t row = base; row < first; ++row) {
        rows.log_probs.push_back(log_probs.data<double>() + row * rows.vocabulary);
        if (attends) rows.weights.push_back(weights.data<double>() + row * rows.source);
      }
      if (rows.log_probs.empty()) continue;
      for (int64_t parent : beam.advance(rows)) survivors.push_back(base + parent);
    }
    if (survivors.empty()) break;
    bool unchanged = survivors.size() == tokens.size();
    for (size_t i = 0; unchanged && i < survivors.size(); ++i)
      unchanged = survivors[i] == static_cast<int64_t>(i);
    if (!unchanged)
      model.reorder(Tensor::from(survivors, {static_cast<int64_t>(survivors.size())}));
  }
  std::vector<std::vector<Hypothesis>> results;
  for (Beam& beam : beams) results.push_back(beam.take_results());
  return results;
}

}  // namespace glass
