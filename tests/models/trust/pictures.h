#pragma once

#include "models/data/corpus.h"

namespace glass::tests {

/// Bytes from least to 255.
inline Image noise(int64_t side, int seed, int least = 0) {
  Image image(side, side, 0);
  for (size_t k = 0; k < image.rgb.size(); ++k)
    image.rgb[k] = static_cast<uint8_t>(
        least + static_cast<int>((k * k * 31 + k * 7) % 251 + static_cast<size_t>(seed) * 97) %
                    (256 - least));
  return image;
}

/// Of pictures of that side and answers of words.
inline TextCodec codec_of(int64_t side, const std::vector<Pair>& pairs) {
  TextOptions options;
  options.target = Tokens::words;
  options.picture_size = side;
  return TextCodec(options, pairs);
}

}  // namespace glass::tests
