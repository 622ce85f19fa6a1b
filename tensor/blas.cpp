#include "tensor/blas.h"

extern "C" {
char* openblas_get_config() __attribute__((weak));
char* openblas_get_corename() __attribute__((weak));
}

namespace glass {

std::string blas_description() {
  if (!openblas_get_config) return "unknown BLAS";
  std::string text = openblas_get_config();
  if (openblas_get_corename) text += std::string(", kernel ") + openblas_get_corename();
  return text;
}

}  // namespace glass
