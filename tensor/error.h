#pragma once

#include <cstdint>
#include <locale>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glass {

/// Whose fault a failure is.
enum class ErrorKind : uint8_t {
  caller,       ///< an argument that makes no sense: fix the call
  environment,  ///< a file, a disk, memory: fix the machine or try again
  bug           ///< ours: please report it
};

/// The one exception of Glass: data first (who failed, which relation did not hold, the values
/// met), text second. what() reads "op: relation: values".
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string op, std::string relation, std::string values = {});

  ErrorKind kind() const { return kind_; }
  const std::string& op() const { return op_; }              ///< the operation, e.g. "matmul"
  const std::string& relation() const { return relation_; }  ///< e.g. "inner sizes differ"
  const std::string& values() const { return values_; }      ///< e.g. "[3, 4] · [5, 6] (4 and 5)"

 private:
  ErrorKind kind_;
  std::string op_, relation_, values_;
};

/// Joins the parts with operator<<: text("got ", 3, " and ", 4).
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  static_cast<void>((out << ... << parts));
  return std::move(out).str();
}

/// Throws a caller's error. The values are joined with text().
template <class... Parts>
[[noreturn, gnu::noinline, gnu::cold]] void fail(std::string_view op, std::string_view relation,
                                                 const Parts&... values) {
  throw Error(ErrorKind::caller, std::string(op), std::string(relation), text(values...));
}

/// Throws an environment error (files, disk, memory).
template <class... Parts>
[[noreturn, gnu::noinline, gnu::cold]] void fail_environment(std::string_view op,
                                                             std::string_view relation,
                                                             const Parts&... values) {
  throw Error(ErrorKind::environment, std::string(op), std::string(relation), text(values...));
}

/// Throws an error that only a mistake inside Glass can cause.
template <class... Parts>
[[noreturn, gnu::noinline, gnu::cold]] void fail_bug(std::string_view op, std::string_view relation,
                                                     const Parts&... values) {
  throw Error(ErrorKind::bug, std::string(op), std::string(relation), text(values...));
}

}  // namespace glass
