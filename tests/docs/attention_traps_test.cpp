// The code that docs/attention.md and docs/zh/attention.md show about dialects, audit, recorder,
// cost and traps, compiled and run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/ops/monotonic.h"
#include "models/report/attention_map.h"
#include "models/report/svg.h"
#include "nn/attention/audit.h"
#include "nn/attention/losses.h"
#include "nn/attention/normalizer.h"
#include "nn/attention/recorder.h"
#include "nn/transformer.h"
#include "tests/catch.h"
#include "tests/docs/attention_lesson.h"

namespace glass::attention_lesson {

// One query of one feature.
static AttentionOutput ask(const Attention& attention, double query,
                           const std::vector<double>& keys) {
  const Var k(Tensor::from(keys, {1, static_cast<int64_t>(keys.size()), 1}));
  return attention(Var(Tensor::from({query}, {1, 1, 1})), attention.prepare(k));
}

static Attention one_feature(AttentionOptions options, Dialect dialect) {
  options.query_dim = options.key_dim = 1;
  options.dialect = dialect;
  Generator g;
  Attention attention(options, g);
  attention.to(kFloat64);
  return attention;
}

static Var given(const std::vector<double>& values, const Shape& shape) {
  return parameter(Tensor::from(values, shape));
}

static std::string concat_and_additive() {
  Attention paper = one_feature({.score = ConcatScore{1}}, Dialect::paper);
  Attention authors = one_feature({.score = ConcatScore{1}}, Dialect::authors);
  Attention additive = one_feature({.score = AdditiveScore{1}}, Dialect::paper);
  Attention popular = one_feature({.score = AdditiveScore{1}}, Dialect::popular);
  paper.scorer.query_weight = given({0.5, 0.25}, {1, 2});
  authors.scorer.query_weight = additive.scorer.query_weight = given({0.5}, {1, 1});
  additive.scorer.key_weight = given({0.25}, {1, 1});
  for (Attention* each : {&paper, &authors, &additive, &popular}) each->scorer.v = given({2}, {1});
  std::string out;
  const auto add = [&](const char* name, const Attention& attention) {
    out += fmt::format("{:18}{}\n", name, show(ask(attention, 1, {1, -1}).weights.dense()));
  };
  add("concat, paper", paper);
  add("concat, authors", authors);
  add("additive, paper", additive);
  add("additive, popular", popular);
  return out;
}

// DOC: dialects of local-p
static std::string local_p() {
  std::string out;
  for (const auto& [name, dialect] : {std::pair{"paper", Dialect::paper},
                                      {"authors", Dialect::authors},
                                      {"popular", Dialect::popular}}) {
    Generator g;
    const Attention attention(
        {.query_dim = 1, .key_dim = 1, .scope = LocalPScope{.D = 1}, .dialect = dialect}, g);
    const Var keys(Tensor::from({1.0f, 2.0f, 3.0f, 4.0f, 5.0f}, {1, 5, 1}));
    const Var query(Tensor::zeros({1, 1, 1}));  // all scores are 0, and σ(…) = 0.5
    const AttentionOutput y = attention(query, attention.prepare(keys));
    out += fmt::format("{:8}p = {}  weights {}  mass {}\n", name, show(y.position, 1),
                       show(y.weights.dense()), show(y.weights.mass()));
  }
  return out;
}
// DOC: end

static std::string gates_and_squashes() {
  std::string out;
  for (const auto& [name, dialect] :
       {std::pair{"gate, paper", Dialect::paper}, {"gate, popular", Dialect::popular}}) {
    Generator g;
    Attention a(
        {.query_dim = 1, .key_dim = 1, .value_dim = 2, .after = ContextGate{}, .dialect = dialect},
        g);
    a.to(kFloat64);
    const bool one = dialect == Dialect::paper;
    const std::vector<double> weight =
        one ? std::vector{std::log(3.0)} : std::vector{std::log(3.0), 0.0};
    const auto n = static_cast<int64_t>(weight.size());
    a.after->weight = given(weight, {n, 1});
    a.after->bias = given(std::vector<double>(weight.size(), 0.0), {n});
    const Var values(Tensor::from({4.0, 8.0}, {1, 1, 2})), key(Tensor::from({1.0}, {1, 1, 1}));
    const AttentionOutput y = a(Var(Tensor::from({1.0}, {1, 1})), a.prepare(key, {}, values));
    out += fmt::format("{:18}{} -> {}\n", name, show(y.context, 1), show(y.output, 1));
  }
  for (const auto& [name, squash] :
       {std::pair{"scores by tanh", Squash::tanh}, {"scores by ReLU", Squash::relu}}) {
    Attention a =
        one_feature({.score = AdditiveScore{.attn_dim = 1, .squash = squash}}, Dialect::paper);
    a.scorer.query_weight = a.scorer.key_weight = given({1}, {1, 1});
    a.scorer.v = given({1}, {1});
    out += fmt::format("{:18}{}\n", name, show(ask(a, 0, {2, -3}).weights.dense()));
  }
  return out;
}

static std::string doubly_stochastic() {
  const Var weights(Tensor::from({0.5, 0.5, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75}, {2, 2, 2}));
  return fmt::format("paper   {}\nauthors {}\npopular {}\n",
                     show(doubly_stochastic_loss(weights, 1, 1, Dialect::paper)),
                     show(doubly_stochastic_loss(weights, 1, 1, Dialect::authors)),
                     show(doubly_stochastic_loss(weights, 1, 1, Dialect::popular)));
}

// DOC: audit
static std::string audited() {
  Generator g(1);
  Attention attention({.query_dim = 4, .key_dim = 4, .score = AdditiveScore{3}}, g);
  attention.to(kFloat64);
  attention.eval();
  const Tensor source = uniform({2, 3, 4}, -1, 1, kFloat64, g);
  const std::vector<int64_t> lengths{3, 2};
  std::string out;
  for (const Mask& mask : {Mask::from_lengths(lengths, 3), Mask()}) {
    const auto model = [&](const std::vector<Var>& in) {
      return attention(in[0], attention.prepare(in[0], mask)).output;
    };
    out += audit_mask(model, {{"source", source, lengths}}, lengths).text() + "\n";
  }
  return out;
}
// DOC: end

// DOC: recorder
static std::string recorded() {
  Generator g(1);
  TransformerEncoder model(2, 4, 2, {.dim_feedforward = 8, .dropout = 0, .batch_first = true},
                           false, g);
  AttentionRecorder recorder(model);
  model(Var(uniform({1, 3, 4}, -1, 1, kFloat32, g)));
  std::string out;
  for (const RecordedAttention& call : recorder.calls())
    out += fmt::format("{} {} mass {}\n", call.layer, text(call.weights.shape()),
                       show(Var(call.mass), 2));
  return out;
}

// What one head saw: to be drawn. save_npy() writes the numbers as NumPy reads them.
static std::string drawn(const AttentionRecorder& recorder, const std::string& layer, int64_t head,
                         const std::vector<std::string>& words) {
  AttentionMap map{words, words, {}, fmt::format("{}, head {}", layer, head)};
  const Tensor weights = recorder.weights(layer).select(0, 0).select(0, head).to(kFloat64);
  for (int64_t t = 0; t < weights.size(0); ++t)
    map.weights.push_back(weights.select(0, t).to_vector<double>());
  return heat_map_svg(map);
}
// DOC: end

// DOC: cost
static std::string cost() {
  const double T = 50, S = 500, D = 10, H = 256, W = 2 * D + 1;
  std::string out = "multiply-adds in millions: keys once, centres, scores, weighted sum\n";
  const auto add = [&](const char* name, double once, double centres, double scores, double sum) {
    out +=
        fmt::format("{:20}{:6.2f}{:6.2f}{:6.2f}{:6.2f}   all {:5.2f}\n", name, once / 1e6,
                    centres / 1e6, scores / 1e6, sum / 1e6, (once + centres + scores + sum) / 1e6);
  };
  add("dot, global", 0, 0, T * S * H, T * S * H);
  add("general, global", S * H * H, 0, T * S * H, T * S * H);
  add("additive, global", S * H * H, 0, T * (H * H + S * H), T * S * H);
  add("dot, local-m", 0, 0, T * W * H, T * W * H);
  add("dot, local-p", 0, T * (H * H + H), T * W * H, T * W * H);
  add("additive, local-p", S * H * H, T * (H * H + H), T * (H * H + W * H), T * W * H);
  return out;
}
// DOC: end

// DOC: trap: batch axis
static std::string over_the_batch() {
  const Var scores(Tensor::from({1.0, 2.0, 3.0, 3.0, 2.0, 1.0}, {2, 3}));  // [B, S]
  return fmt::format("over keys      {}\nover the batch {}\n", show(softmax(scores, 1)),
                     show(softmax(scores, 0)));
}
// DOC: end

// DOC: trap: no mask
static std::string without_mask() {
  Generator g;
  const Attention attention({.query_dim = 1, .key_dim = 1}, g);
  const Var keys(Tensor::from({0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {1, 10, 1}));
  const Var query(Tensor::from({1.0}, {1, 1, 1}));
  const auto on_padding = [&](const Mask& mask) {
    const Var weights = attention(query, attention.prepare(keys, mask)).weights.dense();
    return show(sum(narrow(weights, 3, 3, 7)));
  };
  return fmt::format("on padding: {} without a mask, {} with one\n", on_padding({}),
                     on_padding(Mask::from_lengths({3}, 10)));
}
// DOC: end

// DOC: trap: a prior
static std::string looked_at() {
  std::string out;
  for (const Member& member : eight_members()) {
    out += fmt::format("{:16}", member.name);
    const Tensor weights = look(member).weights.dense().value().reshape({5, 6});
    for (int64_t t = 0; t < 5; ++t) {
      const std::vector<double> row = weights.select(0, t).to_vector<double>();
      const auto most = std::max_element(row.begin(), row.end());
      out += " " + (*most > 0 ? kSource[static_cast<size_t>(most - row.begin())] : "-");
    }
    out += "\n";
  }
  return out;
}
// DOC: end

// DOC: trap: no W_O
static std::string who_reaches_feature_0(bool out_proj) {
  Generator g(1);
  const Attention attention({.query_dim = 4,
                             .key_dim = 4,
                             .score = ScaledDotScore{},
                             .heads = {.num_heads = 2, .out_proj = out_proj}},
                            g);
  const Var x(uniform({1, 3, 4}, -1, 1, kFloat32, g));
  const Var values(uniform({1, 3, 4}, -1, 1, kFloat32, g), true);
  const Var y = attention(x, attention.prepare(x, {}, values)).output;
  const Var reached = grad({select(select(y, 1, 0), 1, 0)}, {values}, {Var(Tensor::ones({1}))})[0];
  std::string out;
  for (double size : amax(abs(reached), {0, 1}).value().to(kFloat64).to_vector<double>())
    out += size > 0 ? " yes" : " no";
  return out + "\n";
}
// DOC: end

// DOC: trap: saturation
static double middle(const Var& x) {
  std::vector<double> all = x.value().to_vector<double>();
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), half, all.end());
  return *half;
}

static std::string saturation() {
  const int64_t keys = 20, trials = 2000;
  Generator g(1);
  std::string out =
      "                  largest  |J|           |dL/dq|\n"
      "   d  scaled       weight  mean  median  mean  median\n";
  for (const int64_t d : {4, 16, 64, 256}) {
    const Var q(normal({trials, 1, d}, 0, 1, kFloat64, g), true);
    const Var k(normal({trials, keys, d}, 0, 1, kFloat64, g));
    const Var up(normal({trials, 1, keys}, 0, 1, kFloat64, g));  // dL/da
    for (const bool scaled : {false, true}) {
      const double scale = scaled ? 1 / std::sqrt(static_cast<double>(d)) : 1;
      const Var a = softmax(matmul(q, transpose(k, 1, 2)) * scale, 2);
      // J = diag(a) - a·aᵀ, so |J|² = Σa² - 2Σa³ + (Σa²)² = Σa²(1 - a)² + (Σa²)² - Σa⁴
      const Var a2 = a * a, all = sum(a2, {2});
      const Var size = sqrt(abs(sum(square(a * (1.0 - a)), {2}) + square(all) - sum(a2 * a2, {2})));
      const Var reached = norm(grad({a}, {q}, {up})[0], 2, {2});
      out += fmt::format("{:4}  {:6}  {:11.2f}  {:4.2f}  {:6.2f}  {:4.2f}  {:6.2f}\n", d,
                         scaled ? "yes" : "no", mean(amax(a, {2})).item(), mean(size).item(),
                         middle(size), mean(reached).item(), middle(reached));
    }
  }
  return out;
}
// DOC: end

// DOC: trap: lost mass
static std::string lost_mass() {
  std::string out =
      "the last query was at key:  20     30     35     40\nexact                    ";
  const Var p(Tensor::full({1, 1, 100}, 0.5, kFloat64));
  const auto masses = [&](const auto& formula) {
    std::string row;
    for (const int64_t at : {20, 30, 35, 40}) {
      Tensor last = Tensor::zeros({1, 100}, kFloat64);
      last.narrow(1, at, 1).fill_(1);
      row += fmt::format("  {:.3f}", sum(formula(p, Var(last))).item());
    }
    return row;
  };
  out += masses([](const Var& x, const Var& last) { return monotonic_attention(x, last); });
  out += "\nclosed form              ";
  out +=
      masses([](const Var& x, const Var& last) { return parallel_monotonic_attention(x, last); });
  return out + "\n";
}
// DOC: end

// DOC: trap: mass of local-p
static std::string mass_of_local_p() {
  std::string out;
  for (const int64_t D : {2, 5, 10}) {
    Generator g;
    const Attention attention({.query_dim = 1, .key_dim = 1, .scope = LocalPScope{.D = D}}, g);
    const Keys keys = attention.prepare(Var(Tensor::zeros({1, 100, 1})));
    const AttentionOutput y = attention(Var(Tensor::zeros({1, 1, 1})), keys);  // p = 50
    out += fmt::format("D = {:2}: {}\n", D, show(y.weights.mass(), 2));
  }
  return out;
}
// DOC: end

// DOC: trap: ReLU
static std::string largest_scores() {
  std::string out = "keys of size       1      10     100\n";
  for (const Squash squash : {Squash::tanh, Squash::relu}) {
    Generator g(1);
    const Attention attention(
        {.query_dim = 4, .key_dim = 4, .score = AdditiveScore{.attn_dim = 8, .squash = squash}}, g);
    const Scorer& scorer = attention.scorer;
    const Tensor keys = uniform({1, 50, 4}, -1, 1, kFloat32, g);
    const Var query = scorer.project_query(Var(uniform({1, 1, 4}, -1, 1, kFloat32, g)));
    out += squash == Squash::tanh ? "tanh, max |e|" : "ReLU, max |e|";
    for (const double size : {1.0, 10.0, 100.0}) {
      const Var scores = scorer(query, scorer.project_keys(Var(keys) * size));
      out += fmt::format("  {:6.2f}", amax(abs(scores), {0, 1, 2}).item());
    }
    out += fmt::format("   |v|_1 = {}\n", show(sum(abs(scorer.v)), 2));
  }
  return out;
}
// DOC: end

std::vector<std::string> trap_outputs() {
  return {
      concat_and_additive(),
      local_p(),
      gates_and_squashes(),
      doubly_stochastic(),
      audited(),
      recorded(),
      cost(),
      over_the_batch(),
      without_mask(),
      looked_at(),
      "without W_O" + who_reaches_feature_0(false) + "with W_O   " + who_reaches_feature_0(true),
      saturation(),
      lost_mass(),
      mass_of_local_p(),
      largest_scores()};
}

}  // namespace glass::attention_lesson

using namespace glass;
using namespace glass::attention_lesson;

TEST_CASE("the recorder of the documentation is drawn", "[docs][attention]") {
  Generator g(1);
  TransformerEncoder model(2, 4, 2, {.dim_feedforward = 8, .dropout = 0, .batch_first = true},
                           false, g);
  AttentionRecorder recorder(model);
  model(Var(uniform({1, 3, 4}, -1, 1, kFloat32, g)));
  const std::string svg = drawn(recorder, "layers.1.self_attn", 1, {"a", "b", "c"});
  CHECK(svg.find(">layers.1.self_attn, head 1</text>") != std::string::npos);
  CHECK(svg.find("<title>c ← a: ") != std::string::npos);
}
