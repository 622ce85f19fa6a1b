#include "nn/attention/attention.h"

#include <algorithm>

#include "autograd/ops/attention.h"
#include "autograd/ops/chunked_attention.h"
#include "autograd/ops/window.h"
#include "nn/attention/intervention.h"
#include "nn/attention/recorder.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// Sizes of one head.
struct Sizes {
  int64_t query, key;
};

const MonotonicNormalizer& monotonic(const AttentionOptions& o) {
  if (const auto* mocha = std::get_if<MochaNormalizer>(&o.normalizer)) return mocha->monotonic;
  return std::get<MonotonicNormalizer>(o.normalizer);
}

Sizes head_sizes(const AttentionOptions& o) {
  const int64_t H = o.heads.num_heads;
  if (o.heads.in_proj) return {o.heads.embed_dim / H, o.heads.embed_dim / H};
  return {o.query_dim / H, o.key_dim / H};
}

}  // namespace

Attention::Attention(const AttentionOptions& chosen, Generator& generator)
    : options(checked(chosen)),
      scorer(options.score, head_sizes(options).query, head_sizes(options).key,
             options.heads.num_heads, options.coverage, options.dialect, generator),
      scope(options.scope, head_sizes(options).query, options.heads.num_heads, options.dialect,
            generator),
      context_dim_(options.value_dim),
      generator_(&generator) {
  const Heads& heads = options.heads;
  if (is_normalizer<MochaNormalizer>(options))
    chunk_scorer.emplace(options.score, head_sizes(options).query, head_sizes(options).key,
                         heads.num_heads, false, options.dialect, generator);
  if (is_monotonic(options)) offset = parameter(Tensor::scalar(monotonic(options).r_init));
  if (heads.in_proj) {
    q_proj.emplace(options.query_dim, heads.embed_dim, heads.bias, generator);
    k_proj.emplace(options.key_dim, heads.embed_dim, heads.bias, generator);
    v_proj.emplace(options.value_dim, heads.embed_dim, heads.bias, generator);
    context_dim_ = heads.embed_dim;
  }
  if (heads.out_proj) {
    out_proj.emplace(context_dim_, heads.embed_dim, heads.bias, generator);
    context_dim_ = heads.embed_dim;
  }
  if (const auto* state = std::get_if<AttentionalState>(&options.after)) {
    if (state->size < 1)
      fail("Attention", "the size of an attentional state must be positive", state->size);
    after.emplace(context_dim_ + options.query_dim, state->size, state->bias, generator);
  }
  if (const auto* gate = std::get_if<ContextGate>(&options.after))
    after.emplace(options.query_dim,
                  gate->vector.value_or(options.dialect == Dialect::popular) ? context_dim_ : 1,
                  true, generator);
}

void Attention::visit(Visitor& v) {
  v("scorer", scorer);
  v("scope", scope);
  if (chunk_scorer) v("chunk_scorer", *chunk_scorer);
  v("offset", offset);
  if (q_proj) v("q_proj", *q_proj);
  if (k_proj) v("k_proj", *k_proj);
  if (v_proj) v("v_proj", *v_proj);
  if (out_proj) v("out_proj", *out_proj);
  if (after) v("after", *after);
}

int64_t Attention::output_dim() const {
  const auto* state = std::get_if<AttentionalState>(&options.after);
  return state ? state->size : context_dim_;
}

// [B, L, F] -> [B·H, L, F/H]
Var Attention::split_heads(const Var& x) const {
  const int64_t H = options.heads.num_heads;
  if (H == 1) return x;
  const int64_t B = x.size(0), L = x.size(1), F = x.size(2);
  return reshape(transpose(reshape(x, {B, L, H, F / H}), 1, 2), {B * H, L, F / H});
}

Var Attention::join_heads(const Var& x) const {
  const int64_t H = options.heads.num_heads;
  if (H == 1) return x;
  const int64_t B = x.size(0) / H, L = x.size(1), F = x.size(2);
  return reshape(transpose(reshape(x, {B, H, L, F}), 1, 2), {B, L, H * F});
}

// The type that the layer's parameters have; the features' own where there are none.
void Attention::check_dtype(const char* name, const Var& x, DType expected) const {
  if (x.dtype() == expected) return;
  fail("Attention", text(name, " must have the layer's type"), "got ", name_of(x.dtype()),
       ", needs ", name_of(expected), "; to() converts both layers and values");
}

DType Attention::dtype_or(DType otherwise) const {
  for (const Var* p :
       {&scorer.query_weight, &scorer.key_weight, &scorer.v, &scorer.places, &scope.unit, &offset})
    if (p->defined()) return p->dtype();
  for (const auto* layer : {&q_proj, &out_proj, &after})
    if (*layer) return (*layer)->weight.dtype();
  return otherwise;
}

Keys Attention::prepare(const Var& keys, const Mask& mask, const Var& values) const {
  if (keys.ndim() != 3 || keys.size(2) != options.key_dim)
    fail("Attention", "keys must be [B, S, key_dim]", keys.shape(), " for key_dim ",
         options.key_dim);
  const Var& given = values.defined() ? values : keys;
  if (given.ndim() != 3 || given.size(0) != keys.size(0) || given.size(1) != keys.size(1) ||
      given.size(2) != options.value_dim)
    fail("Attention", "values must be [B, S, value_dim]", given.shape(), " for keys ", keys.shape(),
         " and value_dim ", options.value_dim);
  check_dtype("keys", keys, dtype_or(keys.dtype()));
  check_dtype("values", given, keys.dtype());
  const int64_t B = keys.size(0), S = keys.size(1), H = options.heads.num_heads;
  Var k = keys, x = given;
  Keys y;
  y.mask = mask;
  y.heads = H;
  y.counts.assign(static_cast<size_t>(B * H), S);
  if (mask.keys().defined()) {
    if (!(mask.keys().shape() == Shape{B, S}))
      fail("Attention", "the mask does not fit the keys", mask.keys().shape(), " for ",
           keys.shape());
    const Var may(mask.keys().unsqueeze(2));  // hidden keys become 0: 0 · NaN would be NaN
    k = where(may, keys, 0.0);
    x = values.defined() ? where(may, values, 0.0) : k;
    const Tensor allowed = mask.keys().contiguous();
    for (int64_t n = 0; n < B * H; ++n)
      y.counts[static_cast<size_t>(n)] = std::count(allowed.data<bool>() + n / H * S,
                                                    allowed.data<bool>() + (n / H + 1) * S, true);
  }
  k = split_heads(k_proj ? (*k_proj)(k) : k);
  y.values = split_heads(v_proj ? (*v_proj)(x) : x);
  y.projected = scorer.project_keys(k);
  if (chunk_scorer) y.chunk = chunk_scorer->project_keys(k);
  const auto* hard = std::get_if<HardNormalizer>(&options.normalizer);
  if (hard && hard->estimator == Estimator::reinforce && is_training())
    y.expected =
        bernoulli({B, 1}, hard->expectation_prob, *generator_).expand({B, H}).reshape({B * H});
  return y;
}

// What the mask allows queries, [N or 1, T or 1, S].
Tensor Attention::seen(const Keys& keys, int64_t T) const {
  if (keys.mask.all()) return {};
  const int64_t N = keys.values.size(0), S = keys.size(), H = options.heads.num_heads;
  const Tensor allowed = keys.mask.for_scores({N / H, H, T, S});
  if (allowed.ndim() < 3) return allowed.unsqueeze(0);
  if (allowed.ndim() == 4 && H == 1) return allowed.select(1, 0);
  if (allowed.ndim() == 4)
    return allowed.expand({N / H, H, allowed.size(2), S}).reshape({N, allowed.size(2), S});
  return allowed;
}

bool Attention::goes_step_by_step() const { return options.coverage || scope.needs_previous(); }

// Bahdanau's attention has a kernel of its own.
bool Attention::is_fused(const Keys& keys, const AttentionState& state,
                         const AttentionCall& call) const {
  return scorer.is_tanh() && scope.is_plain() && is_normalizer<SoftmaxNormalizer>(options) &&
         options.heads.num_heads == 1 && !options.coverage && !state.coverage.defined() &&
         !call.bias.defined() && !keys.mask.pairs().defined() &&
         (options.dropout == 0 || !is_training());
}

// Above this many weights of one row, queries go in chunks.
constexpr int64_t kManyWeights = int64_t{1} << 20;
constexpr int64_t kChunk = 128;

int64_t Attention::chunk_of(int64_t T, const Keys& keys, const AttentionCall& call) const {
  const bool possible = scorer.is_product() && is_normalizer<SoftmaxNormalizer>(options) &&
                        !scope.is_local() && !call.bias.defined() && !call.need_weights &&
                        !AttentionRecorder::active() && !goes_step_by_step() &&
                        !std::holds_alternative<PriorScope>(options.scope) &&
                        (options.dropout == 0 || !is_training());
  if (call.chunk && *call.chunk > 0 && !possible)
    fail("Attention",
         "chunks need a product score, softmax over all keys, and no weights asked for", "chunk ",
         *call.chunk);
  if (!possible) return 0;
  return call.chunk.value_or(T * keys.size() >= kManyWeights ? kChunk : 0);
}

Attention::Weighed Attention::weigh(const Var& s, const Keys& keys, const AttentionState& state,
                                    const AttentionCall& call) const {
  const int64_t N = s.size(0), T = s.size(1), S = keys.size(), H = options.heads.num_heads;
  const auto rows = [&](const Var& x) { return x.defined() ? reshape(x, {N, S}) : x; };
  const Var q = scorer.project_query(s);
  Weighed y;
  Var scores, factor;
  Tensor allowed;
  y.weights.heads = H;
  y.weights.keys = S;
  if (scope.is_local()) {
    const KeyWindow w = scope.window(s, state.step, S, seen(keys, T), keys.counts);
    scores = scorer.windowed(q, keys.projected, w.start, w.size);
    if (call.bias.defined()) fail("Attention", "a local scope takes no bias", call.bias.shape());
    y.weights.start = w.start;
    allowed = w.allowed;
    y.position = w.position;
    factor = w.factor;
  } else {
    scores = scorer(q, keys.projected, options.coverage ? rows(state.coverage) : Var());
    const Var prior = scope.prior(N, T, S, state.step, rows(state.previous), s.dtype());
    if (prior.defined()) scores = scores + prior;
    if (call.bias.defined())
      scores = reshape(reshape(scores, {N / H, H, T, S}) + call.bias, {N, T, S});
    allowed = scope.allowed(seen(keys, T), T, S, state.step);
  }
  if (is_monotonic(options)) {
    y.alignment = monotonic_weights(scores, allowed, rows(state.previous), offset,
                                    monotonic(options), is_training(), *generator_);
    y.weights.values = y.alignment;
    if (const auto* mocha = std::get_if<MochaNormalizer>(&options.normalizer)) {
      const Var u = (*chunk_scorer)(chunk_scorer->project_query(s), keys.chunk);
      y.weights.values = chunkwise_weights(y.alignment, u, allowed, mocha->chunk);
    }
  } else if (const auto* hard = std::get_if<HardNormalizer>(&options.normalizer)) {
    const Chosen chosen =
        hard_weights(scores, allowed, *hard, is_training(), keys.expected, *generator_);
    y.weights.values = chosen.weights;
    y.log_probability = reshape(chosen.log_probability, {N / H, H, T});
    y.entropy = reshape(chosen.entropy, {N / H, H, T});
  } else {
    y.weights.values = masked_softmax(scores, allowed);
    if (factor.defined()) y.weights.values = y.weights.values * factor;
    const auto* p = std::get_if<LocalPScope>(&options.scope);
    if (p && p->renormalize) {
      const Var total = sum(y.weights.values, {2}, true);
      y.weights.values = y.weights.values / where(total == 0.0, 1.0, total);
    }
  }
  if (y.position.defined()) y.position = reshape(y.position, {N / H, H, T});
  return y;
}

void Attention::check_call(const Var& query, const Keys& keys, const AttentionState& state,
                           const AttentionCall& call) const {
  const int64_t H = options.heads.num_heads, B = query.size(0), T = query.size(1), S = keys.size();
  if (state.step < 0) fail("Attention", "a state's step must not be negative", state.step);
  for (const auto& [name, x] :
       {std::pair{"previous", state.previous}, {"coverage", state.coverage}})
    if (x.defined() && !(x.shape() == Shape{B, H, S}))
      fail("Attention", text("a state's ", name, " must be [B, H, S]"), x.shape(), " for ",
           Shape{B, H, S});
  if (call.chunk && *call.chunk < 0)
    fail("Attention", "chunk must be positive, or 0 for none", *call.chunk);
  if (!call.bias.defined()) return;
  check_dtype("the bias", call.bias, keys.values.dtype());
  const Shape scores{B, H, T, S};
  bool fits = call.bias.ndim() <= 4;
  for (int i = 1; fits && i <= call.bias.ndim(); ++i)
    fits = call.bias.size(-i) == 1 || call.bias.size(-i) == scores[4 - i];
  if (!fits)
    fail("Attention", "the bias must broadcast to [B, H, T, S]", call.bias.shape(), " for ",
         scores);
}

AttentionState Attention::next_state(const AttentionState& state, const Weighed& w,
                                     int64_t T) const {
  AttentionState next{state.step + T, {}, {}};
  const bool previous = is_monotonic(options) || scope.needs_previous();
  if (T == 0) return {next.step, state.previous, state.coverage};
  const int64_t H = options.heads.num_heads, B = w.weights.values.size(0) / H;
  const Shape shape{B, H, w.weights.keys};
  if (previous) {
    const Var& from = w.alignment.defined() ? w.alignment : w.weights.values;
    next.previous = reshape(select(from, 1, T - 1), shape);
  }
  if (options.coverage) {
    const Var sums = reshape(sum(w.weights.values, {1}), shape);
    next.coverage = state.coverage.defined() ? state.coverage + sums : sums;
  }
  return next;
}

AttentionOutput Attention::step_by_step(const Var& query, const Keys& keys, AttentionState state,
                                        const AttentionCall& call) const {
  std::vector<Var> outputs, contexts, weights, log_probabilities, entropies, gates;
  AttentionOutput y;
  for (int64_t t = 0; t < query.size(1); ++t) {
    AttentionCall one = call;
    if (call.bias.defined() && call.bias.ndim() >= 2 && call.bias.size(-2) > 1)
      one.bias = narrow(call.bias, -2, t, 1);
    Keys row = keys;
    row.mask = keys.mask.queries(t, 1);
    y = (*this)(narrow(query, 1, t, 1), row, state, one);
    state = y.next;
    outputs.push_back(y.output);
    contexts.push_back(y.context);
    weights.push_back(y.weights.values);
    log_probabilities.push_back(y.log_probability);
    entropies.push_back(y.entropy);
    gates.push_back(y.gate);
  }
  y.output = cat(outputs, 1);
  y.context = cat(contexts, 1);
  y.weights.values = cat(weights, 1);
  if (y.gate.defined()) y.gate = cat(gates, 1);
  if (y.entropy.defined()) {
    y.log_probability = cat(log_probabilities, 2);
    y.entropy = cat(entropies, 2);
  }
  return y;
}

AttentionOutput Attention::operator()(const Var& query, const Keys& keys,
                                      const AttentionState& state,
                                      const AttentionCall& call) const {
  if (query.ndim() == 2) {
    AttentionOutput y = (*this)(unsqueeze(query, 1), keys, state, call);
    y.output = squeeze(y.output, 1);
    y.context = squeeze(y.context, 1);
    return y;
  }
  const int64_t H = options.heads.num_heads;
  if (!keys.values.defined())
    fail("Attention", "the keys are empty", "use those that prepare() makes");
  if (query.ndim() != 3 || query.size(2) != options.query_dim)
    fail("Attention", "the query must be [B, T, query_dim] or [B, query_dim]", query.shape(),
         " for query_dim ", options.query_dim);
  if (query.size(0) * H != keys.values.size(0))
    fail("Attention", "query and keys of different batches", query.size(0), " and ",
         keys.values.size(0) / H);
  check_dtype("the query", query, keys.values.dtype());
  check_call(query, keys, state, call);
  if (goes_step_by_step() && query.size(1) > 1) return step_by_step(query, keys, state, call);

  const int64_t T = query.size(1);
  const Var s = split_heads(q_proj ? (*q_proj)(query) : query);
  AttentionOutput y;
  Var context;
  const bool touched = AttentionIntervention::touches(this);
  if (const int64_t chunk = touched ? 0 : chunk_of(T, keys, call); chunk > 0) {
    context = chunked_attention(scorer.project_query(s), keys.projected, keys.values,
                                scope.allowed(seen(keys, T), T, keys.size(), state.step), 1, chunk);
    y.next.step = state.step + T;
  } else if (!touched && is_fused(keys, state, call)) {
    const auto [c, weights] = additive_attention(scorer.project_query(s), keys.projected,
                                                 scorer.unit(), keys.values, keys.mask.keys());
    context = c;
    y.weights = {weights, {}, 1, keys.size()};
    y.next.step = state.step + T;
  } else {
    Weighed w = weigh(s, keys, state, call);
    if (touched) {
      const Var dense = AttentionIntervention::changed(this, w.weights.dense());
      w.weights.values = reshape(dense, {keys.values.size(0), T, keys.size()});
      w.weights.start = {};
    }
    y.next = next_state(state, w, T);
    y.weights = w.weights;
    y.position = w.position;
    y.log_probability = w.log_probability;
    y.entropy = w.entropy;
    const Var used = dropout(w.weights.values, options.dropout, is_training(), *generator_);
    context = w.weights.start.defined() ? window_sum(used, keys.values, w.weights.start)
                                        : matmul(used, keys.values);
  }
  y.context = join_heads(context);
  if (out_proj) y.context = (*out_proj)(y.context);
  y.output = y.context;
  if (std::holds_alternative<AttentionalState>(options.after))
    y.output = tanh((*after)(cat({y.context, query}, 2)));
  if (std::holds_alternative<ContextGate>(options.after)) {
    y.gate = sigmoid((*after)(query));
    y.output = y.gate * y.context;
  }
  AttentionRecorder::see(this, y.weights, y.gate);
  return y;
}

}  // namespace glass
