#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "autograd/var.h"

namespace glass {

/// A value of a call that is no tensor: nothing, a number, a text, or a list of such. A JSON object
/// is the list of its keys and values in turn: {"slice": [0, 3, 1]} is ["slice", [0, 3, 1]].
struct Argument {
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<Argument>> value;
};

/// A call as it was recorded elsewhere: tensors and arguments by PyTorch's names. What a replay
/// does not read is noted, so that a call is never taken for covered while an argument was ignored.
class Replay {
 public:
  std::string op;                             ///< for errors
  std::map<std::string, Var> inputs;          ///< by name, e.g. "input", "tensors.0"
  std::map<std::string, Argument> arguments;  ///< by name; absent ones have PyTorch's default
  std::map<std::string, Tensor> state;        ///< parameters and buffers before the call
  bool training = true;
  std::map<std::string, Var> parameters;  ///< a module's parameters: set by the replay
  std::map<std::string, Tensor> buffers;  ///< a module's buffers after the call

  /// An input; throws Error naming it when the call has none.
  const Var& operator[](const std::string& name);
  /// The same, undefined when absent.
  Var maybe(const std::string& name);
  /// An input, or the argument of that name as a number.
  Var tensor_or_number(const std::string& name);
  /// Inputs NAME.0, NAME.1, ...
  std::vector<Var> list(const std::string& name);

  bool has(const std::string& name) const;  ///< whether an argument is there and not None
  // Arguments as values. Without otherwise, an absent one throws Error naming it.
  int64_t integer(const std::string& name, std::optional<int64_t> otherwise = {});
  double real(const std::string& name, std::optional<double> otherwise = {});
  bool flag(const std::string& name, std::optional<bool> otherwise = {});
  std::string text(const std::string& name, std::optional<std::string> otherwise = {});
  /// A list of whole numbers; one number is a list of one.
  std::vector<int64_t> integers(const std::string& name,
                                std::optional<std::vector<int64_t>> otherwise = {});
  /// The same of real numbers.
  std::vector<double> reals(const std::string& name,
                            std::optional<std::vector<double>> otherwise = {});
  const Argument& argument(const std::string& name);

  /// Names of arguments and inputs that nobody asked for.
  std::vector<std::string> unread() const;

 private:
  std::set<std::string> read_;
};

}  // namespace glass
