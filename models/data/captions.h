#pragma once

#include "models/data/corpus.h"

namespace glass {

/// The task `captions`: a tab-separated file of pictures with captions. A picture is a path from
/// the file's folder, or from the folder `images` in it. Without a header the first column is the
/// picture, each other one a caption, and pictures are split by a hash of their path, 5 % each for
/// validation and test. With a header, whose first column is called image, files.captions names the
/// columns of captions, separated by commas (all but image and split unless given), and the column
/// split says train, val (or valid) or test, if there is one. Empty captions are left out. Throws
/// Error naming the line for a picture that is missing, not readable, or without a caption, and
/// where a part has no picture.
Corpus captions_corpus(const CorpusFiles& files);

}  // namespace glass
