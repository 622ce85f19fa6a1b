#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "models/ranges.h"
#include "tensor/error.h"

namespace glass {

using Json = nlohmann::json;

/// The value of a text; where is what errors call the text. Throws Error (environment) with the
/// line and the column of a mistake, and for a key that occurs twice in an object.
Json parse_json(const std::string& where, const std::string& text);

/// A value as an error shows it: cut where it is long.
std::string brief(const Json& value);

/// What read() returns; its errors become ones of the environment that begin with the path.
template <class Read>
auto in_file(const std::string& path, Read read) {
  try {
    return read();
  } catch (const Error& e) {
    throw Error(ErrorKind::environment, path + ", " + e.op(), e.relation(), e.values());
  }
}

/// Throws Error unless json is an object without other entries than those of known.
void refuse_unknown(const Json& json, const Json& known, const char* where);

/// The entry of an object. where names the object in the error of a missing one.
const Json& require(const Json& object, const char* key, const char* where);

/// The same as a value; throws Error when the entry is missing, of another type, or a number that
/// the type cannot hold. For bool, int64_t, uint64_t, double and std::string.
template <class T>
T entry(const Json& object, const char* key, const char* where);
template <>
bool entry(const Json& object, const char* key, const char* where);
template <>
int64_t entry(const Json& object, const char* key, const char* where);
template <>
uint64_t entry(const Json& object, const char* key, const char* where);
template <>
double entry(const Json& object, const char* key, const char* where);
template <>
std::string entry(const Json& object, const char* key, const char* where);

/// A number that must lie in a range; the error of another value names the range.
int64_t entry(const Json& object, const char* key, const char* where, const WholeRange& range);
double entry(const Json& object, const char* key, const char* where, const NumberRange& range);

}  // namespace glass
