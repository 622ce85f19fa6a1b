#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.h"

// Arithmetic on tensors, without history. Everything here checks its arguments, allocates the
// result and calls the kernel table of the tensor's device.
namespace glass {

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, double b);
Tensor sqrt(const Tensor& x);
Tensor abs(const Tensor& x);

/// Reductions over dims (none given: all). keepdim leaves sizes of 1 in their place.
Tensor sum(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor prod(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor amax(const Tensor& x, const Dims& dims = {}, bool keepdim = false);  ///< no elements: Error
Tensor amin(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
/// Index (int64) of the largest element along dim; the first of equals; NaN counts as largest.
Tensor argmax(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor argmin(const Tensor& x, int64_t dim, bool keepdim = false);  ///< NaN counts as smallest
/// Sums x to a shape that broadcasts to x's shape: what undoes broadcasting.
Tensor sum_to(const Tensor& x, const Shape& shape);
bool all_finite(const Tensor& x);

/// Running sums along dim; reverse: from the end.
Tensor cumsum(const Tensor& x, int64_t dim, bool reverse = false);
Tensor cumprod(const Tensor& x, int64_t dim);
/// dx_i = sum over k >= i of dy_k · (product of x up to k without x_i); exact where x is 0.
Tensor cumprod_backward(const Tensor& dy, const Tensor& x, int64_t dim);

/// Rows along dim: softmax, log_softmax.
Tensor softmax(const Tensor& x, int64_t dim);
Tensor log_softmax(const Tensor& x, int64_t dim);
/// log(sum(exp(x))) along dim, without overflow; a row of -infinity gives -infinity.
Tensor logsumexp(const Tensor& x, int64_t dim, bool keepdim = false);
/// dx = y·(dy - sum(dy·y)) along dim.
Tensor softmax_backward(const Tensor& dy, const Tensor& y, int64_t dim);
/// dx = dy - exp(y)·sum(dy) along dim.
Tensor log_softmax_backward(const Tensor& dy, const Tensor& y, int64_t dim);

/// Matrix product as in torch.matmul: 1-d operands are vectors, leading dims broadcast.
Tensor matmul(const Tensor& a, const Tensor& b);
/// c = a·b + beta·c for 2-d a [M, K], b [K, N], c [M, N] (any strides).
void gemm_into(const Tensor& a, const Tensor& b, double beta, const Tensor& c);

Tensor cat(std::span<const Tensor> tensors, int64_t dim = 0);
Tensor stack(std::span<const Tensor> tensors, int64_t dim = 0);

/// out[i][j] = x[i][index[i][j]] along dim; index is int64 and no larger than x on other dims.
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index);
/// A copy of x with src added at the places that gather would read.
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src);
/// The same in place; target must be dense.
void scatter_add_(const Tensor& target, int64_t dim, const Tensor& index, const Tensor& src);
/// The slices of x along dim that index (1-d, int64) names.
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
/// Adds to target (in place) along dim the slices of src at the places of index.
void index_add_(const Tensor& target, int64_t dim, const Tensor& index, const Tensor& src);

// For tensor.cpp: no checks, no version.
void fill_contiguous(const Tensor& out, double value);
void copy_elements(const Tensor& source,
                   const Tensor& target);  ///< same shape, any layout and type

}  // namespace glass
