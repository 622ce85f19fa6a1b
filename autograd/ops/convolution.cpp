#include "autograd/ops/convolution.h"

#include <algorithm>

#include "autograd/op.h"
#include "autograd/ops/arguments.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/shape.h"
#include "tensor/kernels.h"

namespace glass {
namespace {

// Which elements meet. y is a sum of products of x and weight; the derivative of each of the three
// by another is again of this kind: y = conv(x, weight), x = conv_input(y, weight), weight =
// conv_weight(x, y).
struct Meeting {
  Window window{};
  Shape x{}, weight{}, y{};
};

struct Conv {
  static constexpr const char* name = "conv";
  static constexpr Keep keep{.inputs = 3};
  Meeting m;
  Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    const Tensor y = Tensor::empty(m.y, x.dtype());
    kernels(x).convolution({m.window, x.contiguous(), weight.contiguous(), y},
                           bias.defined() ? bias.contiguous() : bias);
    return y;
  }
  void backward(Backward& b, const Saved& saved) const;
};

struct ConvInput {
  static constexpr const char* name = "conv_input";
  static constexpr Keep keep{.inputs = 3};
  Meeting m;
  Tensor forward(const Tensor& y, const Tensor& weight) const {
    const Tensor x = Tensor::empty(m.x, y.dtype());
    kernels(y).convolution_input({m.window, x, weight.contiguous(), y.contiguous()});
    return x;
  }
  void backward(Backward& b, const Saved& saved) const;
};

struct ConvWeight {
  static constexpr const char* name = "conv_weight";
  static constexpr Keep keep{.inputs = 3};
  Meeting m;
  Tensor forward(const Tensor& x, const Tensor& y) const {
    const Tensor weight = Tensor::empty(m.weight, x.dtype());
    kernels(x).convolution_weight({m.window, x.contiguous(), weight, y.contiguous()});
    return weight;
  }
  void backward(Backward& b, const Saved& saved) const;
};

Var conv(const Meeting& m, const Var& x, const Var& weight) {
  return record(Conv{m}, In(x), In(weight), In(Var()));
}
Var conv_input(const Meeting& m, const Var& y, const Var& weight) {
  return record(ConvInput{m}, In(y), In(weight));
}
Var conv_weight(const Meeting& m, const Var& x, const Var& y) {
  return record(ConvWeight{m}, In(x), In(y));
}

void Conv::backward(Backward& b, const Saved& saved) const {
  const Var& dy = b.grad();
  if (b.needs(0)) b.add(0, conv_input(m, dy, saved.input(1)));
  if (b.needs(1)) b.add(1, conv_weight(m, saved.input(0), dy));
  if (b.needs(2)) b.add(2, sum(dy, {0, 2, 3}));
}
void ConvInput::backward(Backward& b, const Saved& saved) const {
  const Var& dx = b.grad();
  if (b.needs(0)) b.add(0, conv(m, dx, saved.input(1)));
  if (b.needs(1)) b.add(1, conv_weight(m, dx, saved.input(0)));
}
void ConvWeight::backward(Backward& b, const Saved& saved) const {
  const Var& dweight = b.grad();
  if (b.needs(0)) b.add(0, conv_input(m, saved.input(1), dweight));
  if (b.needs(1)) b.add(1, conv(m, saved.input(0), dweight));
}

void check_operands(const char* op, const Var& x, const Var& weight, const Var& bias, int axes,
                    int64_t groups, int64_t channels, int64_t outputs) {
  if (groups < 1) fail(op, "groups must be positive", groups);
  if (weight.size(0) % groups != 0)
    fail(op, "groups must divide the weight's first size", groups, " and ", weight.shape());
  if (x.size(-axes - 1) != channels)
    fail(op, "channels do not fit the weight", x.shape(), " and weight ", weight.shape(), " in ",
         groups, " groups (", x.size(-axes - 1), " and ", channels, ")");
  check_same_dtype(op, x.dtype(), weight.dtype());
  if (!bias.defined()) return;
  check_same_dtype(op, x.dtype(), bias.dtype());
  if (!(bias.shape() == Shape{outputs}))
    fail(op, "bias must have one entry per output channel", bias.shape(), " for ", outputs);
}

void check_axes(const char* op, const Var& x, const Var& weight, int axes) {
  if (weight.ndim() != axes + 2)
    fail(op, "weight must have two axes of channels and those of the kernel", weight.shape());
  if (x.ndim() != axes + 2 && x.ndim() != axes + 1)
    fail(op, "input must have a batch, channels and the kernel's axes; the batch may be absent",
         x.shape(), " for weight ", weight.shape());
  if (!is_floating(x.dtype())) fail(op, "needs float32 or float64", "got ", name_of(x.dtype()));
}

// The window and the output of a convolution over one or two axes; one axis is a row.
Meeting meeting_of(const char* op, const Shape& x, const Shape& weight, size_t axes,
                   const ConvOptions& o) {
  Meeting m{.x = x, .weight = weight, .y = {x[0], weight[0], 1, 1}};
  m.window.groups = o.groups;
  for (size_t axis = 2 - axes; axis < 2; ++axis) {
    const size_t a = axis + axes - 2;
    const int place = static_cast<int>(axis) + 2;
    const int64_t kernel = m.window.kernel[axis] = weight[place];
    const int64_t stride = m.window.stride[axis] =
        number_of_axis(op, "stride", o.stride, a, axes, 1);
    const int64_t dilation = m.window.dilation[axis] =
        number_of_axis(op, "dilation", o.dilation, a, axes, 1);
    const int64_t reach = dilation * (kernel - 1) + 1;
    int64_t all = 2 * number_of_axis(op, "padding", o.padding, a, axes, 0);
    m.window.before[axis] = all / 2;
    if (o.same) {
      if (stride != 1) fail(op, "padding \"same\" needs stride 1", stride);
      all = reach - 1;
      m.window.before[axis] = all / 2;
    }
    if (kernel < 1 || x[place] + all < reach)
      fail(op, "the kernel must fit into the padded input", x[place], " + ", all,
           " of padding, kernel ", kernel, ", dilation ", dilation);
    m.y[place] = (x[place] + all - reach) / stride + 1;
  }
  return m;
}

Var batched(const char* op, In x, In weight, const Var& bias, const ConvOptions& o, int axes) {
  check_operands(op, *x, *weight, bias, axes, o.groups, weight->size(1) * o.groups,
                 weight->size(0));
  const auto here = [&](const Var& v) { return In(v, x.where.file, x.where.line); };
  const Var wide = axes == 1 ? unsqueeze(x, 2) : *x;
  const Var kernel = axes == 1 ? unsqueeze(weight, 2) : *weight;
  const Meeting m = meeting_of(op, wide.shape(), kernel.shape(), static_cast<size_t>(axes), o);
  const Var y = record(Conv{m}, here(wide), here(kernel), here(bias));
  return axes == 1 ? squeeze(y, 2) : y;
}

Var convolve(const char* op, In x, In weight, const Var& bias, const ConvOptions& o, int axes) {
  check_axes(op, *x, *weight, axes);
  if (x->ndim() == axes + 2) return batched(op, x, weight, bias, o, axes);
  const Var one = unsqueeze(x, 0);
  return squeeze(batched(op, In(one, x.where.file, x.where.line), weight, bias, o, axes), 0);
}

}  // namespace

Var conv1d(In x, In weight, const Var& bias, const ConvOptions& options) {
  return convolve("conv1d", x, weight, bias, options, 1);
}
Var conv2d(In x, In weight, const Var& bias, const ConvOptions& options) {
  return convolve("conv2d", x, weight, bias, options, 2);
}

Var conv_transpose2d(In x, In weight, const Var& bias, const ConvTransposeOptions& o) {
  const char* op = "conv_transpose2d";
  check_axes(op, *x, *weight, 2);
  const int64_t outputs = weight->size(1) * o.groups;
  check_operands(op, *x, *weight, bias, 2, o.groups, weight->size(0), outputs);
  const Var y = x->ndim() == 4 ? *x : unsqueeze(x, 0);
  Meeting m{.x = {y.size(0), outputs, 1, 1}, .weight = weight->shape(), .y = y.shape()};
  m.window.groups = o.groups;
  for (size_t a = 0; a < 2; ++a) {
    const int place = static_cast<int>(a) + 2;
    const int64_t kernel = m.window.kernel[a] = weight->shape()[place];
    const int64_t stride = m.window.stride[a] = number_of_axis(op, "stride", o.stride, a, 2, 1);
    const int64_t dilation = m.window.dilation[a] =
        number_of_axis(op, "dilation", o.dilation, a, 2, 1);
    const int64_t before = m.window.before[a] = number_of_axis(op, "padding", o.padding, a, 2, 0);
    const int64_t more = number_of_axis(op, "output_padding", o.output_padding, a, 2, 0);
    if (more >= std::max(stride, dilation))
      fail(op, "output_padding must be below stride or dilation", more, ", stride ", stride,
           ", dilation ", dilation);
    const int64_t size = m.x[place] =
        (y.shape()[place] - 1) * stride - 2 * before + dilation * (kernel - 1) + more + 1;
    if (kernel < 1 || size < 1)
      fail(op, "nothing would be left of the output", "input ", x->shape(), ", kernel ", kernel,
           ", padding ", before);
  }
  Var out = record(ConvInput{m}, In(y, x.where.file, x.where.line), weight);
  if (bias.defined()) out = out + reshape(bias, {outputs, 1, 1});
  return x->ndim() == 4 ? out : squeeze(out, 0);
}

}  // namespace glass
