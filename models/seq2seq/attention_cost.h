#pragma once

#include <cstdint>

#include "nn/attention/slots.h"

namespace glass {

/// Multiply-adds of the products of an attention, forward, over one sentence: sources S keys,
/// targets T queries. With H heads, query and key sizes q and k (both E with in_proj), values v,
/// inner size A:
///   once per key      in_proj (k₀ + v₀)·E; general q·k/H; additive, concat H·A·k/H
///   once per query    in_proj q₀·E, out_proj v·E; additive, concat H·A·q/H; local-p A_p·q + H·A_p
///   per visible pair  product scores q; additive, concat H·A, with coverage twice; context v
/// Visible pairs are T·S; causal Σ_t min(t, S); local-m Σ_t |[t-D, t+D] ∩ [0, S)|; local-p
/// T·min(2D+1, S). MoChA scores twice. Not counted: additions, tanh, the normaliser, and what comes
/// after attention. options: checked().
double attention_multiply_adds(const AttentionOptions& options, int64_t sources, int64_t targets);

/// Of a Transformer's layers: the four projections of each attention, and 2·d for each pair of a
/// query and a key (T·S; masked pairs are computed, so they count).
double transformer_multiply_adds(int64_t d_model, int64_t encoder_layers, int64_t decoder_layers,
                                 int64_t sources, int64_t targets);

}  // namespace glass
