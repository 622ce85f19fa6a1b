#pragma once

#include "models/data/corpus.h"
#include "models/report/overlay.h"
#include "models/seq2seq/recording.h"

namespace glass {

/// A layer's attention while a caption was written, on the picture. Throws Error where the layer
/// does not look from words to the cells of a square map.
PictureAttention look(const TextCodec& codec, const AttentionRecording& recording,
                      const LayerAttention& layer);

/// What a picture is called in reports: the name of its file, or of its scene.
std::string picture_name(const std::string& source);

}  // namespace glass
