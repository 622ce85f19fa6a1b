#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "nn/batch_norm.h"
#include "nn/convolution.h"

namespace glass {

struct PictureEncoderOptions {
  int64_t channels = 32;  ///< of the map, a multiple of 2^stages
  int64_t stages = 2;     ///< each halves the sides and doubles the channels
  int64_t blocks = 1;     ///< residual blocks of a stage
  bool frozen = false;    ///< its weights and statistics stay as they are
};
nlohmann::json to_json(const PictureEncoderOptions& options);
/// Throws Error naming a missing or unknown key.
PictureEncoderOptions picture_encoder_options(const nlohmann::json& json);

/// y = relu(norm2(conv2(relu(norm1(conv1(x))))) + shortcut(x)) (He, Zhang, Ren, Sun 2015), 3 × 3
/// convolutions; the shortcut is x, or where sizes differ a 1 × 1 convolution and a norm. With
/// stride 2 conv1 is 4 × 4 and the shortcut 2 × 2, so that a cell sees as far to each side.
class ResidualBlock : public Module {
 public:
  ResidualBlock(int64_t in, int64_t out, int64_t stride, Generator& init);
  void visit(Visitor& v) override;
  Var operator()(const Var& x);  ///< [B, in, H, W] -> [B, out, H/stride, W/stride]

  Conv2d conv1, conv2;
  BatchNorm2d norm1, norm2;
  std::optional<Conv2d> shortcut;
  std::optional<BatchNorm2d> shortcut_norm;
};

/// A picture to a map of features: a 3 × 3 convolution, norm and relu, then stages of residual
/// blocks. Each pixel also gets its place, x and y in -1 … 1 (Liu et al. 2018): what is above and
/// left is not in the colours.
class PictureEncoder : public Module {
 public:
  PictureEncoder(const PictureEncoderOptions& options, Generator& init);
  void visit(Visitor& v) override;

  /// pictures [B, 3, H, W] -> cells of the map, row by row: [B, h·w, channels], h = ⌊H / 2^stages⌋.
  /// Throws Error where that is 0.
  Var operator()(const Tensor& pictures);
  /// The same for pictures of the weights' type, with gradients by their pixels.
  Var operator()(const Var& pictures);
  int64_t cells_along(int64_t pixels) const;
  int64_t cells(int64_t side) const { return cells_along(side) * cells_along(side); }

  Conv2d stem;
  BatchNorm2d stem_norm;
  std::vector<ResidualBlock> blocks;

 private:
  PictureEncoderOptions options_;
};

/// Fills the encoder from a safetensors file: one of an encoder alone, or of a whole model, whose
/// encoder has "picture." in its names. Throws Error where it does not fit; then nothing changed.
void load_picture_encoder(PictureEncoder& encoder, const std::string& path);

}  // namespace glass
