#include "tensor/error.h"

#include <locale>

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

std::string joined(std::initializer_list<MessagePart> parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  for (const MessagePart& part : parts) out << part;
  return std::move(out).str();
}

void fail(ErrorKind kind, std::string_view op, std::string_view relation,
          std::initializer_list<MessagePart> values) {
  throw Error(kind, std::string(op), std::string(relation), joined(values));
}

}  // namespace glass
