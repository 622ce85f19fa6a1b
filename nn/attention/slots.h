#pragma once

#include <cstdint>
#include <optional>
#include <variant>

// The choices of an attention, slot by slot. s_t is a query, h_j a key, e_tj their score.
namespace glass {

/// Where a paper, its authors' code and widely copied code differ, which of them is meant. Each
/// choice below says what it changes; docs/attention.md has the equations.
enum class Dialect : uint8_t { paper, authors, popular };

// ---- Scores ---------------------------------------------------------------------------------

/// e = sᵀh (Luong, Pham, Manning 2015, section 3.1); sizes of query and key are equal.
struct DotScore {};

/// e = scale·sᵀh (Vaswani et al. 2017, equation 1).
struct ScaledDotScore {
  std::optional<double> scale = {};  ///< 1/√d unless given
};

/// e = sᵀWh (Luong et al. 2015), W [query, key].
struct GeneralScore {};

/// e = vᵀtanh(W[s; h]) (Luong et al. 2015), W [attn_dim, query + key].
/// Dialect authors: e = vᵀtanh(W·s + h), no weight on h; attn_dim is the size of a key.
struct ConcatScore {
  int64_t attn_dim = 0;
};

enum class Squash : uint8_t { tanh, relu };

/// e = vᵀtanh(W_s·s + W_h·h) (Bahdanau, Cho, Bengio 2014, appendix A.1.2), no bias.
/// Dialect popular: e = vᵀtanh(s + h) without projections; attn_dim is the size of both.
struct AdditiveScore {
  int64_t attn_dim = 0;
  bool bias = false;             ///< tanh(W_s·s + W_h·h + b)
  bool normed = false;           ///< g·v/|v| for v, g from 1/√attn_dim (Raffel et al. 2017)
  Squash squash = Squash::tanh;  ///< relu: as in much captioning code
};

/// e = sᵀh / (|s|·|h|·temperature) (Graves, Wayne, Danihelka 2014, section 3.3.1, β =
/// 1/temperature).
struct CosineScore {
  double temperature = 1;
  bool learnable = false;  ///< β is a parameter
  double eps = 1e-8;       ///< norms count as at least this, so that a zero vector has score 0
};

/// e_tj = (W·s_t)_j: the place alone counts (Luong et al. 2015, equation 8), W [max_keys, query].
struct LocationScore {
  int64_t max_keys = 0;
};

using AttentionScore = std::variant<DotScore, ScaledDotScore, GeneralScore, ConcatScore,
                                    AdditiveScore, CosineScore, LocationScore>;

// ---- Scopes ---------------------------------------------------------------------------------

struct GlobalScope {};

/// Query t sees keys t-D … t+D (Luong et al. 2015, local-m).
struct LocalMScope {
  int64_t D = 10;
};

/// Query t sees keys |j - p_t| ≤ D with p_t = S·σ(v_pᵀtanh(W_p·s_t)), weights multiplied with
/// exp(-(j - p_t)²/(2σ²)) and not normalised again (Luong et al. 2015, equations 9 and 10;
/// local-p). S: the keys of the row that are not hidden; j from 0. Dialect authors: p_t =
/// (S-1)·σ(…), the window lies around ⌊p_t⌋. Dialect popular: no Gaussian.
struct LocalPScope {
  int64_t D = 10;
  std::optional<double> sigma = {};  ///< D/2 unless given
  int64_t attn_dim = 0;              ///< rows of W_p; the size of a query unless given
  bool renormalize = false;          ///< rows sum to 1 again
};

enum class PriorKind : uint8_t { laplace, gaussian, linear };
enum class PriorCentre : uint8_t { step, previous };

/// Every key may be attended to, but scores fall with the distance from a centre c_t:
///   laplace  e - strength·|j - c|          gaussian  e - strength·(j - c)²/2
///   linear   e - m_h·|j - c|, m_h = strength·2^(-8h/H) for head h = 1 … H (Press, Smith, Lewis
///   2022)
/// A prior forbids nothing: what some tutorials call monotonic attention is this.
struct PriorScope {
  PriorKind kind = PriorKind::laplace;
  double strength = 1;
  PriorCentre centre =
      PriorCentre::step;  ///< c_t = ratio·t, or the key with the last step's largest weight
  double ratio = 1;       ///< keys per query
};

/// Query t sees keys 0 … t.
struct CausalScope {};

using AttentionScope = std::variant<GlobalScope, LocalMScope, LocalPScope, PriorScope, CausalScope>;

// ---- Normalisers ----------------------------------------------------------------------------

struct SoftmaxNormalizer {};

enum class Estimator : uint8_t { reinforce, straight_through, gumbel };

/// One key, drawn with the softmax's probabilities α (Xu et al. 2015, section 4.1); in evaluation
/// the likeliest. Gradients:
///   reinforce         none through the draw; log α of the drawn key and the entropy of α are
///                     returned for reinforce_loss()
///   straight_through  those of α (Bengio, Léonard, Courville 2013)
///   gumbel            those of softmax((log α + g)/temperature), g Gumbel noise (Jang, Gu, Poole
///   2017)
struct HardNormalizer {
  Estimator estimator = Estimator::reinforce;
  double temperature = 1;         ///< of α, and of gumbel's softmax
  double expectation_prob = 0.5;  ///< reinforce: how likely a row of the batch uses α itself
};

enum class MonotonicMode : uint8_t { recursive, parallel, hard };

/// Left to right, attending to a key with probability p = σ(e + r + noise), else going on (Raffel
/// et al. 2017): α_tj = p_tj·q_tj, q_tj = (1 - p_t,j-1)·q_t,j-1 + α_t-1,j. Rows may sum to less
/// than 1: the rest has run off the end. In evaluation hard: the first key from the last one on
/// with p > 0.5.
struct MonotonicNormalizer {
  /// In training. parallel: the closed form with cumulative products, for lessons only: it loses
  /// nearly all mass on long inputs.
  MonotonicMode mode = MonotonicMode::recursive;
  double noise_std = 1;  ///< of the normal noise, in training
  double r_init = -4;    ///< r, a parameter
  bool hard_in_eval = true;
};

/// Monotonic attention that ends in a softmax over the chunk keys up to the one it stops at (Chiu
/// and Raffel 2018), with scores u of a second scorer of the same kind:
///   β_j = Σ_{k=j}^{j+w-1} α_k·exp(u_j) / Σ_{l=k-w+1}^{k} exp(u_l)
struct MochaNormalizer {
  int64_t chunk = 4;  ///< w
  MonotonicNormalizer monotonic = {};
};

using AttentionNormalizer =
    std::variant<SoftmaxNormalizer, HardNormalizer, MonotonicNormalizer, MochaNormalizer>;

// ---- Heads, and what comes after ------------------------------------------------------------

/// The features are cut into num_heads parts that attend by themselves and are joined again.
/// in_proj and out_proj make it the multi-head attention of Vaswani et al. 2017, section 3.2.2.
struct Heads {
  int64_t num_heads = 1;
  bool in_proj = false;   ///< query, keys and values go through a Linear to embed_dim each, first
  bool out_proj = false;  ///< the joined contexts go through a Linear to embed_dim
  int64_t embed_dim = 0;  ///< the size of a query unless given
  bool bias = true;       ///< of the projections
};

struct NothingAfter {};

/// tanh(W_c[c; s]) (Luong et al. 2015, equation 5).
struct AttentionalState {
  int64_t size = 0;
  bool bias = false;
};

/// β·c with β = σ(W_β·s + b): a number (Xu et al. 2015, section 4.2.1), or, dialect popular, one
/// per feature of the context.
struct ContextGate {
  std::optional<bool> vector = {};  ///< one per feature; by dialect unless given
};

using AfterAttention = std::variant<NothingAfter, AttentionalState, ContextGate>;

struct AttentionOptions {
  int64_t query_dim = 0, key_dim = 0;
  int64_t value_dim = 0;  ///< key_dim unless given
  AttentionScore score = DotScore{};
  AttentionScope scope = GlobalScope{};
  AttentionNormalizer normalizer = SoftmaxNormalizer{};
  Heads heads = {};
  AfterAttention after = NothingAfter{};
  bool coverage = false;  ///< additive and concat scores: + w_c·Σ of the key's weights so far,
                          ///< inside the tanh (Tu et al. 2016; See, Liu, Manning 2017, equation 11)
  double dropout = 0;     ///< of the weights, in training
  Dialect dialect = Dialect::paper;
};

template <class Normalizer>
bool is_normalizer(const AttentionOptions& o) {
  return std::holds_alternative<Normalizer>(o.normalizer);
}

/// Left to right: monotonic or MoChA.
inline bool is_monotonic(const AttentionOptions& o) {
  return is_normalizer<MonotonicNormalizer>(o) || is_normalizer<MochaNormalizer>(o);
}

/// The options with their defaults filled in. Throws Error for sizes and choices that make no sense
/// together.
AttentionOptions checked(AttentionOptions options);

}  // namespace glass
