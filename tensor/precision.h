#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glass {

/// How products of float32 matrices are computed (PyTorch's torch.set_float32_matmul_precision):
///   highest  in float32
///   medium   operands rounded to bfloat16 (8 bits of mantissa), their products added up in
///            float32; several times as fast on processors with units for it (has_bfloat16_units),
///            on others the same as highest. What is stored stays float32.
/// Products of float64 are always float64.
enum class MatmulPrecision { highest, medium };

/// Of all threads of the process; at first highest.
void set_float32_matmul_precision(MatmulPrecision precision);
MatmulPrecision get_float32_matmul_precision();

const std::vector<std::string>& matmul_precision_names();
std::string_view name(MatmulPrecision precision);
/// Throws Error for a name that is none.
MatmulPrecision matmul_precision_named(std::string_view name);

/// Whether this processor multiplies bfloat16 matrices (AMX), and the system lets us.
bool has_bfloat16_units();

/// For a while: what was set before is set again at the end.
class MatmulPrecisionGuard {
 public:
  explicit MatmulPrecisionGuard(MatmulPrecision precision)
      : before_(get_float32_matmul_precision()) {
    set_float32_matmul_precision(precision);
  }
  ~MatmulPrecisionGuard() { set_float32_matmul_precision(before_); }
  MatmulPrecisionGuard(const MatmulPrecisionGuard&) = delete;
  MatmulPrecisionGuard& operator=(const MatmulPrecisionGuard&) = delete;

 private:
  MatmulPrecision before_;
};

}  // namespace glass
