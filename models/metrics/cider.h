#pragma once

#include <string>
#include <vector>

#include "models/metrics/references.h"

namespace glass {

enum class CiderKind {
  plain,  ///< CIDEr: the cosine as first defined
  d,      ///< CIDEr-D, what caption evaluation prints as "CIDEr": clipped, with a length penalty
};

struct Cider {
  double value = 0;  ///< the mean over the images, in [0, 10]
  std::vector<double> per_image;
  std::string warning;  ///< why the value says nothing; mostly empty
};

/// CIDEr of captions with any number of references an image (Vedantam et al. 2015), as
/// pycocoevalcap computes it. For n-grams of the orders 1 to 4, with tf the count in a caption and
///   g = tf · (log images - log max(1, images whose references hold the n-gram)),
///   plain: Σ g_c·g_r / (‖g_c‖ ‖g_r‖)
///   d:     Σ min(g_c, g_r)·g_r / (‖g_c‖ ‖g_r‖) · exp(-δ² / (2·6²)),
/// δ the difference in length (in bigrams, as the original counts); an order where either norm is 0
/// counts 0. Ten times the mean over the orders and the references. Document frequencies are those
/// of the given references: a score belongs to its set. With one image every weight is 0, and so is
/// the value, with a warning. Throws as check_references().
Cider cider(const std::vector<TokenList>& hypotheses,
            const std::vector<std::vector<TokenList>>& references, CiderKind kind = CiderKind::d);

}  // namespace glass
