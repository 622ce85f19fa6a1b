#include "tensor/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tensor/cpu/loops.h"
#include "tensor/cpu/philox.h"
#include "tensor/parallel.h"

namespace glass {
namespace {

// Draws work on chunks of this many blocks. The last chunk is computed whole as well, so that every
// element takes the same path through the vector loops wherever a draw ends.
constexpr int kChunk = 128;

struct Words {
  alignas(64) uint32_t word[4 * kChunk];  // lane l of block b at 4 b + l
};

// [0, 1): the first 24 or 53 bits, as many as the mantissa holds. Written with signed integers
// because those become floating-point numbers in one instruction.
GLASS_FN float unit(uint32_t w) { return static_cast<float>(static_cast<int>(w >> 8)) * 0x1p-24f; }
GLASS_FN double unit(uint32_t low, uint32_t high) {
  const int first = static_cast<int>(high >> 1),
            rest = static_cast<int>(high << 31 >> 10 | low >> 11);
  return (static_cast<double>(first) * 0x1p22 + static_cast<double>(rest)) * 0x1p-53;
}

// The high half of a 128-bit product: bits / 2^64 · n, rounded down.
GLASS_FN uint64_t scale_down(uint32_t low, uint32_t high, uint64_t n) {
  const uint64_t bits = uint64_t{high} << 32 | low;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * n) >> 64);
}

// How the words of a chunk become its elements, kWords words for one: convert(draw, words, out).
template <class T>
struct Uniform {
  using Type = T;
  static constexpr int kWords = sizeof(T) / 4;
  T low, width, below;  // below: the largest value under high; rounding may reach high
};

GLASS_CLONES void convert(const Uniform<float>& draw, const Words& words, float* out) {
  const float low = draw.low, width = draw.width, below = draw.below;
#pragma omp simd
  for (int i = 0; i < 4 * kChunk; ++i) {
    const float x = low + unit(words.word[i]) * width;
    out[i] = x < below ? x : below;
  }
}

GLASS_CLONES void convert(const Uniform<double>& draw, const Words& words, double* out) {
  const double low = draw.low, width = draw.width, below = draw.below;
#pragma omp simd
  for (int i = 0; i < 2 * kChunk; ++i) {
    const double x = low + unit(words.word[2 * i], words.word[2 * i + 1]) * width;
    out[i] = x < below ? x : below;
  }
}

struct Bernoulli {
  using Type = bool;
  static constexpr int kWords = 1;
  uint32_t threshold;
};

GLASS_CLONES void convert(const Bernoulli& draw, const Words& words, bool* out) {
  const uint32_t threshold = draw.threshold;
#pragma omp simd
  for (int i = 0; i < 4 * kChunk; ++i) out[i] = words.word[i] < threshold;
}

struct Integer {
  using Type = int64_t;
  static constexpr int kWords = 2;
  uint64_t low, range;  // low as two's complement: sums wrap to the right value
};

void convert(const Integer& draw, const Words& words, int64_t* out) {
  const auto [low, range] = draw;
  for (int i = 0; i < 2 * kChunk; ++i)
    out[i] =
        static_cast<int64_t>(low + scale_down(words.word[2 * i], words.word[2 * i + 1], range));
}

template <class T>
struct Normal {
  using Type = T;
  static constexpr int kWords = sizeof(T) / 4;
  double mean, std;
};

// Box and Muller: z0 = r cos(2 pi v), z1 = r sin(2 pi v), r = sqrt(-2 log u). The sine is written
// as a cosine a quarter turn back: compilers join sin and cos to a call that has no vector form.
struct Pair {
  double z0, z1;
};
GLASS_FN Pair box_muller(double u, double v, double mean, double std) {
  const double r = std * sqrt(-2 * log(u));
  return {mean + r * cos(2 * std::numbers::pi * v),
          mean + r * cos(2 * std::numbers::pi * (v - 0.25))};
}

// u lies in (0, 1], so that its logarithm is finite.
GLASS_CLONES void convert(const Normal<float>& draw, const Words& words, float* out) {
  const double mean = draw.mean, std = draw.std;
#pragma omp simd
  for (int i = 0; i < 2 * kChunk; ++i) {
    const double u = (static_cast<double>(words.word[2 * i]) + 1) * 0x1p-32;
    const double v = static_cast<double>(words.word[2 * i + 1]) * 0x1p-32;
    const Pair z = box_muller(u, v, mean, std);
    out[2 * i] = static_cast<float>(z.z0);
    out[2 * i + 1] = static_cast<float>(z.z1);
  }
}

GLASS_CLONES void convert(const Normal<double>& draw, const Words& words, double* out) {
  const double mean = draw.mean, std = draw.std;
#pragma omp simd
  for (int i = 0; i < kChunk; ++i) {
    const double u = 1 - unit(words.word[4 * i], words.word[4 * i + 1]);
    const double v = unit(words.word[4 * i + 2], words.word[4 * i + 3]);
    const Pair z = box_muller(u, v, mean, std);
    out[2 * i] = z.z0;
    out[2 * i + 1] = z.z1;
  }
}

uint64_t blocks_for(int64_t elements, int64_t per_block) {
  return static_cast<uint64_t>(elements / per_block + (elements % per_block != 0));
}

// A tensor of the shape, filled chunk by chunk.
template <class Draw>
Tensor draw_tensor(const Shape& shape, const Draw& draw, Generator& generator) {
  using T = typename Draw::Type;
  constexpr int64_t kPerBlock = 4 / Draw::kWords, kPerChunk = kPerBlock * kChunk;
  const Tensor out = Tensor::empty(shape, dtype_of<T>());
  const int64_t n = out.numel();
  T* data = out.data<T>();
  const uint64_t key = generator.seed(), first = generator.take(blocks_for(n, kPerBlock));
  parallel_for(ceil_div(n, kPerChunk), 16, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      Words words;
      cpu::philox_words(key, first + static_cast<uint64_t>(chunk) * kChunk, words.word);
      const int64_t left = n - chunk * kPerChunk;
      if (left >= kPerChunk) {
        convert(draw, words, data + chunk * kPerChunk);
      } else {
        T last[kPerChunk];
        convert(draw, words, last);
        std::copy(last, last + left, data + chunk * kPerChunk);
      }
    }
  });
  return out;
}

// Running sums of a row of probabilities.
template <class T>
std::vector<double> running_sums(const T* row, int64_t n) {
  std::vector<double> sums(static_cast<size_t>(n));
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double p = row[i];
    if (!(p >= 0) || !std::isfinite(p))
      fail("categorical", "probabilities must be finite and not negative", p, " at index ", i);
    sums[static_cast<size_t>(i)] = sum += p;
  }
  if (!(sum > 0) || !std::isfinite(sum))
    fail("categorical", "probabilities need a positive, finite sum", sum, " over ", n);
  return sums;
}

// The first index whose running sum exceeds u · sum: one of probability 0 never does so first.
int64_t pick(const std::vector<double>& sums, double u) {
  const auto found = std::upper_bound(sums.begin(), sums.end(), u * sums.back());
  if (found != sums.end()) return found - sums.begin();
  // u · sum was rounded up to the sum itself: the last index of positive probability.
  return std::lower_bound(sums.begin(), sums.end(), sums.back()) - sums.begin();
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, std::array<uint32_t, 2> key) {
  cpu::philox_block(c[0], c[1], c[2], c[3], key[0], key[1]);
  return c;
}

static std::array<uint32_t, 4> next_block(Generator& generator) {
  const uint64_t key = generator.seed(), c = generator.take(1);
  return philox({static_cast<uint32_t>(c), static_cast<uint32_t>(c >> 32), 0, 0},
                {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
}

double Generator::draw_uniform() {
  const auto words = next_block(*this);
  return unit(words[0], words[1]);
}

int64_t Generator::draw_int(int64_t n) {
  if (n <= 0) fail("draw_int", "needs a positive number of choices", n);
  const auto words = next_block(*this);
  return static_cast<int64_t>(scale_down(words[0], words[1], static_cast<uint64_t>(n)));
}

Tensor uniform(const Shape& shape, double low, double high, DType dtype, Generator& generator) {
  if (!(low <= high)) fail("uniform", "low is not below high", low, " and ", high);
  return visit_floating("uniform", dtype, [&]<class T>(T) {
    const T from = static_cast<T>(low), to = static_cast<T>(high);
    if (!std::isfinite(to - from)) fail("uniform", "range is not finite", low, " to ", high);
    return draw_tensor(shape, Uniform<T>{from, to - from, std::nextafter(to, from)}, generator);
  });
}

Tensor normal(const Shape& shape, double mean, double std, DType dtype, Generator& generator) {
  if (!(std >= 0)) fail("normal", "std must not be negative", std);
  return visit_floating("normal", dtype, [&]<class T>(T) {
    return draw_tensor(shape, Normal<T>{mean, std}, generator);
  });
}

Tensor bernoulli(const Shape& shape, double p, Generator& generator) {
  if (!(p >= 0 && p <= 1)) fail("bernoulli", "p must be in [0, 1]", p);
  const double threshold = std::nearbyint(p * 0x1p32);
  if (threshold < 0x1p32)
    return draw_tensor(shape, Bernoulli{static_cast<uint32_t>(threshold)}, generator);
  const Tensor out = Tensor::ones(shape, kBool);
  generator.take(blocks_for(out.numel(), 4));
  return out;
}

Tensor randint(int64_t low, int64_t high, const Shape& shape, Generator& generator) {
  if (low >= high) fail("randint", "low is not below high", low, " and ", high);
  const auto from = static_cast<uint64_t>(low);
  return draw_tensor(shape, Integer{from, static_cast<uint64_t>(high) - from}, generator);
}

Tensor randperm(int64_t n, Generator& generator) {
  if (n < 0) fail("randperm", "needs a number of elements", n);
  const Tensor order = Tensor::arange(0, n);
  int64_t* numbers = order.data<int64_t>();
  for (int64_t i = 0; i + 1 < n; ++i) std::swap(numbers[i], numbers[i + generator.draw_int(n - i)]);
  return order;
}

int64_t categorical(const Tensor& probabilities, Generator& generator) {
  if (probabilities.ndim() != 1)
    fail("categorical", "needs one row of probabilities", "got ", probabilities.shape());
  return multinomial(probabilities, 1, generator).to_vector<int64_t>()[0];
}

Tensor multinomial(const Tensor& probabilities, int64_t samples, Generator& generator) {
  if (probabilities.ndim() != 1 && probabilities.ndim() != 2)
    fail("multinomial", "needs one row or a list of rows", "got ", probabilities.shape());
  if (samples < 0) fail("multinomial", "needs a number of samples", samples);
  const int64_t n = probabilities.size(-1);
  const int64_t rows = probabilities.ndim() == 2 ? probabilities.size(0) : 1;
  const Tensor out =
      Tensor::empty(probabilities.ndim() == 2 ? Shape{rows, samples} : Shape{samples}, kInt64);
  const Tensor dense = probabilities.contiguous();
  Generator drawing = generator;  // a bad row must not move the caller's
  visit_floating("multinomial", dense.dtype(), [&]<class T>(T) {
    for (int64_t r = 0; r < rows; ++r) {
      const auto sums = running_sums(dense.data<T>() + r * n, n);
      for (int64_t s = 0; s < samples; ++s)
        out.data<int64_t>()[r * samples + s] = pick(sums, drawing.draw_uniform());
    }
  });
  generator = drawing;
  return out;
}

}  // namespace glass
