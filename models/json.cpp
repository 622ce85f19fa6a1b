#include "models/json.h"

#include <algorithm>
#include <limits>
#include <set>

namespace glass {

Json parse_json(const std::string& where, const std::string& text) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto check = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      fail_environment(where, "a key occurs twice in an object", brief(parsed));
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::parse_error& e) {
    const std::string before = text.substr(0, e.byte > 0 ? e.byte - 1 : 0);
    fail_environment(where, "is not JSON", "line ",
                     1 + std::count(before.begin(), before.end(), '\n'), ", column ",
                     before.size() - (before.rfind('\n') + 1) + 1);
  } catch (const Json::exception&) {
    fail_environment(where, "holds a number beyond all bounds");
  }
}

std::string brief(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 40) + "...";
  return text;
}

void refuse_unknown(const Json& json, const Json& known, const char* where) {
  if (!json.is_object()) fail_environment(where, "must be an object", "got ", json.type_name());
  for (const auto& [key, value] : json.items())
    if (!known.contains(key)) fail_environment(where, "unknown entry", key);
}

const Json& require(const Json& object, const char* key, const char* where) {
  if (!object.is_object()) fail_environment(where, "must be an object", "got ", brief(object));
  const auto found = object.find(key);
  if (found == object.end()) fail_environment(where, "an entry is missing", key);
  return *found;
}

namespace {

[[noreturn]] void wrong_type(const Json& value, const char* key, const char* where,
                             const std::string& wanted) {
  fail_environment(where, std::string(key) + " must be " + wanted, "got ", brief(value));
}

}  // namespace

template <>
bool entry(const Json& object, const char* key, const char* where) {
  const Json& value = require(object, key, where);
  if (!value.is_boolean()) wrong_type(value, key, where, "true or false");
  return value.get<bool>();
}

template <>
int64_t entry(const Json& object, const char* key, const char* where) {
  const Json& value = require(object, key, where);
  const bool fits = value.is_number_unsigned()
                        ? value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()}
                        : value.is_number_integer();
  if (!fits) wrong_type(value, key, where, "a whole number");
  return value.get<int64_t>();
}

template <>
uint64_t entry(const Json& object, const char* key, const char* where) {
  const Json& value = require(object, key, where);
  if (!value.is_number_unsigned()) wrong_type(value, key, where, "a whole number of at least 0");
  return value.get<uint64_t>();
}

template <>
double entry(const Json& object, const char* key, const char* where) {
  const Json& value = require(object, key, where);
  if (!value.is_number()) wrong_type(value, key, where, "a number");
  return value.get<double>();
}

template <>
std::string entry(const Json& object, const char* key, const char* where) {
  const Json& value = require(object, key, where);
  if (!value.is_string()) wrong_type(value, key, where, "a text");
  return value.get<std::string>();
}

int64_t entry(const Json& object, const char* key, const char* where, const WholeRange& range) {
  const Json& value = require(object, key, where);
  const bool fits = value.is_number_integer() &&
                    (value.is_number_unsigned() || value.get<int64_t>() >= 0) &&
                    range.holds(value.get<uint64_t>());
  if (!fits) wrong_type(value, key, where, range.text());
  return value.get<int64_t>();
}

double entry(const Json& object, const char* key, const char* where, const NumberRange& range) {
  const Json& value = require(object, key, where);
  if (!value.is_number() || !range.holds(value.get<double>()))
    wrong_type(value, key, where, range.text());
  return value.get<double>();
}

}  // namespace glass
