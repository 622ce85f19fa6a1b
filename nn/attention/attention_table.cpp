#include "nn/attention/attention.h"
#include "nn/replay_masks.h"
#include "nn/samples.h"
#include "nn/table.h"

namespace glass {
namespace {

// ---- Replays: attention as recorded elsewhere, names of parameters as in the papers ------------

struct PaperNames : Module {
  explicit PaperNames(Attention a) : attention(std::move(a)) {}
  void visit(Visitor& v) override {
    Scorer& s = attention.scorer;
    v("W_a", s.query_weight.defined() ? s.query_weight : s.key_weight);
    if (s.query_weight.defined()) v("U_a", s.key_weight);
    v("b_a", s.bias);
    v("v_a", s.v);
    v("W_p", attention.scope.predictor);
    v("v_p", attention.scope.unit);
    if (!attention.after) return;
    v("W_c", attention.after->weight);
    v("b_c", attention.after->bias);
  }
  Attention attention;
};

AttentionScore recorded_score(Replay& r) {
  const std::string name = r.text("score");
  const auto rows_of = [&](const char* parameter) { return r.state.at(parameter).size(0); };
  if (name == "dot") return DotScore{};
  if (name == "general") return GeneralScore{};
  if (name == "concat") return ConcatScore{rows_of("v_a")};
  if (name == "additive") return AdditiveScore{rows_of("v_a"), r.state.count("b_a") > 0};
  if (name == "cosine") return CosineScore{.temperature = 1 / r.real("beta", 1)};
  if (name == "scaled_dot") {
    ScaledDotScore score;
    if (r.has("scale")) score.scale = r.real("scale");
    return score;
  }
  fail("attention", "no score of this name", name);
}

Vars replay_attention(Replay& r) {
  const Var s = r["s"], h = r["h"], values = r.maybe("values");
  AttentionOptions options{.query_dim = s.size(-1), .key_dim = h.size(-1)};
  if (values.defined()) options.value_dim = values.size(-1);
  options.score = recorded_score(r);
  const std::string local = r.text("local", "");
  const int64_t D = !local.empty() && r.flag("window", true) ? r.integer("D") : h.size(1);
  if (local == "m") options.scope = LocalMScope{D};
  if (local == "p")
    options.scope = LocalPScope{.D = D,
                                .sigma = r.real("sigma", static_cast<double>(D) / 2),
                                .attn_dim = r.state.at("v_p").size(0)};
  if (r.flag("causal", false)) options.scope = CausalScope{};
  if (r.state.count("W_c"))
    options.after = AttentionalState{r.state.at("W_c").size(0), r.state.count("b_c") > 0};
  Generator g;
  return replay_module(r, PaperNames(Attention(options, g)), [&](PaperNames& names) {
    const auto [mask, bias] = read_masks(r, 1, "attn_mask", "key_padding_mask");
    AttentionCall call{.bias = r.maybe("attn_bias")};
    if (bias.defined()) call.bias = call.bias.defined() ? call.bias + bias : bias;
    const Attention& attention = names.attention;
    const AttentionOutput y = attention(s, attention.prepare(h, mask, values), {}, call);
    Vars outputs{y.context, squeeze(y.weights.dense(), 1)};
    if (attention.after) outputs.push_back(y.output);
    if (y.position.defined()) outputs.push_back(squeeze(y.position, 1));
    return outputs;
  });
}

// ---- Samples --------------------------------------------------------------------------------

struct Case {
  std::string label;
  AttentionOptions options;
  int64_t B = 2, T = 2, S = 3;
  std::vector<int64_t> lengths = {};
  bool training = true, second_order = false, with_values = false;
  AttentionCall call = {};
};

Var run(const Case& c, const Vars& in, std::vector<Var>& extra, const AttentionCall& call) {
  Generator g(7);
  Attention attention(c.options, g);
  bind_parameters(attention, in, c.with_values ? 3 : 2);
  attention.train(c.training);
  const Mask mask = c.lengths.empty() ? Mask() : Mask::from_lengths(c.lengths, c.S);
  const Keys keys = attention.prepare(in[1], mask, c.with_values ? in[2] : Var());
  const AttentionOutput y = attention(in[0], keys, {}, call);
  if (y.weights.defined()) extra.push_back(y.weights.dense());
  for (const Var& v : {y.position, y.log_probability, y.entropy})
    if (v.defined()) extra.push_back(v);
  return y.output;
}

Sample sample_of(const Case& c) {
  Generator g;
  Attention shaped(c.options, g);
  Sample sample{};
  sample.label = c.label;
  sample.inputs = {{{c.B, c.T, c.options.query_dim}, -1, 1},
                   {{c.B, c.S, c.options.key_dim}, -1, 1}};
  if (c.with_values) sample.inputs.push_back({{c.B, c.S, shaped.options.value_dim}, -1, 1});
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.second_order = c.second_order;
  const auto f = [c](const Vars& in, const AttentionCall& call) {
    Vars outputs;
    const Var y = run(c, in, outputs, call);
    outputs.insert(outputs.begin(), y);
    return outputs;
  };
  sample.f = [=](const Vars& in) { return f(in, c.call); };
  return sample;
}

// The same with a bias of 0, which the kernel of its own does not take.
Sample fused_sample(const Case& c) {
  Sample sample = sample_of(c);
  sample.definition = [c](const Vars& in) {
    Vars outputs;
    const Var zero(Tensor::zeros({1, 1, 1, 1}, in[0].dtype()));
    const Var y = run(c, in, outputs, {.bias = zero});
    outputs.insert(outputs.begin(), y);
    return outputs;
  };
  return sample;
}

const std::vector<std::pair<std::string, AttentionScore>>& scores() {
  static const std::vector<std::pair<std::string, AttentionScore>> all{
      {"dot", DotScore{}},
      {"scaled dot", ScaledDotScore{}},
      {"general", GeneralScore{}},
      {"concat", ConcatScore{2}},
      {"additive", AdditiveScore{.attn_dim = 2, .bias = true, .normed = true}},
      {"cosine", CosineScore{.temperature = 0.5, .learnable = true}},
      {"location", LocationScore{4}}};
  return all;
}

const std::vector<std::pair<std::string, AttentionScope>>& scopes() {
  static const std::vector<std::pair<std::string, AttentionScope>> all{
      {"global", GlobalScope{}},
      {"local-m", LocalMScope{1}},
      {"local-p", LocalPScope{.D = 1, .attn_dim = 2}},
      {"prior", PriorScope{.strength = 0.5}},
      {"causal", CausalScope{}}};
  return all;
}

const std::vector<std::pair<std::string, AttentionNormalizer>>& normalizers() {
  static const std::vector<std::pair<std::string, AttentionNormalizer>> all{
      {"softmax", SoftmaxNormalizer{}},
      {"hard", HardNormalizer{}},
      {"monotonic", MonotonicNormalizer{.r_init = -1}},
      {"mocha", MochaNormalizer{2, {.r_init = -1}}}};
  return all;
}

// Every choice that can be built: score × scope × normaliser.
std::vector<Sample> legal_combinations() {
  std::vector<Sample> samples;
  for (const auto& [score_name, score] : scores())
    for (const auto& [scope_name, scope] : scopes())
      for (const auto& [normalizer_name, normalizer] : normalizers()) {
        Case c{.label = score_name + ", " + scope_name + ", " + normalizer_name, .options = {}};
        c.options = {
            .query_dim = 2, .key_dim = 2, .score = score, .scope = scope, .normalizer = normalizer};
        c.lengths = {2, 3};
        try {
          samples.push_back(sample_of(c));
        } catch (const Error&) {  // an illegal one: tests/nn/attention names them
          continue;
        }
      }
  return samples;
}

AttentionOptions with(const AttentionScore& score, const AttentionScope& scope = GlobalScope{},
                      const AttentionNormalizer& normalizer = SoftmaxNormalizer{}) {
  return {.query_dim = 2, .key_dim = 2, .score = score, .scope = scope, .normalizer = normalizer};
}

AttentionOptions headed(AttentionOptions options, const Heads& heads) {
  options.query_dim = options.key_dim = 4;
  options.heads = heads;
  return options;
}

std::vector<Sample> special_cases() {
  const AttentionScore additive = AdditiveScore{2};
  std::vector<Sample> samples;
  const auto add = [&](Case c) { samples.push_back(sample_of(c)); };
  samples.push_back(fused_sample({.label = "kernel of its own",
                                  .options = with(additive),
                                  .lengths = {1, 3},
                                  .second_order = true,
                                  .with_values = true}));
  add({.label = "kernel of its own, a row without keys",
       .options = with(additive),
       .lengths = {0, 3}});
  for (const auto& [name, score] : scores())
    add({.label = name + ", two heads",
         .options = headed(with(score), {.num_heads = 2}),
         .second_order = true});
  add({.label = "multi-head",
       .options = headed(with(ScaledDotScore{}), {2, true, true, 4, true}),
       .lengths = {2, 3},
       .second_order = true});
  samples.back().expect = Verdict::vacuous;  // a bias of the keys shifts all scores alike
  for (const auto& [name, scope] : scopes())
    add({.label = name + ", two heads",
         .options = headed(with(GeneralScore{}, scope), {2}),
         .lengths = {3, 0}});
  AttentionOptions covered = with(additive);
  covered.coverage = true;
  add({.label = "coverage", .options = covered, .lengths = {2, 3}, .second_order = true});
  add({.label = "coverage, two heads", .options = headed(covered, {2})});
  for (const bool bias : {false, true}) {
    AttentionOptions after = with(DotScore{});
    after.after = AttentionalState{3, bias};
    add({.label = bias ? "attentional state, bias" : "attentional state",
         .options = after,
         .second_order = true});
  }
  for (const Dialect dialect : {Dialect::paper, Dialect::popular}) {
    AttentionOptions gated = with(DotScore{});
    gated.after = ContextGate{};
    gated.dialect = dialect;
    add({.label = dialect == Dialect::paper ? "scalar gate" : "vector gate",
         .options = gated,
         .second_order = true});
  }
  for (const Dialect dialect : {Dialect::authors, Dialect::popular})
    for (const auto& [name, options] : {std::pair{"concat", with(ConcatScore{2})},
                                        {"additive", with(AdditiveScore{2})},
                                        {"local-p", with(DotScore{}, LocalPScope{.D = 1})}}) {
      AttentionOptions chosen = options;
      chosen.dialect = dialect;
      add({.label = text(name, dialect == Dialect::authors ? ", authors" : ", popular"),
           .options = chosen});
    }
  add({.label = "relu", .options = with(AdditiveScore{.attn_dim = 3, .squash = Squash::relu})});
  add({.label = "local-p, renormalised",
       .options = with(DotScore{}, LocalPScope{.D = 2, .renormalize = true}),
       .S = 5});
  for (const PriorKind kind : {PriorKind::laplace, PriorKind::gaussian, PriorKind::linear})
    add({.label = text("prior ", static_cast<int>(kind), ", previous"),
         .options = headed(with(DotScore{}, PriorScope{kind, 0.5, PriorCentre::previous}), {2})});
  add({.label = "parallel monotonic",
       .options = with(DotScore{}, GlobalScope{},
                       MonotonicNormalizer{.mode = MonotonicMode::parallel, .r_init = -1})});
  add({.label = "expectation",
       .options = with(DotScore{}, GlobalScope{}, HardNormalizer{.expectation_prob = 1})});
  add({.label = "chunks",
       .options = with(GeneralScore{}),
       .T = 5,
       .lengths = {2, 3},
       .call = {.need_weights = false, .chunk = 2}});
  samples.back().definition = samples.back().f;
  add({.label = "one key, one query", .options = with(additive), .B = 1, .T = 1, .S = 1});
  samples.back().expect = Verdict::vacuous;  // it gets all weight whatever its score
  return samples;
}

// Without keys nothing depends on anything.
std::vector<Sample> member_samples(const std::string& score_name) {
  std::vector<Sample> samples;
  for (const auto& [name, score] : scores()) {
    if (name != score_name) continue;
    for (const auto& [scope_name, scope] : scopes())
      samples.push_back(sample_of({.label = scope_name,
                                   .options = with(score, scope),
                                   .lengths = {2, 3},
                                   .second_order = true}));
    Sample no_keys = sample_of({.label = "no keys", .options = with(score), .S = 0});
    no_keys.expect = Verdict::vacuous;
    samples.push_back(std::move(no_keys));
    samples.push_back(sample_of({.label = "no rows", .options = with(score), .B = 0}));
  }
  return samples;
}

}  // namespace

std::vector<Entry> attention_entries() {
  const auto build = [](const AttentionOptions& options) {
    Generator g;
    Attention attention(options, g);
  };
  const auto call = [](const Shape& query, const Shape& keys, const Mask& mask) {
    Generator g;
    const Attention attention(with(DotScore{}), g);
    attention(Var(Tensor::zeros(query)), attention.prepare(Var(Tensor::zeros(keys)), mask));
  };
  Entry all{.name = "Attention",
            .kind = EntryKind::layer,
            .formula = "weights = normalise(score(s, h) in scope and mask); context = Σ weights·h",
            .gradient = "as the parts",
            .notes =
                "Keys that the mask hides may hold anything; a query with all keys hidden gets "
                "weights, context and gradients 0. Hard weights are constants here: their "
                "estimators are compared with exact enumeration."};
  all.samples = special_cases();
  all.errors = {
      {"dot sizes", [=] { build({.query_dim = 2, .key_dim = 3}); }, "of one size: 2 and 3"},
      {"monotonic, local", [=] { build(with(DotScore{}, LocalMScope{1}, MonotonicNormalizer{})); },
       "finds its own place"},
      {"heads", [=] { build(headed(with(DotScore{}), {3})); }, "multiple of num_heads: 4 and 3"},
      {"keys",
       [=] {
         call({2, 2, 2}, {2, 3, 4}, {});
       },
       "[2, 3, 4] for key_dim 2"},
      {"mask",
       [=] {
         call({2, 2, 2}, {2, 4, 2}, Mask::from_lengths({1, 2}, 5));
       },
       "[2, 5] for [2, 4, 2]"},
      {"query",
       [=] {
         call({2, 3}, {2, 4, 2}, {});
       },
       "[2, 3] for query_dim 2"},
      {"batches",
       [=] {
         call({3, 1, 2}, {2, 4, 2}, {});
       },
       "different batches: 3 and 2"}};
  std::vector<Entry> entries{all};
  entries.push_back({.name = "attention.combinations",
                     .kind = EntryKind::layer,
                     .formula = "every score × scope × normaliser that can be built",
                     .gradient = "as the parts",
                     .samples = legal_combinations()});
  const auto member = [&](const char* name, const char* score, const char* formula,
                          std::vector<Sample> samples) {
    entries.push_back({.name = name,
                       .kind = EntryKind::layer,
                       .formula = formula,
                       .gradient = "as the parts",
                       .samples = std::move(samples),
                       .replay = replay_attention});
    if (entries.back().samples.empty()) entries.back().samples = member_samples(score);
  };
  const auto local = [&](const AttentionScope& scope) {
    std::vector<Sample> samples;
    for (const auto& [name, score] : scores())
      samples.push_back(sample_of({.label = name,
                                   .options = with(score, scope),
                                   .T = 3,
                                   .S = 4,
                                   .lengths = {2, 4},
                                   .second_order = true}));
    return samples;
  };
  member("attention.bahdanau", "additive", "e = vᵀ·tanh(W_s·s + W_h·h)", {});
  member("attention.luong_dot", "dot", "e = sᵀ·h", {});
  member("attention.luong_general", "general", "e = sᵀ·W·h", {});
  member("attention.luong_concat", "concat", "e = vᵀ·tanh(W·[s; h])", {});
  member("attention.luong_local_m", "", "keys t - D … t + D", local(LocalMScope{1}));
  member("attention.luong_local_p", "", "p = S·σ(v_pᵀ·tanh(W_p·s)); weights·exp(-(j - p)²/(2σ²))",
         local(LocalPScope{.D = 2, .attn_dim = 2}));
  member("attention.cosine", "cosine", "e = β·sᵀh/(|s|·|h|)", {});
  member("attention.scaled_dot", "scaled dot", "e = sᵀh/√d", {});
  for (const auto& [name, normalizer] : normalizers()) {
    if (name == "softmax") continue;
    std::vector<Sample> samples;
    for (const auto& [score_name, score] : {scores()[2], scores()[4]})
      samples.push_back(sample_of({.label = score_name,
                                   .options = with(score, GlobalScope{}, normalizer),
                                   .T = 3,
                                   .S = 4,
                                   .lengths = {3, 4},
                                   .second_order = true}));
    entries.push_back({.name = "attention." + name,
                       .kind = EntryKind::layer,
                       .formula = name == "hard" ? "one key, drawn from softmax(e)"
                                  : name == "monotonic"
                                      ? "α_j = p_j·q_j, q_j = (1 - p_j-1)·q_j-1 + "
                                        "α of the query before"
                                      : "monotonic, then softmax in a chunk",
                       .gradient = name == "hard" ? "none by the weights; of log α and the entropy"
                                                  : "as the parts",
                       .samples = std::move(samples)});
  }
  return entries;
}

}  // namespace glass
