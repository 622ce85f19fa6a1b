#include "autograd/ops/distance.h"

#include <cmath>
#include <numeric>

#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/comparison.h"
#include "autograd/ops/linalg.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

// max(0, x), with slope 1 at 0, as in PyTorch.
Var hinge(const Var& x) { return clamp(x, 0, INFINITY); }

Var with_type(const Var& target, DType dtype) {
  return target.dtype() == kInt64 ? Var(target.value().to(dtype)) : target;
}

Var distance(In a, In b, const TripletOptions& options) {
  return norm(sub(a, b) + options.eps, options.p, {-1});
}

void check_pair(const char* op, const Var& a, const Var& b) {
  if (!(a.shape() == b.shape()))
    fail(op, "inputs must have one shape", a.shape(), " and ", b.shape());
}

}  // namespace

Var cosine_similarity(In x1, In x2, int64_t dim, double eps) {
  const Shape shape = broadcast_shapes("cosine_similarity", x1->shape(), x2->shape());
  const int d = shape.empty() ? 0 : normalize_dim("cosine_similarity", dim, shape.size());
  // Along dim an input is broadcast before its norm is taken, along other axes after.
  const auto unit = [&](In x) {
    Shape own = x->shape();
    while (own.size() < shape.size()) own.insert(0, 1);
    if (!own.empty()) own[d] = shape[d];
    const Var wide = expand(x, own);
    return wide / clamp(norm(wide, 2, {d}, true), eps, INFINITY);
  };
  return sum(unit(x1) * unit(x2), {d});
}

Var margin_ranking_loss(In input1, In input2, const Var& target, double margin,
                        LossReduction reduction) {
  check_pair("margin_ranking_loss", *input1, *input2);
  const Var y = with_type(target, input1->dtype());
  return reduce_loss(reduction, hinge(margin - y * sub(input1, input2)));
}

Var cosine_embedding_loss(In input1, In input2, const Var& target, double margin,
                          LossReduction reduction) {
  const char* op = "cosine_embedding_loss";
  check_pair(op, *input1, *input2);
  Shape pairs = input1->shape();
  if (!pairs.empty()) pairs.erase(pairs.size() - 1);
  if (input1->ndim() < 1 || input1->ndim() > 2 || !(target.shape() == pairs))
    fail(op, "needs inputs [N, D] and targets [N], or [D] and one", input1->shape(), " and ",
         target.shape());
  const Var &a = *input1, &b = *input2;
  constexpr double tiny = 1e-12;  // on both squares, as in PyTorch
  // A root each: the product of both squares would leave float32 near zeros, and far from them.
  const auto norm_of = [](const Var& x) { return sqrt(sum(square(x), {-1}) + tiny); };
  const Var cosine = sum(a * b, {-1}) / (norm_of(a) * norm_of(b));
  const Var y = with_type(target, a.dtype());
  const Var apart = where(eq(y, -1.0), hinge(cosine - margin), 0.0);
  return reduce_loss(reduction, where(eq(y, 1.0), 1.0 - cosine, 0.0) + apart);
}

Var triplet_margin_loss(In anchor, In positive, In negative, const TripletOptions& options) {
  check_pair("triplet_margin_loss", *anchor, *positive);
  check_pair("triplet_margin_loss", *anchor, *negative);
  const Var near = distance(anchor, positive, options);
  Var far = distance(anchor, negative, options);
  if (options.swap) far = minimum(far, distance(positive, negative, options));
  return reduce_loss(options.reduction, hinge(near - far + options.margin));
}

namespace {

// The cosine of row i of width n.
double cosine(const Numbers& a, const Numbers& b, size_t i, size_t n, double tiny = 0) {
  double ab = 0, aa = tiny, bb = tiny;
  for (size_t k = i * n; k < (i + 1) * n; ++k) {
    ab += a[k] * b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa) / std::sqrt(bb);
}

Sample cosines(const char* label, Input a, Input b, size_t rows, size_t n) {
  return {.label = label,
          .inputs = {std::move(a), std::move(b)},
          .f = [](const Vars& v) { return Vars{cosine_similarity(v[0], v[1], -1)}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (size_t i = 0; i < rows; ++i) y.push_back(cosine(x[0], x[1], i, n));
                return y;
              }};
}

[[gnu::cold]] Entry cosine_entry() {
  return {
      .name = "cosine_similarity",
      .formula = "y = Σ (x1/|x1|)·(x2/|x2|) along dim",
      .gradient = "dx1 = dy·(x2/|x2| - y·x1/|x1|)/|x1|, and so for x2",
      .notes = "Norms are at least eps: a vector of zeros gives 0.",
      .samples = {cosines("rows", {{2, 3}}, {{2, 3}}, 2, 3),
                  {.label = "columns",
                   .inputs = {{{3, 1}}, {{3, 1}}},
                   .f = [](const Vars& v) { return Vars{cosine_similarity(v[0], v[1], 0)}; },
                   .reference = [](const Columns& x) { return Numbers{cosine(x[0], x[1], 0, 3)}; }},
                  {.label = "broadcast",
                   .inputs = {{{2, 3}}, {{3}}},
                   .f = [](const Vars& v) { return Vars{cosine_similarity(v[0], v[1])}; },
                   .reference =
                       [](const Columns& x) {
                         const Numbers second(x[0].begin() + 3, x[0].end());
                         return Numbers{cosine(x[0], x[1], 0, 3), cosine(second, x[1], 0, 3)};
                       }},
                  {.label = "broadcast along dim",
                   .inputs = {{{2}}, {{1}}},
                   .f = [](const Vars& v) { return Vars{cosine_similarity(v[0], v[1], 0)}; },
                   .expect = Verdict::vacuous,  // but for its sign, a number has no direction
                   .reference =
                       [](const Columns& x) {
                         return Numbers{cosine(x[0], {x[1][0], x[1][0]}, 0, 2)};
                       }},
                  cosines("zeros", exact_constant({3}, {0, 0, 0}), exact_constant({3}, {1, 2, 2}),
                          1, 3),
                  cosines("no rows", {{0, 3}}, {{0, 3}}, 0, 3)},
      .errors = {{"shapes",
                  [] {
                    cosine_similarity(ones({2, 3}), ones({2, 2}));
                  },
                  "[2, 3] and [2, 2]"},
                 {"no such axis", [] { cosine_similarity(ones({3}), ones({3})); },
                  "dim out of range: 1"}},
      .replay = [](Replay& r) {
        return Vars{cosine_similarity(r["x1"], r["x2"], r.integer("dim", 1), r.real("eps", 1e-8))};
      }};
}

[[gnu::cold]] std::vector<Entry> pair_losses() {
  const auto ranking = [](const Vars& v) {
    return Vars{margin_ranking_loss(v[0], v[1], v[2], 0.5)};
  };
  const auto embedding = [](const Vars& v) {
    return Vars{cosine_embedding_loss(v[0], v[1], v[2], 0.1, LossReduction::none)};
  };
  return {
      {.name = "margin_ranking_loss",
       .kind = EntryKind::loss,
       .formula = "max(0, margin - t·(x1 - x2))",
       .gradient = "dx1 = -g·t where the loss is not cut off, dx2 = -dx1",
       .notes = "Slope as inside where the loss is just 0.",
       .samples = {{.label = "both sides",
                    .inputs = {exact({3}, {1, 2, -1}), exact({3}, {2, 0.5, -1.25}),
                               exact_ints({3}, {1, 1, -1})},
                    .f = ranking,
                    .reference = [](const Columns&) { return Numbers{(1.5 + 0 + 0.75) / 3}; }}},
       .errors = {{"another shape",
                   [] {
                     margin_ranking_loss(ones({2}), ones({2, 1}), ones({2}));
                   },
                   "one shape: [2] and [2, 1]"}},
       .replay =
           [](Replay& r) {
             return Vars{margin_ranking_loss(r["input1"], r["input2"], r["target"],
                                             r.real("margin", 0), reduction_argument(r))};
           }},
      {.name = "cosine_embedding_loss",
       .kind = EntryKind::loss,
       .formula = "1 - cos(x1, x2) where t = 1, max(0, cos(x1, x2) - margin) where t = -1",
       .gradient = "through the cosine; 0 where the loss is cut off",
       .notes = "1e-12 is added to both squared norms.",
       .samples = {{.label = "both sides",
                    .inputs = {exact({3, 2}, {1, 2, 3, -1, 0.5, 1}),
                               exact({3, 2}, {2, 1, 1, 1, -1, -2}), exact_ints({3}, {1, -1, -1})},
                    .f = embedding,
                    .reference =
                        [](const Columns& x) {
                          return Numbers{1 - cosine(x[0], x[1], 0, 2, 1e-12),
                                         cosine(x[0], x[1], 1, 2, 1e-12) - 0.1, 0};
                        }}},
       .errors = {{"targets",
                   [] {
                     cosine_embedding_loss(ones({2, 3}), ones({2, 3}), ones({3}));
                   },
                   "[2, 3] and [3]"}},
       .replay = [](Replay& r) {
         return Vars{cosine_embedding_loss(r["input1"], r["input2"], r["target"],
                                           r.real("margin", 0), reduction_argument(r))};
       }}};
}

}  // namespace

std::vector<Entry> distance_ops() {
  const auto triplet = [](bool swap) -> Function {
    return [=](const Vars& v) {
      return Vars{
          triplet_margin_loss(v[0], v[1], v[2], {.swap = swap, .reduction = LossReduction::none})};
    };
  };
  const auto apart = [](const Numbers& a, const Numbers& b, size_t i) {
    return std::hypot(a[2 * i] - b[2 * i] + 1e-6, a[2 * i + 1] - b[2 * i + 1] + 1e-6);
  };
  const std::vector<Input> points{exact({2, 2}, {0, 0, 1, 1}), exact({2, 2}, {1, 0.5, 1.5, 1}),
                                  exact({2, 2}, {1.5, 0.25, -4, 3})};
  std::vector<Entry> all = pair_losses();
  all.push_back(cosine_entry());
  all.push_back(
      {.name = "triplet_margin_loss",
       .kind = EntryKind::loss,
       .formula = "max(0, margin + |a - p + eps| - |a - n + eps|)",
       .gradient = "through both norms; 0 where the loss is cut off",
       .samples = {{.label = "near and far",
                    .inputs = points,
                    .f = triplet(false),
                    .reference =
                        [=](const Columns& x) {
                          return Numbers{1 + apart(x[0], x[1], 0) - apart(x[0], x[2], 0), 0};
                        }},
                   {.label = "exchanged",
                    .inputs = points,
                    .f = triplet(true),
                    .reference =
                        [=](const Columns& x) {
                          return Numbers{1 + apart(x[0], x[1], 0) - apart(x[1], x[2], 0), 0};
                        }}},
       .errors = {{"another shape", [] { triplet_margin_loss(ones({2}), ones({2}), ones({3})); },
                   "one shape: [2] and [3]"}},
       .replay = [](Replay& r) {
         const TripletOptions options{r.real("margin", 1), r.real("p", 2), r.real("eps", 1e-6),
                                      r.flag("swap", false), reduction_argument(r)};
         return Vars{triplet_margin_loss(r["anchor"], r["positive"], r["negative"], options)};
       }});
  return all;
}

}  // namespace glass
