#include "nn/table.h"

namespace glass {

const std::vector<Entry>& nn_entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> joined;
    for (const auto& table : {linear_entries,
                              embedding_entries,
                              dropout_entries,
                              loss_entries,
                              lstm_entries,
                              gru_entries,
                              attention_entries,
                              attention_loss_entries,
                              kernel_pooling_entries,
                              layer_norm_entries,
                              group_norm_entries,
                              batch_norm_entries,
                              instance_norm_entries,
                              convolution_entries,
                              pooling_entries,
                              prelu_entries,
                              bilinear_entries,
                              elman_entries,
                              multihead_attention_entries,
                              transformer_entries})
      for (Entry& entry : table()) joined.push_back(std::move(entry));
    return joined;
  }();
  return all;
}

}  // namespace glass
