#include "autograd/replay.h"

#include <limits>

namespace glass {
namespace {

template <class T>
const T& wanted(const Replay& replay, const std::string& name, const Argument& argument,
                const char* kind) {
  if (const T* value = std::get_if<T>(&argument.value)) return *value;
  fail(replay.op, "an argument has the wrong type", name, " should be ", kind);
}

double number(const Replay& replay, const std::string& name, const Argument& a) {
  if (const auto* whole = std::get_if<int64_t>(&a.value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&a.value)) return *flag;
  if (const auto* text = std::get_if<std::string>(&a.value)) {
    const double inf = std::numeric_limits<double>::infinity();
    if (*text == "inf" || *text == "-inf") return *text == "inf" ? inf : -inf;
    if (*text == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  return wanted<double>(replay, name, a, "a number");
}

}  // namespace

const Var& Replay::operator[](const std::string& name) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) fail(op, "the call has no input of this name", name);
  read_.insert(name);
  return found->second;
}

Var Replay::maybe(const std::string& name) { return inputs.count(name) ? (*this)[name] : Var(); }

Var Replay::tensor_or_number(const std::string& name) {
  return inputs.count(name) ? (*this)[name] : Var(real(name));
}

std::vector<Var> Replay::list(const std::string& name) {
  std::vector<Var> all;
  while (inputs.count(glass::text(name, '.', all.size())))
    all.push_back((*this)[glass::text(name, '.', all.size())]);
  return all;
}

bool Replay::has(const std::string& name) const {
  const auto found = arguments.find(name);
  return found != arguments.end() && !std::holds_alternative<std::monostate>(found->second.value);
}

const Argument& Replay::argument(const std::string& name) {
  const auto found = arguments.find(name);
  if (found == arguments.end()) fail(op, "the call has no argument of this name", name);
  read_.insert(name);
  return found->second;
}

int64_t Replay::integer(const std::string& name, std::optional<int64_t> otherwise) {
  if (!has(name) && otherwise) return read_.insert(name), *otherwise;
  return wanted<int64_t>(*this, name, argument(name), "a whole number");
}

double Replay::real(const std::string& name, std::optional<double> otherwise) {
  if (!has(name) && otherwise) return read_.insert(name), *otherwise;
  return number(*this, name, argument(name));
}

std::vector<double> Replay::reals(const std::string& name,
                                  std::optional<std::vector<double>> otherwise) {
  if (!has(name) && otherwise) return read_.insert(name), *otherwise;
  const Argument& a = argument(name);
  if (!std::holds_alternative<std::vector<Argument>>(a.value)) return {number(*this, name, a)};
  std::vector<double> all;
  for (const Argument& part : std::get<std::vector<Argument>>(a.value))
    all.push_back(number(*this, name, part));
  return all;
}

bool Replay::flag(const std::string& name, std::optional<bool> otherwise) {
  if (!has(name) && otherwise) return read_.insert(name), *otherwise;
  return wanted<bool>(*this, name, argument(name), "true or false");
}

std::string Replay::text(const std::string& name, std::optional<std::string> otherwise) {
  if (!has(name) && otherwise) return read_.insert(name), *otherwise;
  return wanted<std::string>(*this, name, argument(name), "a text");
}

std::vector<int64_t> Replay::integers(const std::string& name,
                                      std::optional<std::vector<int64_t>> otherwise) {
  if (!has(name) && otherwise) return read_.insert(name), *otherwise;
  const Argument& a = argument(name);
  if (const auto* one = std::get_if<int64_t>(&a.value)) return {*one};
  std::vector<int64_t> all;
  for (const Argument& part : wanted<std::vector<Argument>>(*this, name, a, "whole numbers"))
    all.push_back(wanted<int64_t>(*this, name, part, "whole numbers"));
  return all;
}

std::vector<std::string> Replay::unread() const {
  std::vector<std::string> names;
  // None is what an absent argument is, so nothing was ignored.
  for (const auto& [name, argument] : arguments)
    if (!read_.count(name) && has(name)) names.push_back(name);
  for (const auto& [name, input] : inputs)
    if (!read_.count(name)) names.push_back(name);
  return names;
}

}  // namespace glass
