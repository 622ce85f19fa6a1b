#pragma once

#include "tensor/kernels.h"

// The CPU's entries of the kernel table; each file of this folder implements its family.
namespace glass::cpu {

void fill(const Tensor& out, double value);
void copy(const Tensor& source, const Tensor& target);

void reduce(Reduction kind, const Tensor& x, Axis3 axis, const Tensor& out);
void arg_extreme(bool largest, const Tensor& x, Axis3 axis, const Tensor& out);
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

void scan(Scan kind, const Tensor& x, Axis3 axis, bool reverse, const Tensor& out);
void cumprod_backward(const Tensor& dy, const Tensor& x, Axis3 axis, const Tensor& dx);
void dropout(const Tensor& x, const DropoutDraw& draw, const Tensor& out);

void lstm_step(const LstmStep& step);
void lstm_step_backward(const LstmStepBackward& step);
void gru_step(const GruStep& step);
void gru_step_backward(const GruStepBackward& step);

void masked_softmax(const Tensor& x, const Tensor& allowed, const Tensor& out);
void masked_softmax_backward(const Tensor& dy, const Tensor& y, const Tensor& allowed,
                             const Tensor& dx);
void additive_attention(const AttentionForward& f);
void additive_attention_backward(const AttentionBackward& g);
void chunked_attention(const ChunkedForward& f);
void chunked_attention_backward(const ChunkedBackward& g);
void any_query(const Tensor& allowed, const Tensor& out);

void window_scores(const Tensor& query, const Tensor& keys, const Tensor& start,
                   const Tensor& scores);
void window_sum(const Tensor& weights, const Tensor& values, const Tensor& start,
                const Tensor& sums);
void window_outer(const Tensor& weights, const Tensor& query, const Tensor& start,
                  const Tensor& keys);
void window_gather(const Tensor& keys, const Tensor& start, const Tensor& windows);
void window_scatter(const Tensor& windows, const Tensor& start, const Tensor& keys);

void monotonic_attention(const Tensor& p, const Tensor& previous, const Tensor& weights);
void monotonic_attention_backward(const Tensor& dy, const Tensor& p, const Tensor& previous,
                                  const Tensor& weights, const Tensor& dp,
                                  const Tensor& d_previous);

void cross_entropy(const CrossEntropyRows& rows, const Tensor& loss, double factor,
                   const Tensor& dx);
void cross_entropy_backward(const CrossEntropyRows& rows, const Tensor& up, double factor,
                            const Tensor& dx);

void convolution(const Convolution& c, const Tensor& bias);
void convolution_input(const Convolution& c);
void convolution_weight(const Convolution& c);

void max_pool(const Tensor& x, const Pool& pool, const Tensor& y, const Tensor& indices);
void avg_pool(const Tensor& x, const Pool& pool, const Tensor& y);
void avg_pool_backward(const Tensor& dy, const Pool& pool, const Tensor& dx);

void normalize(const Normalization& n);
void normalize_backward(const NormalizationBackward& n);

void sgd_step(const SgdStep& step);
void adam_step(const AdamStep& step);
double power_sum(const Tensor& x, double p, double scale);

}  // namespace glass::cpu
