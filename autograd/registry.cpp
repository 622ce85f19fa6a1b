#include "autograd/registry.h"

#include "autograd/ops/table.h"

namespace glass {
namespace {

// Real numbers are drawn in float32, so that they are the same in both types.
Tensor draw(const Input& input, Generator& generator, DType dtype) {
  switch (input.kind) {
    case Input::Kind::integer:
      return randint(static_cast<int64_t>(input.low), static_cast<int64_t>(input.high), input.shape,
                     generator);
    case Input::Kind::boolean:
      return bernoulli(input.shape, 0.5, generator);
    default:
      return uniform(input.shape, input.low, input.high, kFloat32, generator).to(dtype);
  }
}

}  // namespace

Vars make_inputs(const Sample& sample, Generator& generator, DType dtype) {
  Vars made;
  for (const Input& input : sample.inputs) {
    const bool real = input.kind == Input::Kind::real;
    const DType type = real ? dtype : input.kind == Input::Kind::integer ? kInt64 : kBool;
    const Tensor value = input.values.empty() ? draw(input, generator, dtype)
                                              : Tensor::from(input.values, input.shape).to(type);
    made.emplace_back(value, real && input.requires_grad);
  }
  return made;
}

const std::vector<Entry>& op_entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> joined;
    for (const auto& table :
         {arithmetic_ops, comparison_ops,    activation_ops, reduction_ops,  softmax_ops,
          scan_ops,       shape_ops,         part_ops,       matmul_ops,     convolution_ops,
          pooling_ops,    normalization_ops, indexing_ops,   dropout_ops,    cross_entropy_ops,
          loss_ops,       linalg_ops,        statistics_ops, rearrange_ops,  order_ops,
          pad_ops,        getitem_ops,       gated_ops,      divergence_ops, distance_ops,
          lstm_ops,       gru_ops,           attention_ops,  window_ops,     monotonic_ops,
          chunked_ops})
      for (Entry& entry : table()) joined.push_back(std::move(entry));
    return joined;
  }();
  return all;
}

}  // namespace glass

template class std::vector<glass::Input>;
template class std::vector<glass::Sample>;
template class std::vector<glass::ErrorRow>;
template class std::vector<glass::Entry>;
