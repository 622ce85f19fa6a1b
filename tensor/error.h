#pragma once

#include <cstdint>
#include <initializer_list>
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

/// A value and how it is written: what text() and fail() take instead of a type each, so that a
/// message costs its caller some bytes and not a function of its own.
class MessagePart {
 public:
  MessagePart(const char* words)
      : value_(words), write_([](std::ostream& out, const void* value) {
          out << static_cast<const char*>(value);
        }) {}
  template <class T>
  MessagePart(const T& value)
      : value_(&value),
        write_([](std::ostream& out, const void* of) { out << *static_cast<const T*>(of); }) {}
  friend std::ostream& operator<<(std::ostream& out, const MessagePart& part) {
    part.write_(out, part.value_);
    return out;
  }

 private:
  const void* value_;
  void (*write_)(std::ostream&, const void*);
};

/// Joins the parts with operator<<: text("got ", 3, " and ", 4).
std::string joined(std::initializer_list<MessagePart> parts);
template <class... Parts>
std::string text(const Parts&... parts) {
  return joined({MessagePart(parts)...});
}

/// Throws Error with the parts joined.
[[noreturn, gnu::cold]] void fail(ErrorKind kind, std::string_view op, std::string_view relation,
                                  std::initializer_list<MessagePart> values);

/// Throws a caller's error. The values are joined with text().
template <class... Parts>
[[noreturn]] void fail(std::string_view op, std::string_view relation, const Parts&... values) {
  fail(ErrorKind::caller, op, relation, {MessagePart(values)...});
}

/// Throws an environment error (files, disk, memory).
template <class... Parts>
[[noreturn]] void fail_environment(std::string_view op, std::string_view relation,
                                   const Parts&... values) {
  fail(ErrorKind::environment, op, relation, {MessagePart(values)...});
}

/// Throws an error that only a mistake inside Glass can cause.
template <class... Parts>
[[noreturn]] void fail_bug(std::string_view op, std::string_view relation, const Parts&... values) {
  fail(ErrorKind::bug, op, relation, {MessagePart(values)...});
}

}  // namespace glass
