#pragma once

#include "models/image/image.h"

namespace glass {

/// bilinear: between the centres of the four nearest pixels, as PyTorch's interpolate with
/// align_corners=False; for enlarging. area: the mean over the part of the picture that the new
/// pixel covers, to the fraction; for shrinking.
enum class Resample : uint8_t { bilinear, area };

/// x [..., H, W], floating. Throws Error for another type or sizes below 1.
Tensor resize(const Tensor& x, int64_t height, int64_t width, Resample how);
Image resize(const Image& image, int64_t height, int64_t width, Resample how);

/// The whole picture in the middle of a white square of that side: by area where it shrinks, else
/// bilinear.
Image fitted(const Image& image, int64_t side);

}  // namespace glass
