#pragma once

#include "models/data/corpus.h"

namespace glass {

/// The task `captions`: a tab-separated file of pictures with captions. A picture is a path from
/// the file's folder, or from the folder `images` in it. The first line is a header when its first
/// column is called image. Without one the first column is the picture, each other one a caption,
/// and pictures are split by a hash of their path, 5 % each for validation and test. With a header
/// files.captions names the columns of captions, separated by commas (all but image and split
/// unless given), the column split says train, val (or valid) or test, if there is one, and no line
/// has more columns. Empty captions are left out; bad UTF-8 is replaced, with a warning. Throws
/// Error naming the line for a picture that is missing, not readable, or without a caption, and
/// where a part has no picture.
Corpus captions_corpus(const CorpusFiles& files);

}  // namespace glass
