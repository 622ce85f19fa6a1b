// Matrix products by the tile unit of x86 processors (AMX): 16×32 times 32×16 bfloat16 numbers at
// once, added to a tile of 16×16 float32.
//
// Operands are packed into such tiles of 16 rows of 64 bytes first. In a row of a left tile stand
// 32 consecutive elements along k; in row p of a right tile the elements k = 2p and 2p + 1 of each
// of 16 columns. Seen as 16×16 pairs, one is the transpose of the other: so there are two ways to
// read a tile, along k or across, and the one that memory does not have is the other's transpose.
#include "tensor/cpu/gemm_bfloat16.h"

#include <algorithm>

#include "tensor/memory.h"
#include "tensor/precision.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define GLASS_TILES \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))
#endif

namespace glass::cpu {

bool suits_bfloat16(int64_t m, int64_t n, int64_t k) {
  // Below, packing costs more than it saves.
  constexpr int64_t kLeastSide = 16, kLeastDepth = 64, kLeastWork = int64_t{1} << 18;
  return std::min(m, n) >= kLeastSide && k >= kLeastDepth && m * n * k >= kLeastWork &&
         has_bfloat16_units();
}

#if defined(__x86_64__)

namespace {

constexpr int64_t kRows = 16, kDepth = 32, kBlock = 2 * kRows;
constexpr int64_t kTileBytes = 1024;

int64_t block_count(int64_t n, int64_t block) { return (n + block - 1) / block; }

// The first n of 16, none when n < 0.
__mmask16 lanes(int64_t n) {
  return static_cast<__mmask16>((1U << std::clamp<int64_t>(n, 0, 16)) - 1);
}

// A 16×16 matrix of pairs, row r at out + 16 r.
using Pairs = uint32_t;

// Rows of 32 elements along k: rows and depth are how many there are, what lacks is 0.
GLASS_TILES void read_along(const float* x, int64_t lead, int64_t rows, int64_t depth, Pairs* out) {
  const __mmask16 low = lanes(depth), high = lanes(depth - 16);
  for (int64_t r = 0; r < kRows; ++r) {
    __m512i row = _mm512_setzero_si512();
    if (r < rows) {
      const __m512 a = _mm512_maskz_loadu_ps(low, x + r * lead);
      const __m512 b = _mm512_maskz_loadu_ps(high, x + r * lead + 16);
      row = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(b, a));
    }
    _mm512_storeu_si512(out + r * 16, row);
  }
}

// Row p: the elements 2p and 2p + 1 along k of each of 16 columns, which lie side by side.
GLASS_TILES void read_across(const float* x, int64_t lead, int64_t columns, int64_t depth,
                             Pairs* out) {
  const __mmask16 mask = lanes(columns);
  alignas(64) uint16_t order[32];
  for (uint16_t i = 0; i < 16; ++i) {
    order[2 * i] = i;
    order[2 * i + 1] = static_cast<uint16_t>(16 + i);
  }
  const __m512i interleave = _mm512_load_si512(order);
  for (int64_t p = 0; p < 16; ++p) {
    const auto row = [&](int64_t k) GLASS_TILES {
      return _mm512_maskz_loadu_ps(k < depth ? mask : __mmask16{0}, x + k * lead);
    };
    const __m512i both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(row(2 * p + 1), row(2 * p)));
    _mm512_storeu_si512(out + p * 16, _mm512_permutexvar_epi16(interleave, both));
  }
}

// Swaps the off-diagonal quarters of all blocks of 2 S × 2 S.
template <int S>
GLASS_TILES inline void swap_quarters(__m512i* rows) {
  alignas(64) uint32_t upper[16], lower[16];  // lane l of the first row, lane 16 + l of the second
  for (uint32_t l = 0; l < 16; ++l) {
    upper[l] = (l & S) ? 16 + l - S : l;
    lower[l] = (l & S) ? 16 + l : l + S;
  }
  const __m512i first = _mm512_load_si512(upper), second = _mm512_load_si512(lower);
  for (int i = 0; i < 16; ++i) {
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

// Tiles of the n rows of a left operand, or columns of a right one, two at each depth, one depth
// after the other. along: elements along k lie side by side in memory.
GLASS_TILES void pack_tiles(const float* x, int64_t lead, bool along, bool right, int64_t n,
                            int64_t k, Pairs* out) {
  for (int64_t i = 0; i < n; i += kBlock)
    for (int64_t d = 0; d < k; d += kDepth)
      for (int64_t j = i; j < i + kBlock; j += kRows, out += kRows * 16) {
        const int64_t rows = n - j, depth = k - d;
        if (rows <= 0) {
          std::fill_n(out, kRows * 16, 0U);
        } else if (along) {
          read_along(x + j * lead + d, lead, rows, depth, out);
        } else {
          read_across(x + d * lead + j, lead, rows, depth, out);
        }
        if (rows > 0 && along == right) turn(out);
      }
}

struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// c = a·b + c (or a·b) for 32×32 results in rows stride bytes apart: tiles 0 to 3 are the quarters.
GLASS_TILES void multiply_block(const char* a, const char* b, int64_t depths, bool add, float* c,
                                int64_t stride) {
  float* const below = c + kRows * stride / static_cast<int64_t>(sizeof(float));
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

}  // namespace

GLASS_TILES void multiply_bfloat16(Matrix<float> a, Matrix<float> b, float beta, float* c,
                                   int64_t lead, int64_t m, int64_t n, int64_t k) {
  const int64_t depths = block_count(k, kDepth), panel = depths * 2 * kTileBytes;
  const size_t left_bytes = static_cast<size_t>(block_count(m, kBlock) * panel);
  const size_t bytes = left_bytes + static_cast<size_t>(block_count(n, kBlock) * panel);
  char* const left = static_cast<char*>(pool_allocate(bytes));
  char* const right = left + left_bytes;
  pack_tiles(a.data, a.lead, !a.turned, false, m, k, reinterpret_cast<Pairs*>(left));
  pack_tiles(b.data, b.lead, b.turned, true, n, k, reinterpret_cast<Pairs*>(right));
  const TileShapes shapes;
  _tile_loadconfig(&shapes);
  for (int64_t j = 0; j < n; j += kBlock)
    for (int64_t i = 0; i < m; i += kBlock) {
      const char *above = left + i / kBlock * panel, *beside = right + j / kBlock * panel;
      const int64_t rows = std::min(kBlock, m - i), columns = std::min(kBlock, n - j);
      float* const at = c + i * lead + j;
      if (rows == kBlock && columns == kBlock && (beta == 0 || beta == 1))
        multiply_block(above, beside, depths, beta == 1, at,
                       lead * static_cast<int64_t>(sizeof(float)));
      else
        multiply_border(above, beside, depths, beta, at, lead, rows, columns);
    }
  _tile_release();
  pool_free(left, bytes);
}

#else

void multiply_bfloat16(Matrix<float>, Matrix<float>, float, float*, int64_t, int64_t, int64_t,
                       int64_t) {}

#endif

}  // namespace glass::cpu
