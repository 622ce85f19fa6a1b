#include "autograd/ops/arguments.h"

namespace glass {

Dims dims_argument(Replay& r, const char* name) {
  return Dims(r.integers(name, std::vector<int64_t>{}));
}

LossReduction reduction_argument(Replay& r) {
  const std::string name = r.text("reduction", "mean");
  if (name == "mean") return LossReduction::mean;
  if (name == "sum") return LossReduction::sum;
  if (name == "none") return LossReduction::none;
  fail(r.op, "reduction must be mean, sum or none", name);
}

void check_dtype_argument(Replay& r) {
  const DType dtype = r["input"].dtype();
  const std::string wanted = r.text("dtype", std::string(name_of(dtype)));
  if (wanted != name_of(dtype))
    fail(r.op, "does not convert its input", name_of(dtype), " to ", wanted);
}

}  // namespace glass
