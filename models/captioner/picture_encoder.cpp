#include "models/captioner/picture_encoder.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "models/train/weights.h"
#include "nn/init.h"
#include "tensor/ops.h"

namespace glass {
namespace {

// With stride 2 an even width: the middle of what a cell sees is then the middle of the pixels that
// it stands for, and not half a pixel up and left of it.
Conv2d convolution(int64_t in, int64_t out, int64_t width, int64_t stride, Generator& init) {
  const int64_t padding = (width - 1) / 2;
  Conv2d conv(in, out, {width}, {.stride = {stride}, .padding = {padding}}, false, init);
  kaiming_normal_(conv.weight, init, FanMode::fan_out, Nonlinearity::relu);
  return conv;
}

int64_t stem_channels(const PictureEncoderOptions& o) {
  const int64_t parts = int64_t{1} << o.stages;
  if (o.channels < parts || o.channels % parts != 0)
    fail("picture encoder", text("channels must be a multiple of ", parts, ", 2 to the stages"),
         o.channels);
  return o.channels / parts;
}

// [1, 2, H, W]: x and y of each pixel in -1 … 1.
Tensor places(int64_t H, int64_t W, DType dtype) {
  const Tensor out = Tensor::empty({1, 2, H, W}, kFloat64);
  const auto at = [](int64_t i, int64_t n) {
    return n > 1 ? 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1 : 0;
  };
  double* to = out.data<double>();
  for (int64_t y = 0; y < H; ++y)
    for (int64_t x = 0; x < W; ++x) {
      to[y * W + x] = at(x, W);
      to[(H + y) * W + x] = at(y, H);
    }
  return out.to(dtype);
}

}  // namespace

ResidualBlock::ResidualBlock(int64_t in, int64_t out, int64_t stride, Generator& init)
    : conv1(convolution(in, out, stride == 2 ? 4 : 3, stride, init)),
      conv2(convolution(out, out, 3, 1, init)),
      norm1(out),
      norm2(out) {
  if (in == out && stride == 1) return;
  shortcut.emplace(convolution(in, out, stride, stride, init));
  shortcut_norm.emplace(out);
}

void ResidualBlock::visit(Visitor& v) {
  v("conv1", conv1);
  v("norm1", norm1);
  v("conv2", conv2);
  v("norm2", norm2);
  if (shortcut) v("shortcut", *shortcut);
  if (shortcut_norm) v("shortcut_norm", *shortcut_norm);
}

Var ResidualBlock::operator()(const Var& x) {
  const Var y = norm2(conv2(relu(norm1(conv1(x)))));
  return relu(y + (shortcut ? (*shortcut_norm)((*shortcut)(x)) : x));
}

PictureEncoder::PictureEncoder(const PictureEncoderOptions& o, Generator& init)
    : stem(convolution(5, stem_channels(o), 3, 1, init)), stem_norm(stem_channels(o)), options_(o) {
  int64_t channels = stem_channels(o);
  for (int64_t stage = 0; stage < o.stages; ++stage)
    for (int64_t i = 0; i < o.blocks; ++i) {
      const int64_t out = i == 0 ? 2 * channels : channels;
      blocks.emplace_back(channels, out, i == 0 ? 2 : 1, init);
      channels = out;
    }
  if (!o.frozen) return;
  struct Freeze : Visitor {
    void parameter(std::string_view, Var& value) override { value = Var(value.value()); }
    void module(std::string_view, Module& child) override { child.visit(*this); }
  } freeze;
  visit(freeze);
}

void PictureEncoder::visit(Visitor& v) {
  v("stem", stem);
  v("stem_norm", stem_norm);
  for (size_t i = 0; i < blocks.size(); ++i) v("blocks." + std::to_string(i), blocks[i]);
}

Var PictureEncoder::operator()(const Tensor& pictures) {
  return (*this)(Var(pictures.to(stem.weight.dtype())));
}

Var PictureEncoder::operator()(const Var& pictures) {
  if (pictures.ndim() != 4 || pictures.size(1) != 3)
    fail("PictureEncoder", "pictures must be [B, 3, H, W]", pictures.shape());
  cells_along(std::min(pictures.size(2), pictures.size(3)));  // throws where there is none
  if (options_.frozen) eval();                                // statistics stay as well
  const DType dtype = stem.weight.dtype();
  const int64_t B = pictures.size(0), H = pictures.size(2), W = pictures.size(3);
  const Var where(places(H, W, dtype).expand({B, 2, H, W}));
  Var x = relu(stem_norm(stem(cat({pictures, where}, 1))));
  for (ResidualBlock& block : blocks) x = block(x);
  return transpose(flatten(x, 2), 1, 2);
}

int64_t PictureEncoder::cells_along(int64_t pixels) const {
  const int64_t cells = pixels >> options_.stages;
  if (cells < 1)
    fail("picture encoder", "pictures are too small for the stages that halve them", pixels,
         " pixels and ", options_.stages, " stages");
  return cells;
}

void load_picture_encoder(PictureEncoder& encoder, const std::string& path) {
  const NamedTensors all = load_weights(path);
  constexpr std::string_view kMark = "picture.";
  NamedTensors own;
  for (const auto& [name, tensor] : all.tensors)
    if (const size_t at = name.find(kMark); at != std::string::npos)
      own.add(name.substr(at + kMark.size()), tensor);
  try {
    encoder.load_state_dict(own.tensors.empty() ? all : own);
  } catch (const Error& e) {
    fail_environment(path, "does not fit the picture encoder", shorten(e.values(), 200));
  }
}

}  // namespace glass
