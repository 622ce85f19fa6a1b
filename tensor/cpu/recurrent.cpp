#include "tensor/recurrent.h"

#include <algorithm>

#include "tensor/cpu/kernels.h"
#include "tensor/cpu/loops.h"
#include "tensor/parallel.h"

namespace glass::cpu {
namespace {

constexpr int64_t kColumns = 64;  // units per part of the work

template <class T>
T* at(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

bool takes_part(const int64_t* lengths, int64_t b, int64_t t) { return !lengths || t < lengths[b]; }

// Calls f(b, first, count) for every row and block of columns.
template <class F>
void for_rows_and_columns(int64_t rows, int64_t columns, const F& f) {
  const int64_t blocks = ceil_div(columns, kColumns);
  parallel_for(rows * blocks, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * kColumns;
      f(i / blocks, first, std::min(kColumns, columns - first));
    }
  });
}

// Calls f(first, count) for every block of columns: what is summed over rows belongs to one thread.
template <class F>
void for_columns(int64_t columns, const F& f) {
  const int64_t blocks = ceil_div(columns, kColumns);
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kColumns;
    f(first, std::min(end * kColumns, columns) - first);
  });
}

template <class T>
struct LstmRow {
  const T* gates;
  const T* bias;
  T* activated;
  const T* c_before;
  T *c, *h;
  int64_t hidden;
};

// i, f, o = σ(·), g = tanh(·);  c = f·c_before + i·g;  h = o·tanh(c)
template <class T, bool biased>
GLASS_CLONES void lstm_row(const LstmRow<T>& row, int64_t n) {
  const int64_t H = row.hidden;
  const T *x = row.gates, *bias = row.bias, *before = row.c_before;
  T *y = row.activated, *c = row.c, *h = row.h;
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const T i = sigmoid(x[j] + (biased ? bias[j] : T(0)));
    const T f = sigmoid(x[H + j] + (biased ? bias[H + j] : T(0)));
    const T g = tanh(x[2 * H + j] + (biased ? bias[2 * H + j] : T(0)));
    const T o = sigmoid(x[3 * H + j] + (biased ? bias[3 * H + j] : T(0)));
    y[j] = i;
    y[H + j] = f;
    y[2 * H + j] = g;
    y[3 * H + j] = o;
    const T cell = f * before[j] + i * g;
    c[j] = cell;
    h[j] = o * tanh(cell);
  }
}

template <class T>
struct LstmRowBackward {
  const T *activated, *c, *c_before, *d_output;
  T *dh, *dc, *d_gates;
  int64_t hidden;
};

// do = dh·tanh(c), dc += dh·o·(1 - tanh²(c));  di = dc·g, df = dc·c_before, dg = dc·i;
// each times the slope of its activation;  dc_before = dc·f
template <class T, bool has_output, bool has_state>
GLASS_CLONES void lstm_row_backward(const LstmRowBackward<T>& row, int64_t n) {
  const int64_t H = row.hidden;
  const T *y = row.activated, *c = row.c, *before = row.c_before, *up = row.d_output;
  T *dh = row.dh, *dc = row.dc, *d = row.d_gates;
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const T i = y[j], f = y[H + j], g = y[2 * H + j], o = y[3 * H + j];
    const T squashed = tanh(c[j]);
    T h = 0;
    if constexpr (has_output) h += up[j];
    if constexpr (has_state) {
      h += dh[j];
      dh[j] = 0;
    }
    const T cell = dc[j] + h * o * (1 - squashed * squashed);
    d[j] = cell * g * i * (1 - i);
    d[H + j] = cell * before[j] * f * (1 - f);
    d[2 * H + j] = cell * i * (1 - g * g);
    d[3 * H + j] = h * squashed * o * (1 - o);
    dc[j] = cell * f;
  }
}

template <class T>
struct GruRow {
  const T *x_gates, *h_gates, *x_bias, *h_bias;
  T* activated;
  const T* h_before;
  T* h;
  int64_t hidden;
};

// r, z = σ(x + h);  n = tanh(x_n + r·h_n);  h' = (1 - z)·n + z·h
template <class T, bool biased>
GLASS_CLONES void gru_row(const GruRow<T>& row, int64_t n) {
  const int64_t H = row.hidden;
  const T *x = row.x_gates, *u = row.h_gates, *bx = row.x_bias, *bh = row.h_bias;
  const T* before = row.h_before;
  T *y = row.activated, *h = row.h;
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const T r = sigmoid(x[j] + u[j] + (biased ? bx[j] + bh[j] : T(0)));
    const T z = sigmoid(x[H + j] + u[H + j] + (biased ? bx[H + j] + bh[H + j] : T(0)));
    const T state = u[2 * H + j] + (biased ? bh[2 * H + j] : T(0));
    const T fresh = tanh(x[2 * H + j] + (biased ? bx[2 * H + j] : T(0)) + r * state);
    y[j] = r;
    y[H + j] = z;
    y[2 * H + j] = fresh;
    y[3 * H + j] = state;
    h[j] = fresh + z * (before[j] - fresh);
  }
}

template <class T>
struct GruRowBackward {
  const T *activated, *h_before, *d_output;
  T *dh, *d_gates;
  int64_t hidden;
};

// dn = dh·(1 - z)·(1 - n²), dz = dh·(h_before - n)·z·(1 - z), dr = dn·h_n·r·(1 - r), dh_n = dn·r;
// dh_before = dh·z, and what flows through the products
template <class T, bool has_output>
GLASS_CLONES void gru_row_backward(const GruRowBackward<T>& row, int64_t count) {
  const int64_t H = row.hidden;
  const T *y = row.activated, *before = row.h_before, *up = row.d_output;
  T *dh = row.dh, *d = row.d_gates;
#pragma omp simd
  for (int64_t j = 0; j < count; ++j) {
    const T r = y[j], z = y[H + j], n = y[2 * H + j], state = y[3 * H + j];
    T h = dh[j];
    if constexpr (has_output) h += up[j];
    const T dn = h * (1 - z) * (1 - n * n);
    d[j] = dn * state * r * (1 - r);
    d[H + j] = h * (before[j] - n) * z * (1 - z);
    d[2 * H + j] = dn * r;
    d[3 * H + j] = dn;
    dh[j] = h * z;
  }
}

template <class T>
GLASS_CLONES void accumulate_row(T* sum, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) sum[j] += x[j];
}

template <class T>
void accumulate_blocks(T* sum, const T* x, int64_t blocks, int64_t hidden, int64_t n) {
  for (int64_t k = 0; k < blocks; ++k) accumulate_row(sum + k * hidden, x + k * hidden, n);
}

template <class T>
void zero_blocks(T* x, int64_t blocks, int64_t hidden, int64_t n) {
  for (int64_t k = 0; k < blocks; ++k) std::fill_n(x + k * hidden, n, T(0));
}

}  // namespace

void lstm_step(const LstmStep& s) {
  visit_floating("lstm", s.gates.dtype(), [&]<class T>(T) {
    const int64_t rows = s.c.shape()[0], H = s.c.shape()[1];
    const int64_t* lengths = at<int64_t>(s.lengths);
    const T *gates = at<T>(s.gates), *bias = at<T>(s.bias), *before = at<T>(s.c_before);
    T *activated = at<T>(s.activated), *c = at<T>(s.c), *h = at<T>(s.h);
    T *output = at<T>(s.output), *cells = at<T>(s.cells);
    for_rows_and_columns(rows, H, [&](int64_t b, int64_t first, int64_t n) {
      const int64_t place = b * H + first, wide = b * 4 * H + first;
      if (!takes_part(lengths, b, s.t)) {
        if (output) std::fill_n(output + place, n, T(0));
        return;
      }
      const LstmRow<T> row{gates + wide,
                           bias ? bias + first : nullptr,
                           activated + wide,
                           before + place,
                           c + place,
                           h + place,
                           H};
      bias ? lstm_row<T, true>(row, n) : lstm_row<T, false>(row, n);
      if (output) std::copy_n(h + place, n, output + place);
      if (cells) std::copy_n(c + place, n, cells + place);
    });
  });
}

void lstm_step_backward(const LstmStepBackward& s) {
  visit_floating("lstm", s.activated.dtype(), [&]<class T>(T) {
    const int64_t rows = s.c.shape()[0], H = s.c.shape()[1];
    const int64_t* lengths = at<int64_t>(s.lengths);
    const T *activated = at<T>(s.activated), *c = at<T>(s.c), *up = at<T>(s.d_output);
    const T *start = at<T>(s.c_start), *before = at<T>(s.c_before);
    T *dh = at<T>(s.dh), *dc = at<T>(s.dc), *d_gates = at<T>(s.d_gates), *d_bias = at<T>(s.d_bias);
    const auto function = up && dh ? lstm_row_backward<T, true, true>
                          : up     ? lstm_row_backward<T, true, false>
                                   : lstm_row_backward<T, false, true>;
    for_columns(H, [&](int64_t first, int64_t n) {
      for (int64_t b = 0; b < rows; ++b) {
        const int64_t place = b * H + first, wide = b * 4 * H + first;
        if (!takes_part(lengths, b, s.t)) {
          zero_blocks(d_gates + wide, 4, H, n);
          continue;
        }
        const bool begins = !before || (s.reverse ? lengths && s.t == lengths[b] - 1 : s.t == 0);
        const LstmRowBackward<T> row{activated + wide,
                                     c + place,
                                     (begins ? start : before) + place,
                                     up ? up + place : nullptr,
                                     dh ? dh + place : nullptr,
                                     dc + place,
                                     d_gates + wide,
                                     H};
        function(row, n);
        if (d_bias) accumulate_blocks(d_bias + first, d_gates + wide, 4, H, n);
      }
    });
  });
}

void gru_step(const GruStep& s) {
  visit_floating("gru", s.h.dtype(), [&]<class T>(T) {
    const int64_t rows = s.h.shape()[0], H = s.h.shape()[1];
    const int64_t* lengths = at<int64_t>(s.lengths);
    const T *x_gates = at<T>(s.x_gates), *h_gates = at<T>(s.h_gates);
    const T *x_bias = at<T>(s.x_bias), *h_bias = at<T>(s.h_bias), *before = at<T>(s.h_before);
    T *activated = at<T>(s.activated), *h = at<T>(s.h), *output = at<T>(s.output);
    for_rows_and_columns(rows, H, [&](int64_t b, int64_t first, int64_t n) {
      const int64_t place = b * H + first, narrow = b * 3 * H + first;
      if (!takes_part(lengths, b, s.t)) {
        if (output) std::fill_n(output + place, n, T(0));
        return;
      }
      const GruRow<T> row{x_gates + narrow,
                          h_gates + narrow,
                          x_bias ? x_bias + first : nullptr,
                          x_bias ? h_bias + first : nullptr,
                          activated + b * 4 * H + first,
                          before + place,
                          h + place,
                          H};
      x_bias ? gru_row<T, true>(row, n) : gru_row<T, false>(row, n);
      if (output) std::copy_n(h + place, n, output + place);
    });
  });
}

void gru_step_backward(const GruStepBackward& s) {
  visit_floating("gru", s.activated.dtype(), [&]<class T>(T) {
    const int64_t rows = s.dh.shape()[0], H = s.dh.shape()[1];
    const int64_t* lengths = at<int64_t>(s.lengths);
    const T *activated = at<T>(s.activated), *up = at<T>(s.d_output);
    const T *start = at<T>(s.h_start), *before = at<T>(s.h_before);
    T *dh = at<T>(s.dh), *d_gates = at<T>(s.d_gates), *d_bias = at<T>(s.d_bias);
    const auto function = up ? gru_row_backward<T, true> : gru_row_backward<T, false>;
    for_columns(H, [&](int64_t first, int64_t n) {
      for (int64_t b = 0; b < rows; ++b) {
        const int64_t place = b * H + first, wide = b * 4 * H + first;
        if (!takes_part(lengths, b, s.t)) {
          zero_blocks(d_gates + wide, 4, H, n);
          continue;
        }
        const bool begins = !before || (s.reverse ? lengths && s.t == lengths[b] - 1 : s.t == 0);
        const GruRowBackward<T> row{activated + wide,
                                    (begins ? start : before) + place,
                                    up ? up + place : nullptr,
                                    dh + place,
                                    d_gates + wide,
                                    H};
        function(row, n);
        if (d_bias) accumulate_blocks(d_bias + first, d_gates + wide, 4, H, n);
      }
    });
  });
}

}  // namespace glass::cpu
