#include "models/signatures.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include "tensor/error.h"
#include "tensor/file.h"

namespace glass {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// What stands between the bracket at begin and the one that closes it.
std::string bracketed(const std::string& text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '}') --depth;
    if (depth == 0) return text.substr(begin + 1, i - begin - 1);
  }
  return "";
}

// The parts of a list, at separators outside all brackets.
std::vector<std::string> parts(const std::string& list, char separator) {
  std::vector<std::string> all(1);
  int depth = 0;
  for (const char c : list) {
    if (std::string("({<").find(c) != std::string::npos) ++depth;
    if (std::string(")}>").find(c) != std::string::npos) --depth;
    if (c == separator && depth == 0)
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

struct Declared {
  std::string type, name, otherwise;
};

// "double p = 2": type, name and what stands behind "=".
Declared declared(const std::string& text) {
  const std::vector<std::string> sides = parts(text, '=');
  const std::string left = trimmed(sides[0]);
  size_t begin = left.size();
  while (begin > 0 && is_word(left[begin - 1])) --begin;
  std::string otherwise = sides.size() > 1 ? trimmed(sides[1]) : "";
  otherwise = std::regex_replace(otherwise, std::regex("(\\w+::)+"), "");  // of enumerations
  return {trimmed(left.substr(0, begin)), left.substr(begin), otherwise};
}

std::string shown(const Declared& d) {
  return d.otherwise.empty() ? d.name : d.name + " = " + d.otherwise;
}

}  // namespace

Signatures::Signatures(std::string declarations)
    : text_(std::regex_replace(declarations, std::regex("//[^\n]*"), "")) {
  const std::regex head("struct (\\w+Options) \\{");
  for (std::sregex_iterator i(text_.begin(), text_.end(), head), end; i != end; ++i) {
    const auto open = static_cast<size_t>(i->position() + i->length() - 1);
    std::string fields;
    for (const std::string& field : parts(bracketed(text_, open), ';'))
      for (const std::string& one : parts(field, ','))
        if (!trimmed(one).empty()) fields += (fields.empty() ? "" : ", ") + shown(declared(one));
    options_[(*i)[1]] = "{" + fields + "}";
  }
}

Signatures Signatures::read(const std::string& root) {
  std::vector<std::string> paths;
  for (const char* folder : {"autograd/ops", "nn"}) {
    std::error_code absent;
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(root + "/" + folder, absent))
      if (file.path().extension() == ".h") paths.push_back(file.path().string());
    if (absent)
      fail_environment(root, text("has no folder ", folder), "run this where Glass's sources are");
  }
  std::sort(paths.begin(), paths.end());
  std::string all;
  for (const std::string& path : paths) all += read_file(path) + "\n";
  return Signatures(std::move(all));
}

// "" when the list is one of values, not of declarations.
std::string Signatures::parameters(const std::string& list) const {
  std::string all;
  for (const std::string& part : parts(list, ',')) {
    const Declared d = declared(part);
    if (d.type.empty() || d.name.empty()) return "";
    if (d.type.find("Generator") != std::string::npos || d.otherwise.find("__builtin") == 0)
      continue;
    std::smatch type;
    const bool is_options = std::regex_search(d.type, type, std::regex("\\w+Options"));
    const auto known = options_.find(is_options ? type.str() : "");
    all += (all.empty() ? "" : ", ") + (known == options_.end() ? shown(d) : known->second);
  }
  return all;
}

std::string Signatures::of(const std::string& name) const {
  const size_t dot = name.rfind('.');
  const std::string function = dot == std::string::npos ? name : name.substr(dot + 1);
  const size_t inner = text_.find("namespace linalg {");
  size_t most = 0;
  std::string best;
  const std::string head = function + "(";
  for (size_t at = text_.find(head); at != std::string::npos; at = text_.find(head, at + 1)) {
    if (at > 0 && is_word(text_[at - 1])) continue;
    const size_t open = at + function.size();
    const bool within = inner < open && open < text_.find('}', text_.find(';', inner));
    if (within != (dot != std::string::npos)) continue;
    // What gives nothing is no function of tensors but another thing's member.
    if (std::string_view(text_).substr(0, at).ends_with("void ")) continue;
    const std::string list = bracketed(text_, open), readable = parameters(list);
    const size_t count = parts(list, ',').size();
    if (readable.empty() || count <= most) continue;
    most = count;
    best = (within ? "linalg::" : "") + function + "(" + readable + ")";
  }
  return best.empty() ? name : best;
}

}  // namespace glass
