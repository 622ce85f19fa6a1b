// Matrix products by the tile unit of x86 processors (AMX): 16×32 times 32×16 bfloat16 numbers at
// once, added to a tile of 16×16 float32.
//
// Operands are packed into such tiles of 16 rows of 64 bytes first. In a row of a left tile stand
// 32 consecutive elements along k; in row p of a right tile the elements k = 2p and 2p + 1 of each
// of 16 columns. Seen as 16×16 pairs, one is the transpose of the other: so there are two ways to
// read a tile, along k or across, and the one that memory does not have is the other's transpose.
#include "tensor/cpu/gemm_bfloat16.h"

#include <algorithm>
#include <array>

#include "tensor/error.h"
#include "tensor/memory.h"
#include "tensor/parallel.h"
#include "tensor/precision.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define GLASS_TILES \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))
#endif

namespace glass::cpu {

bool suits_bfloat16(int64_t m, int64_t n, int64_t k) {
  // Packing reads (m + n)·k numbers for m·n·k multiply-adds: below, it costs more than it saves.
  constexpr int64_t kLeastReuse = 20, kLeastDepth = 64;
  constexpr double kLeastWork = 1 << 18;
  return k >= kLeastDepth && m * n >= kLeastReuse * (m + n) &&
         static_cast<double>(m * n) * static_cast<double>(k) >= kLeastWork && has_bfloat16_units();
}

#if defined(__x86_64__)

namespace {

constexpr int64_t kRows = 16, kDepth = 32, kBlock = 2 * kRows;
constexpr int64_t kTileBytes = 1024;

// The first n of 16, none when n < 0.
__mmask16 lanes(int64_t n) {
  return static_cast<__mmask16>((1U << std::clamp<int64_t>(n, 0, 16)) - 1);
}

// A 16×16 matrix of pairs, row r at out + 16 r.
using Pairs = uint32_t;

// Rows of 32 elements along k: rows and depth are how many there are, what lacks is 0.
GLASS_TILES void read_along(const float* x, int64_t lead, int64_t rows, int64_t depth, Pairs* out) {
  const __mmask16 low = lanes(depth), high = lanes(depth - 16);
  const int64_t there = std::min(rows, kRows);
  for (int64_t r = 0; r < there; ++r, x += lead, out += 16) {
    const __m512 a = _mm512_maskz_loadu_ps(low, x), b = _mm512_maskz_loadu_ps(high, x + 16);
    _mm512_storeu_si512(out, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(b, a)));
  }
  std::fill_n(out, (kRows - there) * 16, 0U);
}

// 0, 16, 1, 17, …
alignas(64) constexpr std::array<uint16_t, 32> kInterleave = [] {
  std::array<uint16_t, 32> order{};
  for (uint16_t i = 0; i < 32; ++i) order[i] = static_cast<uint16_t>(i / 2 + i % 2 * 16);
  return order;
}();

// Row p: the elements 2p and 2p + 1 along k of each of 16 columns, which lie side by side.
GLASS_TILES void read_across(const float* x, int64_t lead, int64_t columns, int64_t depth,
                             Pairs* out) {
  const __mmask16 mask = lanes(columns);
  const __m512i interleave = _mm512_load_si512(kInterleave.data());
  for (int64_t k = 0; k < kDepth; k += 2, x += 2 * lead, out += 16) {
    const __m512 a = _mm512_maskz_loadu_ps(k < depth ? mask : __mmask16{0}, x);
    const __m512 b = _mm512_maskz_loadu_ps(k + 1 < depth ? mask : __mmask16{0}, x + lead);
    const __m512i both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(b, a));
    _mm512_storeu_si512(out, _mm512_permutexvar_epi16(interleave, both));
  }
}

// Where the lanes of the upper of two rows come from when the off-diagonal quarters of blocks of
// 2 S × 2 S are swapped: l is a lane of the upper row, 16 + l one of the lower. Those of the lower
// row come from S lanes further on.
template <uint32_t S>
alignas(64) constexpr std::array<uint32_t, 16> kUpper = [] {
  std::array<uint32_t, 16> lanes{};
  for (uint32_t l = 0; l < 16; ++l) lanes[l] = (l & S) ? 16 + l - S : l;
  return lanes;
}();

template <uint32_t S>
GLASS_TILES inline void swap_quarters(__m512i* rows) {
  const __m512i first = _mm512_load_si512(kUpper<S>.data());
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(S));
  for (uint32_t i = 0; i < 16; ++i) {
    if (i & S) continue;
    const __m512i a = rows[i], b = rows[i + S];
    rows[i] = _mm512_permutex2var_epi32(a, first, b);
    rows[i + S] = _mm512_permutex2var_epi32(a, second, b);
  }
}

GLASS_TILES void turn(Pairs* x) {
  __m512i rows[16];
  for (int i = 0; i < 16; ++i) rows[i] = _mm512_loadu_si512(x + i * 16);
  swap_quarters<1>(rows);
  swap_quarters<2>(rows);
  swap_quarters<4>(rows);
  swap_quarters<8>(rows);
  for (int i = 0; i < 16; ++i) _mm512_storeu_si512(x + i * 16, rows[i]);
}

// An operand of a product: n rows of a left one, or columns of a right one, of k elements each.
// along: elements along k lie side by side in memory.
struct Operand {
  const float* data;
  int64_t lead, n, k;
  bool along, right;
};

// Two tiles at each depth, one depth after the other, from row (or column) i on.
GLASS_TILES void pack_block(const Operand& x, int64_t i, Pairs* out) {
  for (int64_t d = 0; d < x.k; d += kDepth)
    for (int64_t j = i; j < i + kBlock; j += kRows, out += kRows * 16) {
      const int64_t rows = x.n - j, depth = x.k - d;
      if (rows <= 0) {
        std::fill_n(out, kRows * 16, 0U);
        continue;
      }
      if (x.along)
        read_along(x.data + j * x.lead + d, x.lead, rows, depth, out);
      else
        read_across(x.data + d * x.lead + j, x.lead, rows, depth, out);
      if (x.along == x.right) turn(out);
    }
}

struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// GCC 12's _tile_loadconfig says that it reads 8 bytes, and its _tile_loadd that it reads nothing:
// the compiler must be told that what was written before is read.
GLASS_TILES void load_shapes(const TileShapes& shapes) {
  __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
}
void finish_writing() { __asm__ volatile("" : : : "memory"); }

// c = a·b + c (or a·b) for 32×32 results in rows stride bytes apart: tiles 0 to 3 are the quarters.
GLASS_TILES void multiply_block(const char* a, const char* b, int64_t depths, bool add, float* c,
                                int64_t stride) {
  float* const below = c + kRows * stride / static_cast<int64_t>(sizeof(float));
  finish_writing();
  if (add) {
    _tile_loadd(0, c, stride);
    _tile_loadd(1, c + kRows, stride);
    _tile_loadd(2, below, stride);
    _tile_loadd(3, below + kRows, stride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t d = 0; d < depths; ++d, a += 2 * kTileBytes, b += 2 * kTileBytes) {
    _tile_loadd(4, a, 64);
    _tile_loadd(5, a + kTileBytes, 64);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + kTileBytes, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c, stride);
  _tile_stored(1, c + kRows, stride);
  _tile_stored(2, below, stride);
  _tile_stored(3, below + kRows, stride);
  finish_writing();
}

// At the borders, in a block of its own.
void multiply_border(const char* a, const char* b, int64_t depths, float beta, float* c,
                     int64_t lead, int64_t rows, int64_t columns) {
  alignas(64) float block[kBlock * kBlock] = {};
  if (beta != 0)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) block[i * kBlock + j] = beta * c[i * lead + j];
  multiply_block(a, b, depths, beta != 0, block, kBlock * sizeof(float));
  for (int64_t i = 0; i < rows; ++i) std::copy_n(block + i * kBlock, columns, c + i * lead);
}

// The smaller operand is packed first, and read by all threads; a block of the larger one by the
// thread that multiplies it, so that it is in that core's cache.
struct Product {
  Operand rows, columns;
  char *left, *right;     // what is packed of them
  int64_t panel, depths;  // bytes and depths of a block's tiles
  float beta, *c;
  int64_t lead;

  bool by_columns() const { return columns.n >= rows.n; }
  int64_t shared() const { return ceil_div(std::min(rows.n, columns.n), kBlock); }
  int64_t parts() const { return ceil_div(std::max(rows.n, columns.n), kBlock); }

  void pack_left(int64_t i) const {
    pack_block(rows, i * kBlock, reinterpret_cast<Pairs*>(left + i * panel));
  }
  void pack_right(int64_t j) const {
    pack_block(columns, j * kBlock, reinterpret_cast<Pairs*>(right + j * panel));
  }
  void pack_shared(int64_t begin, int64_t end) const {
    for (int64_t i = begin; i < end; ++i) by_columns() ? pack_left(i) : pack_right(i);
  }
  GLASS_TILES void multiply(int64_t begin, int64_t end) const {
    const TileShapes shapes;
    load_shapes(shapes);
    for (int64_t part = begin; part < end; ++part)
      by_columns() ? pack_right(part) : pack_left(part);
    for (int64_t part = begin; part < end; ++part)
      for (int64_t i = 0; i < shared(); ++i)
        by_columns() ? multiply_at(i, part) : multiply_at(part, i);
    _tile_release();
  }
  void multiply_at(int64_t i, int64_t j) const {
    const char *above = left + i * panel, *beside = right + j * panel;
    const int64_t height = std::min(kBlock, rows.n - i * kBlock);
    const int64_t width = std::min(kBlock, columns.n - j * kBlock);
    float* const to = c + i * kBlock * lead + j * kBlock;
    if (height == kBlock && width == kBlock && (beta == 0 || beta == 1))
      multiply_block(above, beside, depths, beta == 1, to,
                     lead * static_cast<int64_t>(sizeof(float)));
    else
      multiply_border(above, beside, depths, beta, to, lead, height, width);
  }
};

void* allocate_or_null(size_t bytes) noexcept try {
  return pool_allocate(bytes);
} catch (const Error&) {
  return nullptr;
}

}  // namespace

bool multiply_bfloat16(Matrix<float> a, Matrix<float> b, float beta, float* c, int64_t lead,
                       int64_t m, int64_t n, int64_t k, bool split) noexcept {
  const int64_t depths = ceil_div(k, kDepth), panel = depths * 2 * kTileBytes;
  const int64_t high = ceil_div(m, kBlock), wide = ceil_div(n, kBlock);
  const auto bytes = static_cast<size_t>((high + wide) * panel);
  char* const left = static_cast<char*>(allocate_or_null(bytes));
  if (!left) return false;
  const Product product{{a.data, a.lead, m, k, !a.turned, false},
                        {b.data, b.lead, n, k, b.turned, true},
                        left,
                        left + high * panel,
                        panel,
                        depths,
                        beta,
                        c,
                        lead};
  const auto pack = [&](int64_t begin, int64_t end) { product.pack_shared(begin, end); };
  const auto multiply = [&](int64_t begin, int64_t end) { product.multiply(begin, end); };
  // Numbers packed and multiply-adds below which waking threads costs more than it saves.
  constexpr int64_t kSplitNumbers = 1 << 17, kSplitWork = 1 << 20;
  if (split && std::min(m, n) * k >= kSplitNumbers)
    parallel_for(product.shared(), 1, pack);
  else
    pack(0, product.shared());
  // One part for each thread, of large products several, which unequal threads share.
  constexpr int64_t kMostBlocks = 8;
  const int64_t parts = product.parts(), threads = num_threads();
  const int64_t each = std::min(kMostBlocks, ceil_div(parts, threads));
  if (split)
    parallel_for(parts, std::max(each, kSplitWork / (kBlock * std::min(m, n) * k) + 1), multiply);
  else
    multiply(0, parts);
  pool_free(left, bytes);
  return true;
}

#else

bool multiply_bfloat16(Matrix<float>, Matrix<float>, float, float*, int64_t, int64_t, int64_t,
                       int64_t, bool) noexcept {
  return false;
}

#endif

}  // namespace glass::cpu
