// Convolution as a matrix product: the elements under the kernel become the columns of a matrix
// (Chellapilla et al. 2006), a block of output rows at a time, so that the matrix stays in the
// cache.
#include "tensor/convolution.h"

#include <algorithm>

#include "tensor/cpu/gemm.h"
#include "tensor/cpu/kernels.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

// Sizes; C and O are those of one group. K elements lie under the kernel, P places has the output.
struct Plan {
  explicit Plan(const Convolution& c)
      : window(c.window),
        N(c.x.size(0)),
        G(c.window.groups),
        C(c.weight.size(1)),
        O(c.weight.size(0) / std::max<int64_t>(G, 1)),
        H(c.x.size(2)),
        W(c.x.size(3)),
        h(c.y.size(2)),
        w(c.y.size(3)),
        K(C * window.kernel[0] * window.kernel[1]),
        P(h * w) {
    const std::array<int64_t, 2> one{1, 1}, none{0, 0};
    direct = window.kernel == one && window.stride == one && window.before == none && P == H * W;
    constexpr int64_t kBlock = 1 << 17, kNarrow = 64;  // elements, columns
    rows =
        std::max(kBlock / std::max<int64_t>(K * w, 1), ceil_div(kNarrow, std::max(w, int64_t{1})));
    rows = std::clamp<int64_t>(rows, 1, std::max<int64_t>(h, 1));
    blocks = ceil_div(h, rows);
  }

  Window window;
  int64_t N, G, C, O, H, W, h, w, K, P;
  int64_t rows, blocks;  // output rows in a block, and how many blocks an image has
  bool direct;           // the columns are the image itself

  int64_t scratch() const { return direct ? 0 : K * rows * w; }
};

// A block of output rows of one group of one image.
struct Block {
  Block(const Plan& p, int64_t item)
      : image(item / p.blocks / p.G),
        group(item / p.blocks % p.G),
        first(item % p.blocks * p.rows),
        count(std::min(p.rows, p.h - first)) {}
  int64_t image, group, first, count;
};

// For every element under the kernel: f(row of the image, row of the columns, first and end of the
// places in an output row where it lies inside, place in the image of the first).
template <class F>
void for_runs(const Plan& p, const Block& b, const F& f) {
  const Window& v = p.window;
  int64_t column = 0;
  for (int64_t c = 0; c < p.C; ++c)
    for (int64_t i = 0; i < v.kernel[0]; ++i)
      for (int64_t j = 0; j < v.kernel[1]; ++j) {
        const int64_t shift = j * v.dilation[1] - v.before[1];
        const int64_t low = std::clamp<int64_t>(ceil_div(-shift, v.stride[1]), 0, p.w);
        const int64_t high = std::clamp<int64_t>(ceil_div(p.W - shift, v.stride[1]), low, p.w);
        for (int64_t r = 0; r < b.count; ++r, column += p.w) {
          const int64_t y = (b.first + r) * v.stride[0] - v.before[0] + i * v.dilation[0];
          const bool inside = y >= 0 && y < p.H;
          if (inside)
            f((c * p.H + y) * p.W + low * v.stride[1] + shift, column, low, high);
          else
            f(0, column, p.w, p.w);
        }
      }
}

template <class T>
void gather_columns(const Plan& p, const Block& b, const T* image, T* columns) {
  const int64_t step = p.window.stride[1];
  for_runs(p, b, [&](int64_t from, int64_t column, int64_t low, int64_t high) {
    T* to = columns + column;
    std::fill(to, to + low, T(0));
    if (step == 1)
      std::copy(image + from, image + from + (high - low), to + low);
    else
      for (int64_t q = low; q < high; ++q) to[q] = image[from + (q - low) * step];
    std::fill(to + high, to + p.w, T(0));
  });
}

template <class T>
void add_columns(const Plan& p, const Block& b, const T* columns, T* image) {
  const int64_t step = p.window.stride[1];
  for_runs(p, b, [&](int64_t to, int64_t column, int64_t low, int64_t high) {
    for (int64_t q = low; q < high; ++q) image[to + (q - low) * step] += columns[column + q];
  });
}

// f(part, begin, end, scratch) for [0, n) in one part per thread.
template <class T, class F>
void for_parts(int64_t n, int64_t parts, int64_t scratch, const F& f) {
  const Tensor buffer = Tensor::empty({parts, scratch}, dtype_of<T>());
  T* memory = buffer.data<T>();
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      f(i, n * i / parts, n * (i + 1) / parts, memory + i * scratch);
  });
}

// The columns of a block: gathered into scratch, or the image itself.
template <class T>
Matrix<T> columns_of(const Plan& p, const Block& b, const T* x, T* scratch) {
  const T* image = x + (b.image * p.G + b.group) * p.C * p.H * p.W;
  if (p.direct) return {image + b.first * p.w, p.P};
  gather_columns(p, b, image, scratch);
  return {scratch, b.count * p.w};
}

int64_t parts_of(int64_t n) { return std::clamp<int64_t>(n, 1, num_threads()); }

}  // namespace

// Y = W·columns + bias
void convolution(const Convolution& c, const Tensor& bias) {
  const Plan p(c);
  const int64_t items = p.N * p.G * p.blocks;
  visit_floating("conv", c.y.dtype(), [&]<class T>(T) {
    const T *x = c.x.data<T>(), *weight = c.weight.data<T>();
    const T* shift = bias.defined() ? bias.data<T>() : nullptr;
    T* y = c.y.data<T>();
    for_parts<T>(
        items, parts_of(items), p.scratch(), [&](int64_t, int64_t begin, int64_t end, T* scratch) {
          for (int64_t item = begin; item < end; ++item) {
            const Block b(p, item);
            const int64_t n = b.count * p.w;
            T* out = y + (b.image * p.G + b.group) * p.O * p.P + b.first * p.w;
            for (int64_t o = 0; shift && o < p.O; ++o)
              std::fill(out + o * p.P, out + o * p.P + n, shift[b.group * p.O + o]);
            multiply_here<T>({weight + b.group * p.O * p.K, p.K}, columns_of(p, b, x, scratch),
                             shift ? T(1) : T(0), out, p.P, p.O, n, p.K);
          }
        });
  });
}

// columns = Wᵀ·Y, each added to where it came from; blocks of one image overlap there.
void convolution_input(const Convolution& c) {
  const Plan p(c);
  const int64_t items = p.N * p.G;
  visit_floating("conv", c.y.dtype(), [&]<class T>(T) {
    const T *y = c.y.data<T>(), *weight = c.weight.data<T>();
    T* x = c.x.data<T>();
    for_parts<T>(items, parts_of(items), p.scratch(),
                 [&](int64_t, int64_t begin, int64_t end, T* scratch) {
                   for (int64_t item = begin; item < end; ++item) {
                     T* image = x + item * p.C * p.H * p.W;
                     if (!p.direct) std::fill(image, image + p.C * p.H * p.W, T(0));
                     for (int64_t k = 0; k < p.blocks; ++k) {
                       const Block b(p, item * p.blocks + k);
                       const int64_t n = b.count * p.w, at = b.first * p.w;
                       T* columns = p.direct ? image + at : scratch;
                       multiply_here<T>({weight + b.group * p.O * p.K, p.K, true},
                                        {y + item * p.O * p.P + at, p.P}, T(0), columns,
                                        p.direct ? p.P : n, p.K, n, p.O);
                       if (!p.direct) add_columns(p, b, scratch, image);
                     }
                   }
                 });
  });
}

// W = sum over the blocks of Y·columnsᵀ: each part has a sum of its own.
void convolution_weight(const Convolution& c) {
  const Plan p(c);
  const int64_t items = p.N * p.G * p.blocks, parts = parts_of(items), size = c.weight.numel();
  visit_floating("conv", c.y.dtype(), [&]<class T>(T) {
    const Tensor sums = Tensor::zeros({parts, size}, dtype_of<T>());
    const T *x = c.x.data<T>(), *y = c.y.data<T>();
    T* total = sums.data<T>();
    for_parts<T>(
        items, parts, p.scratch(), [&](int64_t part, int64_t begin, int64_t end, T* scratch) {
          for (int64_t item = begin; item < end; ++item) {
            const Block b(p, item);
            Matrix<T> columns = columns_of(p, b, x, scratch);
            columns.turned = true;
            multiply_here<T>({y + (b.image * p.G + b.group) * p.O * p.P + b.first * p.w, p.P},
                             columns, T(1), total + part * size + b.group * p.O * p.K, p.K, p.O,
                             p.K, b.count * p.w);
          }
        });
    T* weight = c.weight.data<T>();
    std::copy(total, total + size, weight);
    for (int64_t i = size; i < parts * size; ++i) weight[i % size] += total[i];
  });
}

}  // namespace glass::cpu
