#include "models/decode/search.h"

#include <algorithm>
#include <cmath>

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

// The search of one input: its live hypotheses and its results.
class Beam {
 public:
  Beam(const SearchOptions& options) : options_(options), live_(1) {}

  int64_t rows() const { return static_cast<int64_t>(live_.size()); }
  bool done() const { return live_.empty(); }
  int64_t last_token(int64_t row) const {
    const auto& ids = live_[static_cast<size_t>(row)].ids;
    return ids.empty() ? options_.bos : ids.back();
  }

  /// log_probs: [rows, V], weights: one row of S per live row or null. Returns the parent row of
  /// each hypothesis that lives on.
  std::vector<int64_t> advance(const std::vector<const double*>& log_probs, int64_t vocabulary,
                               const std::vector<std::vector<double>>& weights) {
    ++length_;
    const std::vector<Candidate> best = best_candidates(log_probs, vocabulary);
    std::vector<Hypothesis> next;
    std::vector<int64_t> parents;
    if (best.empty()) give_up();
    for (const Candidate& c : best) {
      Hypothesis h = live_[static_cast<size_t>(c.parent)];
      h.log_prob = c.log_prob;
      if (c.token == options_.eos) {
        h.finished = true;
        h.score = normalised(h.log_prob, length_);
        results_.push_back(std::move(h));
        continue;
      }
      h.ids.push_back(c.token);
      if (!weights.empty()) h.weights.push_back(weights[static_cast<size_t>(c.parent)]);
      next.push_back(std::move(h));
      parents.push_back(c.parent);
    }
    live_ = std::move(next);
    sort_results();
    if (length_ >= options_.max_length) give_up();
    if (!live_.empty() && results_.size() >= static_cast<size_t>(options_.n_best)) {
      const double bound = normalised(live_[0].log_prob, options_.max_length);
      if (results_[static_cast<size_t>(options_.n_best - 1)].score >= bound) live_.clear();
    }
    if (live_.empty()) parents.clear();
    return parents;
  }

  std::vector<Hypothesis> take_results() {
    if (results_.size() > static_cast<size_t>(options_.n_best))
      results_.resize(static_cast<size_t>(options_.n_best));
    return std::move(results_);
  }

 private:
  double normalised(double log_prob, int64_t length) const {
    return log_prob /
           std::pow(static_cast<double>(std::max<int64_t>(length, 1)), options_.length_penalty);
  }

  // As many as there are places left: each result has taken one.
  std::vector<Candidate> best_candidates(const std::vector<const double*>& log_probs,
                                         int64_t vocabulary) const {
    std::vector<Candidate> all;
    for (size_t row = 0; row < live_.size(); ++row) {
      for (int64_t token = 0; token < vocabulary; ++token) {
        const double p = log_probs[row][token];
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
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  }

  // At max_length what has not ended fills the list, marked as cut.
  void give_up() {
    std::stable_sort(live_.begin(), live_.end(), [](const Hypothesis& a, const Hypothesis& b) {
      return a.log_prob > b.log_prob;
    });
    for (Hypothesis& h : live_) {
      if (results_.size() >= static_cast<size_t>(options_.n_best)) break;
      h.score = normalised(h.log_prob, length_);
      results_.push_back(std::move(h));
    }
    live_.clear();
  }

  const SearchOptions& options_;
  std::vector<Hypothesis> live_, results_;
  int64_t length_ = 0;
};

void check(const SearchOptions& o, int64_t batch) {
  if (o.beam < 1) fail("beam_search", "beam must be at least 1", o.beam);
  if (o.max_length < 1) fail("beam_search", "max_length must be at least 1", o.max_length);
  if (o.n_best < 1 || o.n_best > o.beam)
    fail("beam_search", "n_best must be between 1 and beam", o.n_best, ", beam ", o.beam);
  if (!(o.length_penalty >= 0) || !std::isfinite(o.length_penalty))
    fail("beam_search", "length_penalty must be 0 or more", o.length_penalty);
  if (batch < 0) fail("beam_search", "batch must not be negative", batch);
}

std::vector<double> row_of(const double* data, int64_t row, int64_t n) {
  return {data + row * n, data + (row + 1) * n};
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(StepModel& model, int64_t batch,
                                                 const SearchOptions& options) {
  check(options, batch);
  std::vector<Beam> beams(static_cast<size_t>(batch), Beam(options));
  while (true) {
    std::vector<int64_t> tokens;
    for (const Beam& beam : beams)
      for (int64_t row = 0; row < beam.rows(); ++row) tokens.push_back(beam.last_token(row));
    if (tokens.empty()) break;
    const StepModel::Step step =
        model.step(Tensor::from(tokens, {static_cast<int64_t>(tokens.size())}));
    const Tensor log_probs = step.log_probs.to(kFloat64).contiguous();
    const bool attends = step.weights.defined();
    const Tensor weights = attends ? step.weights.to(kFloat64).contiguous() : Tensor();
    const int64_t vocabulary = log_probs.size(1);

    std::vector<int64_t> survivors;
    int64_t first = 0;
    for (Beam& beam : beams) {
      std::vector<const double*> rows;
      std::vector<std::vector<double>> row_weights;
      for (int64_t row = first; row < first + beam.rows(); ++row) {
        rows.push_back(log_probs.data<double>() + row * vocabulary);
        if (attends) row_weights.push_back(row_of(weights.data<double>(), row, weights.size(1)));
      }
      const int64_t base = first;
      first += beam.rows();
      if (rows.empty()) continue;
      for (int64_t parent : beam.advance(rows, vocabulary, row_weights))
        survivors.push_back(base + parent);
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
