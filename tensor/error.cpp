#include "tensor/error.h"

namespace glass {

static std::string sentence(const std::string& op, const std::string& relation,
                            const std::string& values) {
  std::string out = op + ": " + relation;
  if (!values.empty()) out += ": " + values;
  return out;
}

Error::Error(ErrorKind kind, std::string op, std::string relation, std::string values)
    : std::runtime_error(sentence(op, relation, values)),
      kind_(kind),
      op_(std::move(op)),
      relation_(std::move(relation)),
      values_(std::move(values)) {}

}  // namespace glass
