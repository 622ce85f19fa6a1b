#pragma once

#include "tensor/kernels.h"

// The CPU's entries of the kernel table; each file of this folder implements its family.
namespace glass::cpu {

void fill(const Tensor& out, double value);
void copy(const Tensor& source, const Tensor& target);

void reduce(Reduction kind, const Tensor& x, Axis3 axis, const Tensor& out);
void argmax(const Tensor& x, Axis3 axis, const Tensor& out);
bool all_finite(const Tensor& x);

void rows(RowFunction kind, const Tensor& x, const Tensor& out);
void rows_backward(RowFunction kind, const Tensor& dy, const Tensor& y, const Tensor& dx);
void logsumexp(const Tensor& x, const Tensor& out);

void gemm(const Tensor& a, const Tensor& b, double beta, const Tensor& c);
void gemm_batched(const Tensor& a, const Tensor& b, double beta, const Tensor& c);

void index_select(const Tensor& x, Axis3 axis, const Tensor& index, const Tensor& out);
void index_add(const Tensor& out, Axis3 axis, const Tensor& index, const Tensor& src);
void gather(const Tensor& x, int dim, const Tensor& index, const Tensor& out);
void scatter_add(const Tensor& out, int dim, const Tensor& index, const Tensor& src);

}  // namespace glass::cpu
