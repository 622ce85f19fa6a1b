#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "models/ranges.h"

namespace glass {

using Json = nlohmann::json;

/// Throws nlohmann::json::exception naming the place of a mistake in the text.
Json parse_json(const std::string& text);

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
