#include "autograd/ops/arguments.h"

#include "autograd/ops/shape.h"

namespace glass {

Dims dims_argument(Replay& r, const char* name) {
  return Dims(r.integers(name, std::vector<int64_t>{}));
}

int64_t number_of_axis(const char* op, const char* what, const Dims& list, size_t axis, size_t axes,
                       int64_t least) {
  if (list.size() != 1 && list.size() != static_cast<int>(axes))
    fail(op, "needs one number, or one per axis", what, " ", list);
  const int64_t n = list[list.size() == 1 ? 0 : static_cast<int>(axis)];
  if (n < least) fail(op, "a number is too small", what, " ", n, ", must be at least ", least);
  return n;
}

LossReduction reduction_argument(Replay& r) {
  const std::string name = r.text("reduction", "mean");
  if (name == "mean") return LossReduction::mean;
  if (name == "sum") return LossReduction::sum;
  if (name == "none") return LossReduction::none;
  fail(r.op, "reduction must be mean, sum or none", name);
}

Var converted_input(Replay& r) {
  const Var x = r["input"];
  if (!r.has("dtype")) return x;
  const std::string wanted = r.text("dtype");
  for (const DType dtype : {kFloat32, kFloat64, kInt64, kBool})
    if (wanted == name_of(dtype)) return to(x, dtype);
  fail(r.op, "has no such type", wanted);
}

}  // namespace glass
