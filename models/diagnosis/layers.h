#pragma once

#include <string>

namespace glass {

/// The layer of a parameter: "encoder.rnn.weight_hh_l0" -> "encoder.rnn".
inline std::string layer_of(const std::string& parameter) {
  const size_t dot = parameter.rfind('.');
  return dot == std::string::npos ? parameter : parameter.substr(0, dot);
}

}  // namespace glass
