#pragma once

#include <map>
#include <string>
#include <vector>

namespace glass {

/// How functions and layers are called, as their declarations say:
/// "sum(x, dims = {}, keepdim = false)". The fields of an option struct stand in its place.
class Signatures {
 public:
  /// Reads the headers in autograd/ops and nn below root. Throws Error (environment) when root has
  /// no such folders.
  static Signatures read(const std::string& root);
  /// Of C++ text; for tests.
  explicit Signatures(std::string declarations);

  /// The declaration of name ("linalg.norm" is norm in namespace linalg) with the most parameters;
  /// name alone when there is none. What returns void does not count. Generators are left out:
  /// every layer takes one.
  std::string of(const std::string& name) const;

 private:
  std::string parameters(const std::string& list) const;

  std::string text_;
  std::map<std::string, std::string> options_;  // struct to its fields
};

}  // namespace glass
