#pragma once

#include "tensor/tensor.h"

namespace glass {

/// How well a map of attention [h, w] finds a mask [H, W] (bool) that k > 0 pixels have: the map is
/// enlarged to the mask's size (bilinear), its k highest pixels are taken, and the pixels in both
/// are divided by those in either. Where pixels equal to the k-th highest are more than are left to
/// take, each counts as that part of one: a uniform map gets what chance would, k / (2·H·W - k).
/// Throws Error for other shapes, and for an empty mask.
double attention_overlap(const Tensor& map, const Tensor& mask);

}  // namespace glass
