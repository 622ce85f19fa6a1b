#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "models/seq2seq/translator.h"

namespace glass {

/// A complete model, as small as its parts allow.
struct WholeModel {
  std::string name;
  std::function<std::unique_ptr<Translator>()> make;
  bool reads_pictures = false;
};

/// Every kind of translator (each attention, scope, cell and encoder) and of captioner. Without
/// hard attention: its REINFORCE term is an estimator, not the derivative of the loss.
std::vector<WholeModel> whole_models();

/// The gradient of the loss of a batch of padded sentences by every parameter, in float64 and along
/// random directions over all parameters and over each alone. What a model draws is the same at
/// every call.
GradReport check_model(const WholeModel& model);

}  // namespace glass
