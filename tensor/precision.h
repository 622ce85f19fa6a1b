#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glass {

/// How products of float32 matrices are computed (PyTorch's torch.set_float32_matmul_precision):
///   highest  in float32
///   medium   operands of large products rounded to bfloat16 (8 bits of mantissa; what is above
///            3.39e38 becomes infinite), their products added up in float32; several times as fast
///            on processors with units for it (has_bfloat16_units), on others the same as highest.
///            What is stored stays float32, and so do vectors and products too small to gain by it.
/// That includes the products inside convolutions, recurrent layers and attention. Products of
/// float64 are always float64.
enum class MatmulPrecision { highest, medium };

/// Of all threads of the process; at first highest.
void set_float32_matmul_precision(MatmulPrecision precision);
MatmulPrecision get_float32_matmul_precision();

const std::vector<std::string>& matmul_precision_names();
std::string_view name(MatmulPrecision precision);
/// Throws Error for a name that is none.
MatmulPrecision matmul_precision_named(std::string_view name);

/// Whether this processor multiplies bfloat16 matrices (AMX), and the system lets us: Linux 5.16 or
/// later is asked the first time, and from then on refuses this process signal stacks
/// (sigaltstack) that cannot hold the unit's registers, 16 KB; it refuses the unit where there is
/// such a stack already.
bool has_bfloat16_units();

/// For a while: what was set before is set again at the end. Of the whole process: not for threads
/// that want different precisions at the same time.
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
