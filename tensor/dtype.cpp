#include "tensor/dtype.h"

#include <ostream>

namespace glass {

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name_of(dtype); }

}  // namespace glass
