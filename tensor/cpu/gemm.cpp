#include <cblas.h>

#include <algorithm>

#include "tensor/blas.h"
#include "tensor/cpu/gemm.h"
#include "tensor/cpu/gemm_bfloat16.h"
#include "tensor/cpu/kernels.h"
#include "tensor/ops.h"
#include "tensor/parallel.h"
#include "tensor/precision.h"

namespace glass::cpu {
namespace {

// A matrix as BLAS takes it: dense rows `lead` apart, or the transpose of such a matrix.
struct BlasMatrix {
  const void* data;
  CBLAS_TRANSPOSE transpose;
  int lead;
};

// Whether the 2-d layout is one that BLAS can read without a copy.
bool blas_layout(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                 CBLAS_TRANSPOSE& transpose, int64_t& lead) {
  if ((column_stride == 1 || columns == 1) && (row_stride >= columns || rows == 1)) {
    transpose = CblasNoTrans;
    lead = rows == 1 ? columns : row_stride;
  } else if ((row_stride == 1 || rows == 1) && (column_stride >= rows || columns == 1)) {
    transpose = CblasTrans;
    lead = columns == 1 ? rows : column_stride;
  } else {
    return false;
  }
  lead = std::max<int64_t>(lead, 1);
  return lead <= INT32_MAX;
}

// y = y·beta + M·x, or Mᵀ·x (turned), M [rows, columns] and the elements of x and y so far apart.
// What products of more vectors do, packing the matrix first, costs several times as much as
// reading it.
template <class T>
void multiply_vector(bool turned, int64_t rows, int64_t columns, const T* matrix, int64_t lead,
                     const T* x, int64_t ldx, T beta, T* y, int64_t ldy) {
  if (beta == 0)
    for (int64_t i = 0; i < (turned ? columns : rows); ++i) y[i * ldy] = 0;  // even NaN
  const auto t = turned ? CblasTrans : CblasNoTrans;
  const int m = static_cast<int>(rows), k = static_cast<int>(columns);
  const int l = static_cast<int>(lead), sx = static_cast<int>(ldx), sy = static_cast<int>(ldy);
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemv(CblasRowMajor, t, m, k, 1, matrix, l, x, sx, beta == 0 ? 1 : beta, y, sy);
  else
    cblas_dgemv(CblasRowMajor, t, m, k, 1, matrix, l, x, sx, beta == 0 ? 1 : beta, y, sy);
}

template <class T>
void call_blas(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int64_t m, int64_t n, int64_t k, const T* a,
               int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc) {
  const bool left = ta == CblasTrans, right = tb == CblasTrans;
  if (m == 1)
    return multiply_vector(!right, right ? n : k, right ? k : n, b, ldb, a, left ? lda : 1, beta, c,
                           1);
  if (n == 1)
    return multiply_vector(left, left ? k : m, left ? m : k, a, lda, b, right ? 1 : ldb, beta, c,
                           ldc);
  const int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  const int la = static_cast<int>(lda), lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemm(CblasRowMajor, ta, tb, im, in, ik, 1, a, la, b, lb, beta, c, lc);
  else
    cblas_dgemm(CblasRowMajor, ta, tb, im, in, ik, 1, a, la, b, lb, beta, c, lc);
}

// BLAS does not read c when beta is 0, but it must not skip the write when k is 0.
template <class T>
void multiply(const T* a, const int64_t* sa, const T* b, const int64_t* sb, T beta, T* c,
              int64_t ldc, int64_t m, int64_t n, int64_t k, bool split) {
  if (k == 0) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) c[i * ldc + j] = beta == 0 ? T(0) : beta * c[i * ldc + j];
    return;
  }
  CBLAS_TRANSPOSE ta = CblasNoTrans, tb = CblasNoTrans;
  int64_t lda = 1, ldb = 1;
  blas_layout(m, k, sa[0], sa[1], ta, lda);
  blas_layout(k, n, sb[0], sb[1], tb, ldb);
  if constexpr (std::is_same_v<T, float>)
    if (get_float32_matmul_precision() == MatmulPrecision::medium && suits_bfloat16(m, n, k) &&
        multiply_bfloat16({a, lda, ta == CblasTrans}, {b, ldb, tb == CblasTrans}, beta, c, ldc, m,
                          n, k, split))
      return;
  constexpr double kSplitWork = 1 << 19;  // multiply-adds per part below which waking threads loses
  if (!split || static_cast<double>(m) * n * k < 2 * kSplitWork) {
    call_blas(ta, tb, m, n, k, a, lda, b, ldb, beta, c, ldc);
    return;
  }
  // Parts of whole rows or whole columns of c; multiples of 16 suit the kernels' tiles.
  const bool by_rows = m >= n;
  const int64_t length = by_rows ? m : n, other = by_rows ? n : m;
  const int64_t threads = num_threads();
  int64_t part = (ceil_div(length, threads) + 15) / 16 * 16;
  part = std::max(part, static_cast<int64_t>(kSplitWork / (static_cast<double>(other) * k)));
  const int64_t parts = ceil_div(length, part);
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i * part, count = std::min(part, length - first);
      if (by_rows)
        call_blas(ta, tb, count, n, k, a + first * sa[0], lda, b, ldb, beta, c + first * ldc, ldc);
      else
        call_blas(ta, tb, m, count, k, a, lda, b + first * sb[1], ldb, beta, c + first, ldc);
    }
  });
}

bool readable(const Tensor& x) {
  CBLAS_TRANSPOSE transpose;
  int64_t lead;
  const int n = x.ndim();
  return blas_layout(x.shape()[n - 2], x.shape()[n - 1], x.strides()[n - 2], x.strides()[n - 1],
                     transpose, lead);
}

void check_sizes(const Tensor& a, const Tensor& c) {
  if (std::max({a.size(-1), c.size(-1), c.size(-2)}) > INT32_MAX)
    fail("matmul", "too large for BLAS", a.shape(), " into ", c.shape());
}

}  // namespace

template <class T>
void multiply_here(Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t lead, int64_t m, int64_t n,
                   int64_t k) {
  prepare_blas();
  const int64_t sa[] = {a.turned ? 1 : a.lead, a.turned ? a.lead : 1};
  const int64_t sb[] = {b.turned ? 1 : b.lead, b.turned ? b.lead : 1};
  if (m > 0 && n > 0) multiply<T>(a.data, sa, b.data, sb, beta, c, lead, m, n, k, false);
}
template void multiply_here(Matrix<float>, Matrix<float>, float, float*, int64_t, int64_t, int64_t,
                            int64_t);
template void multiply_here(Matrix<double>, Matrix<double>, double, double*, int64_t, int64_t,
                            int64_t, int64_t);

void gemm(const Tensor& a, const Tensor& b, double beta, const Tensor& c) {
  if (c.numel() == 0) return;
  check_sizes(a, c);
  prepare_blas();
  if (c.strides()[1] != 1 && c.strides()[0] == 1)
    return gemm(b.transpose(0, 1), a.transpose(0, 1), beta, c.transpose(0, 1));
  if (c.shape()[1] > 1 && (c.strides()[1] != 1 || c.strides()[0] < c.shape()[1])) {
    const Tensor dense = c.clone();
    gemm(a, b, beta, dense);
    copy(dense, c);
    return;
  }
  const Tensor left = readable(a) ? a : a.clone(), right = readable(b) ? b : b.clone();
  visit_floating("matmul", c.dtype(), [&]<class T>(T) {
    multiply<T>(left.data<T>(), left.strides().begin(), right.data<T>(), right.strides().begin(),
                static_cast<T>(beta), c.data<T>(),
                c.shape()[0] == 1 ? c.shape()[1] : c.strides()[0], c.shape()[0], c.shape()[1],
                a.shape()[1], true);
  });
}

void gemm_batched(const Tensor& a, const Tensor& b, double beta, const Tensor& c) {
  const int64_t batch = c.shape()[0], m = c.shape()[1], n = c.shape()[2], k = a.shape()[2];
  if (c.numel() == 0) return;
  check_sizes(a, c);
  if (!c.is_contiguous()) fail_bug("matmul", "a batched product writes dense results only");
  const double work = static_cast<double>(m) * n * std::max<int64_t>(k, 1);
  if (batch == 1 || (batch < num_threads() && work > (1 << 20))) {
    for (int64_t i = 0; i < batch; ++i) gemm(a.select(0, i), b.select(0, i), beta, c.select(0, i));
    return;
  }
  prepare_blas();
  const Tensor left = readable(a) ? a : a.clone(), right = readable(b) ? b : b.clone();
  visit_floating("matmul", c.dtype(), [&]<class T>(T) {
    const T *pa = left.data<T>(), *pb = right.data<T>();
    T* pc = c.data<T>();
    const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>((1 << 17) / work));
    parallel_for(batch, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        multiply<T>(pa + i * left.strides()[0], left.strides().begin() + 1,
                    pb + i * right.strides()[0], right.strides().begin() + 1, static_cast<T>(beta),
                    pc + i * m * n, n, m, n, k, false);
    });
  });
}

}  // namespace glass::cpu
