// The code that docs/attention.md and docs/zh/attention.md show, slot by slot, compiled and run.
#include "nn/attention/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/autograd.h"
#include "autograd/ops/monotonic.h"
#include "nn/attention/kernel_pooling.h"
#include "nn/attention/losses.h"
#include "nn/lstm.h"
#include "nn/multihead_attention.h"
#include "tests/catch.h"
#include "tests/docs/attention_lesson.h"
#include "tests/values.h"

namespace glass::attention_lesson {

// DOC: show
std::string show(const Var& x, int digits) {
  std::string out;
  for (double number : x.value().to(kFloat64).to_vector<double>())
    out += fmt::format("{}{:.{}f}", out.empty() ? "" : " ", number, digits);
  return out;
}
// DOC: end

// DOC: the first lesson
static std::string first_lesson() {
  const Var keys(Tensor::from({0.0, 1.0, 2.0, 3.0}, {4, 1}));    // where something was measured
  const Var values(Tensor::from({0.0, 0.8, 0.9, 0.1}, {4, 1}));  // what was measured there
  const Var query(Tensor::from({1.2}, {1, 1}));                  // where we want to know it
  std::string out;
  for (const double bandwidth : {0.1, 0.5, 5.0}) {
    const Pooled y = kernel_pooling(query, keys, values, bandwidth);
    out += fmt::format("bandwidth {}: weights {}, answer {}\n", bandwidth, show(y.weights),
                       show(y.context));
  }
  return out;
}
// DOC: end

// DOC: by hand
static std::string by_hand() {
  Generator g;
  const Attention attention(
      {.query_dim = 4, .key_dim = 4, .value_dim = 1, .score = ScaledDotScore{}}, g);
  const Var query(Tensor::from({2.0, 2.0, 0.0, 0.0}, {1, 1, 4}));
  const Var keys(Tensor::from({1.0, 0.0, 0.0, 0.0,   // k_0
                               1.0, 1.0, 0.0, 0.0,   // k_1
                               0.0, 0.0, 1.0, 0.0},  // k_2
                              {1, 3, 4}));
  const Var values(Tensor::from({10.0, 20.0, 30.0}, {1, 3, 1}));
  const Keys prepared = attention.prepare(keys, {}, values);
  const Var scores = attention.scorer(attention.scorer.project_query(query), prepared.projected);
  const Var bias(Tensor::zeros({1, 1, 1, 3}, kFloat64), true);  // has the gradient of the scores
  const AttentionOutput y = attention(query, prepared, {}, {.bias = bias});
  y.output.backward();
  return fmt::format("scores   {}\nweights  {}\ncontext  {}\ngradient {}\n", show(scores),
                     show(y.weights.dense()), show(y.context), show(bias.grad()));
}
// DOC: end

// DOC: parameters
static std::string parameters_of(const AttentionOptions& options, const char* between = ", ") {
  Generator g;
  Attention attention(options, g);
  std::string out;
  for (const auto& [name, value] : attention.named_parameters())
    out += fmt::format("{}{} {}", out.empty() ? "" : between, name, text(value.shape()));
  return (out.empty() ? "none" : out) + "\n";
}

static std::string scores_and_parameters() {
  const std::vector<std::pair<std::string, AttentionScore>> scores{
      {"dot", DotScore{}},
      {"scaled dot", ScaledDotScore{}},
      {"general", GeneralScore{}},
      {"concat", ConcatScore{4}},
      {"additive", AdditiveScore{4}},
      {"normed", AdditiveScore{.attn_dim = 4, .bias = true, .normed = true}},
      {"cosine", CosineScore{.temperature = 0.1, .learnable = true}},
      {"location", LocationScore{.max_keys = 8}}};
  std::string out;
  for (const auto& [name, score] : scores)
    out +=
        fmt::format("{:12}{}", name, parameters_of({.query_dim = 3, .key_dim = 3, .score = score}));
  return out;
}
// DOC: end

// DOC: eight members
const std::vector<std::string> kSource{"今", "天", "我", "很", "高", "兴"};
const std::vector<std::string> kTarget{"I", "am", "very", "happy", "today"};

static const std::vector<double> kScores{
    // 今 天   我   很   高   兴   and where local-p is to look
    0.0, 0.0, 4.0, 1.0, 0.0, 0.0, -0.14,  // I
    0.0, 0.0, 1.5, 2.8, 1.0, 0.5, -0.05,  // am
    0.0, 0.0, 0.5, 4.0, 1.0, 0.5, 0.02,   // very
    0.0, 0.5, 0.0, 1.5, 4.0, 3.5, 0.31,   // happy
    4.0, 4.0, 0.5, 0.0, 0.0, 0.5, -0.69,  // today
};

std::vector<Member> eight_members() {
  const MonotonicNormalizer expected{.r_init = -2, .hard_in_eval = false}, hard{.r_init = -2};
  return {{"global", GlobalScope{}, SoftmaxNormalizer{}},
          {"local-m, D = 1", LocalMScope{1}, SoftmaxNormalizer{}},
          {"local-p, D = 2", LocalPScope{.D = 2, .attn_dim = 1}, SoftmaxNormalizer{}},
          {"Laplace prior", PriorScope{.kind = PriorKind::laplace}, SoftmaxNormalizer{}},
          {"hard", GlobalScope{}, HardNormalizer{}},
          {"monotonic", GlobalScope{}, expected},
          {"monotonic, hard", GlobalScope{}, hard},
          {"MoChA, w = 2", GlobalScope{}, MochaNormalizer{2, expected}}};
}

AttentionOutput look(const Member& member) {
  Generator g;
  Attention attention(
      {.query_dim = 7, .key_dim = 7, .scope = member.scope, .normalizer = member.normalizer}, g);
  if (attention.scope.predictor.defined()) {  // p_t = 6·σ(4·tanh(the query's last feature))
    attention.scope.predictor = parameter(Tensor::eye(7).narrow(0, 6, 1));
    attention.scope.unit = parameter(Tensor::from({4.0f}, {1}));
  }
  attention.to(kFloat64);
  attention.eval();
  const Var queries(Tensor::from(kScores, {1, 5, 7}));
  const Var keys(Tensor::eye(7, kFloat64).narrow(0, 0, 6).unsqueeze(0));  // so that q·k_j = q_j
  return attention(queries, attention.prepare(keys));
}
// DOC: end

static std::string masses() {
  std::string out;
  for (const Member& member : eight_members())
    out += fmt::format("{:16}{}\n", member.name, show(look(member).weights.mass(), 2));
  return out;
}

// DOC: masks
static std::string masked() {
  Generator g;
  Attention attention({.query_dim = 1, .key_dim = 1}, g);
  const double nan = std::nan("");
  const Var keys(Tensor::from({1.0, 2.0, nan, 3.0, nan, nan}, {2, 3, 1}));
  const Var queries(Tensor::from({1.0, 1.0, 1.0, 1.0}, {2, 2, 1}));
  const Mask padding = Mask::from_lengths({2, 0}, 3);  // true = may be attended to
  const Tensor past = Tensor::from({1.0, 0.0, 0.0, 1.0, 1.0, 0.0}, {2, 3}).to(kBool);
  const Mask both = padding & Mask::where_true_query_may_attend(past);
  const AttentionOutput y = attention(queries, attention.prepare(keys, both));
  const auto weights = [&](int64_t row, int64_t t) {
    return show(narrow(select(y.weights.dense(), 0, row), 1, t, 1));
  };
  return fmt::format("row 0: {} and {}\nrow 1: {} and {}\ncontexts {}\n", weights(0, 0),
                     weights(0, 1), weights(1, 0), weights(1, 1), show(y.context));
}
// DOC: end

// DOC: REINFORCE
static std::string reinforced() {
  const int64_t draws = 20000;
  const Var scores(Tensor::from({0.3, -0.5, 1.0, 0.1}, {1, 1, 4}), true);
  const Var rewards(Tensor::from({-9.0, -12.0, -9.5, -7.0}, {1, 4, 1}));
  const Var expected = matmul(softmax(scores, 2), rewards);
  std::string out = "exact             " + show(grad({-expected}, {scores})[0]) + "\n";
  Generator g(5);
  Attention attention({.query_dim = 4,
                       .key_dim = 4,
                       .value_dim = 1,
                       .normalizer = HardNormalizer{.expectation_prob = 0}},
                      g);
  const Var keys(Tensor::eye(4, kFloat64).unsqueeze(0));  // so that q·k_j = q_j
  const Keys prepared =
      attention.prepare(expand(keys, {draws, 4, 4}), {}, expand(rewards, {draws, 4, 1}));
  for (const double baseline : {0.0, expected.item()}) {
    const AttentionOutput y = attention(expand(scores, {draws, 1, 4}), prepared);
    const Var loss =
        reinforce_loss(y.log_probability, y.context, y.entropy, baseline, {.entropy_weight = 0});
    out += fmt::format("baseline {:8.4f} {}\n", baseline, show(grad({loss}, {scores})[0]));
  }
  return out;
}
// DOC: end

// DOC: left to right
static std::string left_to_right() {
  const Var p(Tensor::full({1, 2, 3}, 0.5, kFloat64));     // of stopping at key j for query t
  const Var start(Tensor::from({1.0, 0.0, 0.0}, {1, 3}));  // the first query begins at key 0
  const Var alpha = monotonic_attention(p, start);
  return fmt::format("first query   {}\nsecond query  {}\n", show(select(alpha, 1, 0)),
                     show(select(alpha, 1, 1)));
}
// DOC: end

// DOC: a decoder
struct Decoder : Module {
  Decoder(int64_t embedding, int64_t hidden, int64_t vocabulary, Generator& g)
      : cell(embedding + hidden, hidden, true, g),
        attention({.query_dim = hidden,
                   .key_dim = hidden,
                   .score = GeneralScore{},
                   .after = AttentionalState{hidden}},
                  g),
        word(hidden, vocabulary, true, g) {}
  void visit(Visitor& v) override {
    v("cell", cell);
    v("attention", attention);
    v("word", word);
  }
  /// embedded [B, T, E], the encoder's states [B, S, H] -> logits [B, T, V]
  Var operator()(const Var& embedded, const Var& states, const Mask& mask) const {
    const Keys keys = attention.prepare(states, mask);  // once for all steps
    LstmState state;
    AttentionState where;  // nothing yet
    Var attentional(Tensor::zeros({embedded.size(0), states.size(2)}));
    std::vector<Var> logits;
    for (int64_t t = 0; t < embedded.size(1); ++t) {
      state = cell(cat({select(embedded, 1, t), attentional}, 1), state);  // input feeding
      const AttentionOutput y = attention(state.h, keys, where);
      attentional = y.output;               // h̃ = tanh(W_c[c; h])
      logits.push_back(word(attentional));  // ŷ = softmax of this
      where = y.next;
    }
    return stack(logits, 1);
  }

  LSTMCell cell;
  Attention attention;
  Linear word;
};
// DOC: end

// DOC: heads
static AttentionOptions transformer_heads(bool out_proj) {
  return {.query_dim = 4,
          .key_dim = 4,
          .score = ScaledDotScore{},
          .heads = {.num_heads = 2, .in_proj = true, .out_proj = out_proj}};
}
// DOC: end

// DOC: coverage
Var asked_again(bool coverage) {
  Generator g;
  Attention attention({.query_dim = 1,
                       .key_dim = 1,
                       .score = AdditiveScore{1},
                       .coverage = coverage,
                       .dialect = Dialect::popular},  // v·tanh(s + h + w_c·c)
                      g);
  attention.scorer.v = parameter(Tensor::from({12.0f}, {1}));
  if (coverage) attention.scorer.coverage_weight = parameter(Tensor::from({-2.0f}, {1}));
  attention.to(kFloat64);
  const Var keys(Tensor::from({1.0, 0.6, 0.2, -0.2, -0.6}, {1, 5, 1}));
  const Var queries(Tensor::zeros({1, 5, 1}, kFloat64));  // five times the same
  return reshape(attention(queries, attention.prepare(keys)).weights.dense(), {5, 5});
}

static std::string repetition() {
  return fmt::format("coverage loss without coverage {}, with {}\n",
                     show(coverage_loss(asked_again(false))),
                     show(coverage_loss(asked_again(true))));
}
// DOC: end

std::vector<std::string> slot_outputs() {
  return {first_lesson(),  by_hand(),    scores_and_parameters(),
          masses(),        masked(),     reinforced(),
          left_to_right(), repetition(), parameters_of(transformer_heads(true), "\n")};
}

}  // namespace glass::attention_lesson

using namespace glass;
using namespace glass::attention_lesson;

// A gaussian kernel is softmax of a dot product, lowered by half the square of the key.
TEST_CASE("kernel pooling is dot attention with keys of one length", "[docs][attention]") {
  Generator g(1);
  const Var query(uniform({3, 2}, -1, 1, kFloat64, g)), keys(uniform({5, 2}, -1, 1, kFloat64, g));
  const Var half = sum(square(keys), {1}) * 0.5;
  tests::check_close(softmax(matmul(query, transpose(keys, 0, 1)) - half, 1),
                     tests::numbers(kernel_pooling(query, keys, keys, 1).weights));
}

TEST_CASE("the decoder of the documentation sees neither padding nor the future",
          "[docs][attention]") {
  Generator g(1);
  const Decoder decoder(3, 4, 7, g);
  const Tensor embedded = uniform({2, 3, 3}, -1, 1, kFloat32, g);
  Tensor states = uniform({2, 5, 4}, -1, 1, kFloat32, g);
  const Mask mask = Mask::from_lengths({5, 2}, 5);
  const auto before = tests::numbers(decoder(Var(embedded), Var(states), mask));
  CHECK(before.size() == 2 * 3 * 7);
  states.select(0, 1).narrow(0, 2, 3).fill_(NAN);
  Tensor other = embedded.clone();
  other.narrow(1, 2, 1).fill_(9);
  const auto after = tests::numbers(decoder(Var(other), Var(states), mask));
  for (size_t i = 0; i < before.size(); ++i)
    if (i / 7 % 3 < 2) CHECK(after[i] == before[i]);
}

TEST_CASE("heads with both projections are MultiheadAttention", "[docs][attention]") {
  Generator g(1);
  Attention family(transformer_heads(true), g);
  MultiheadAttention multi(4, 2, {.batch_first = true}, g);
  const auto rows = [&](int64_t i) {
    return std::pair{multi.in_proj_weight.value().narrow(0, 4 * i, 4),
                     multi.in_proj_bias.value().narrow(0, 4 * i, 4)};
  };
  int64_t i = 0;
  for (Linear* part : {&*family.q_proj, &*family.k_proj, &*family.v_proj}) {
    part->weight.value().copy_(rows(i).first);
    part->bias.value().copy_(rows(i++).second);
  }
  family.out_proj->weight = multi.out_proj.weight;
  family.out_proj->bias = multi.out_proj.bias;
  const Var x(uniform({2, 3, 4}, -1, 1, kFloat32, g)),
      memory(uniform({2, 5, 4}, -1, 1, kFloat32, g));
  const auto got = tests::numbers(family(x, family.prepare(memory)).output);
  const auto want = tests::numbers(multi(x, memory, memory).context);
  for (size_t j = 0; j < want.size(); ++j) CHECK(got[j] == Approx(want[j]).margin(1e-6));
}
