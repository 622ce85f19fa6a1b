#pragma once

#include "models/seq2seq/recording.h"
#include "models/trust/lens.h"

namespace glass {

/// What the lens asks of a recorded answer (of a text, what stands at a place is its embedding; of
/// a picture, the pixels that a cell of the map covers, blank in the picture's mean colour: a cell
/// that is only dropped from the map lives on in its neighbours, which have seen the same pixels):
/// the weights are those of the layer (which must look from the answer to the source), of one head
/// or (-1) the mean of all. The model must outlive the question; in float64 small effects keep
/// their order. Throws Error for another layer.
TrustQuestion trust_question(Translator& model, const TextCodec& codec,
                             const AttentionRecording& recording, const LayerAttention& layer,
                             int64_t head);

}  // namespace glass
