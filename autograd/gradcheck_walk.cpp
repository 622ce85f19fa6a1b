#include "autograd/gradcheck_walk.h"

#include <cmath>
#include <map>
#include <set>

#include "autograd/engine.h"
#include "autograd/gradcheck_equations.h"
#include "autograd/tape_watch.h"
#include "tensor/ops.h"

namespace glass {
namespace {

struct Recorded {
  NodePtr node;
  uint32_t output;
  Tensor value;
};
struct Tape {
  std::vector<Recorded> values;
  Vars outputs;
};
using Place = std::pair<const Node*, uint32_t>;

// In the order of recording: also what an op records inside itself.
Tape record_tape(const GradProblem& problem) {
  Tape tape;
  const WatchTape watch([&](const NodePtr& node, uint32_t output, const Tensor& value) {
    if (is_floating(value.dtype()))
      tape.values.push_back({node, output, value.to(kFloat64).clone()});
  });
  tape.outputs = problem.record();
  return tape;
}

// The ops that lead from the inputs to the outputs.
std::set<const Node*> reachable(const Tape& tape) {
  std::vector<Node*> next;
  std::set<const Node*> seen;
  const auto enter = [&](Node* node) {
    if (node && seen.insert(node).second) next.push_back(node);
  };
  for (const Var& y : tape.outputs)
    if (y.defined()) enter(y.node().get());
  while (!next.empty()) {
    Node* node = next.back();
    next.pop_back();
    for (const Edge& edge : node->edges()) enter(edge.node.get());
  }
  return seen;
}

// Slopes of every value on the tape: central differences over two widths, extrapolated to zero.
// Empty when the function records something else beside the sample.
std::vector<Tensor> tangents(const GradProblem& problem, Displacement& x, const Direction& d,
                             double h, size_t expected) {
  Tape at[4];
  const double places[] = {h, -h, h / 2, -h / 2};
  for (size_t k = 0; k < 4; ++k) {
    x.move(d, places[k]);
    at[k] = record_tape(problem);
    if (at[k].values.size() != expected) return {};
  }
  std::vector<Tensor> slopes;
  for (size_t n = 0; n < expected; ++n) {
    const Shape& shape = at[0].values[n].value.shape();
    for (const Tape& tape : at)
      if (!(tape.values[n].value.shape() == shape)) return {};
    const Tensor wide = (at[0].values[n].value - at[1].values[n].value) * (1 / (2 * h)),
                 narrow = (at[2].values[n].value - at[3].values[n].value) * (1 / h);
    slopes.push_back(narrow * (4.0 / 3) - wide * (1.0 / 3));
  }
  return slopes;
}

class Walk {
 public:
  Walk(const GradProblem& problem, Displacement& x, const CheckOptions& options)
      : problem_(problem), x_(x), options_(options), generator_(options.seed + 7) {}

  // Displacing the inputs is a change of what was saved, so what is walked is recorded after it.

  std::optional<TapePlace> run(const std::function<void()>& disturb) {
    const size_t values = record_tape(problem_).values.size();
    if (!find_slopes(values)) return {};
    tape_ = record_tape(problem_);
    if (tape_.values.size() != values) return {};
    disturb();
    for (size_t n = 0; n < values; ++n)
      places_[{tape_.values[n].node.get(), tape_.values[n].output}] = n;
    for (size_t i = 0; i < x_.count(); ++i) {  // leaves, and values that serve as inputs
      const Var& input = problem_.inputs[i];
      for (const Direction& d : directions_)
        leaves_[{input.node().get(), input.output()}].push_back(d[i]);
    }
    std::vector<const Node*> order;
    const std::set<const Node*> used = reachable(tape_);
    for (const Recorded& r : tape_.values)
      if (used.count(r.node.get()) && (order.empty() || order.back() != r.node.get()))
        order.push_back(r.node.get());
    if (order.size() < 2) return {};
    std::optional<TapePlace> first;
    for (size_t n = 0; n < order.size(); ++n) {
      Equations e;
      double difference = INFINITY;
      for (int w = 0; w < kWidths && disagrees(difference); ++w) {
        Equations at_width = equations(*order[n], w);
        const double d = at_width.residual();
        if (w > 0 && !(d < difference)) continue;
        difference = d;
        e = std::move(at_width);
      }
      if (!disagrees(difference)) continue;
      if (first) {
        ++first->disagreeing;
        continue;
      }
      const SourceLine where = order[n]->where();
      first = TapePlace{.op = order[n]->name(),
                        .file = where.file,
                        .line = where.line,
                        .number = n + 1,
                        .of = order.size(),
                        .difference = difference,
                        .cause = cause_of(e, options_.tolerance)};
    }
    return first;
  }

 private:
  static constexpr int kWidths = 3;

  bool disagrees(double difference) const {
    return !(difference <= std::max(1e-5, 10 * options_.tolerance));
  }

  // Along each direction with several widths, for what bends sharply.
  bool find_slopes(size_t values) {
    for (int k = 0; k < 3; ++k) {
      Direction d;
      for (size_t i = 0; i < x_.count(); ++i)
        d.push_back(away_from_zero(x_[i].shape(), generator_));
      for (int w = 0; w < kWidths; ++w) {
        slopes_[w].push_back(tangents(problem_, x_, d, options_.step * std::pow(10, -w), values));
        x_.restore();
        if (slopes_[w].back().empty()) return false;
      }
      directions_.push_back(std::move(d));
    }
    return true;
  }

  // The slope of a value that an op reads; undefined where it has none.
  Tensor slope(const Edge& edge, int width, size_t direction) const {
    const Place place{edge.node.get(), edge.output};
    if (const auto leaf = leaves_.find(place); leaf != leaves_.end())
      return leaf->second[direction];
    const auto found = places_.find(place);
    return found == places_.end() ? Tensor() : slopes_[width][direction][found->second];
  }

  // The gradients of an op's inputs, one per edge; edges to one value share theirs equally.
  Equations equations(const Node& op, int width) {
    Node& node = const_cast<Node&>(op);
    const NodePtr owner = NodePtr::share(&node);
    Equations e;
    Vars ends;
    std::vector<Place> seen;
    std::vector<const Edge*> edges;
    for (const Edge& edge : node.edges()) {
      if (!edge.node) continue;
      const Place place{edge.node.get(), edge.output};
      if (std::find(seen.begin(), seen.end(), place) != seen.end()) continue;
      seen.push_back(place);
      edges.push_back(&edge);
      const Meta& meta = edge.node->output(edge.output);
      ends.emplace_back(Tensor::zeros(meta.shape, meta.dtype), edge.node, edge.output);
    }
    for (size_t k = 0; k < directions_.size(); ++k) {
      std::vector<Tensor> of_inputs;
      for (const Edge* edge : edges) {
        Tensor s = slope(*edge, width, k);
        const Shape& shape = edge->node->output(edge->output).shape;
        of_inputs.push_back(s.defined() ? s : Tensor::zeros(shape, kFloat64));
      }
      e.slopes.push_back(std::move(of_inputs));
    }
    e.inputs = ends.size();
    for (int u = 0; u < 3; ++u) add_upstream(e, owner, ends, width);
    return e;
  }

  void add_upstream(Equations& e, const NodePtr& node, const Vars& ends, int width) {
    Vars outputs, seeds;
    std::vector<size_t> rows;
    for (uint32_t o = 0; o < node->outputs(); ++o) {
      const auto place = places_.find({node.get(), o});
      if (place == places_.end()) continue;
      const Meta& meta = node->output(o);
      rows.push_back(place->second);
      outputs.emplace_back(tape_.values[place->second].value.to(meta.dtype), node, o);
      seeds.emplace_back(away_from_zero(meta.shape, generator_).to(meta.dtype));
    }
    std::vector<Tensor> gradient;
    try {
      const RecordingScope off(false);
      const Vars found = Engine({.retain_graph = true}).run(outputs, seeds, ends, true);
      for (size_t i = 0; i < ends.size(); ++i)
        gradient.push_back(found[i].defined() ? found[i].value().to(kFloat64)
                                              : Tensor::zeros(ends[i].shape(), kFloat64));
    } catch (const Error& error) {  // it disagrees with everything
      e.thrown = error.what();
      for (const Var& end : ends) gradient.push_back(Tensor::full(end.shape(), NAN, kFloat64));
    }
    for (size_t k = 0; k < directions_.size(); ++k) {
      double left = 0, size = 0;
      for (size_t o = 0; o < outputs.size(); ++o) {
        const Tensor& slope = slopes_[width][k][rows[o]];
        const Tensor seed = seeds[o].value().to(kFloat64);
        left += dot(seed, slope);
        size += norm(seed) * norm(slope);
      }
      double other = 0;
      for (size_t i = 0; i < gradient.size(); ++i)
        other += norm(gradient[i]) * norm(e.slopes[k][i]);
      e.left.push_back(left);
      e.scale.push_back(std::max(size, std::isfinite(other) ? other : 1.0));
    }
    e.gradients.push_back(std::move(gradient));
  }

  const GradProblem& problem_;
  Displacement& x_;
  const CheckOptions& options_;
  Generator generator_;
  Tape tape_;
  std::vector<Direction> directions_;
  std::map<Place, size_t> places_;                    // in the tape
  std::map<Place, std::vector<Tensor>> leaves_;       // slopes per direction
  std::vector<std::vector<Tensor>> slopes_[kWidths];  // per direction, per place
};

}  // namespace

std::optional<TapePlace> first_disagreement(const GradProblem& problem, Displacement& inputs,
                                            const CheckOptions& options,
                                            const std::function<void()>& disturb) {
  try {
    return Walk(problem, inputs, options).run(disturb);
  } catch (const Error&) {  // what was recorded cannot be run again
    inputs.restore();
    return {};
  }
}

}  // namespace glass
