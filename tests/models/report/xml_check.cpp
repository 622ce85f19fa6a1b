#include "tests/models/report/xml_check.h"

#include <vector>

#include "models/text/utf8.h"

namespace glass::tests {
namespace {

struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

bool has_control(const std::string& text) {
  for (char32_t c : decode_utf8(text)) {
    if ((c < 0x20 && c != '\n') || c == 0xFFFE || c == 0xFFFF) return true;
  }
  return false;
}

// "" or what is wrong with the text between two tags or inside an attribute.
std::string content_problem(const std::string& text) {
  if (text.find('<') != std::string::npos) return "a bare <";
  for (size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const std::string entity = text.substr(at, text.find(';', at) - at + 1);
    if (!std::set<std::string>{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}.count(entity)) {
      return "an unknown entity " + entity;
    }
  }
  return "";
}

// Attributes: blanks, name="value", each name once.
std::string attributes_problem(const std::string& text) {
  std::set<std::string> names;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \n", at)) != std::string::npos) {
    const size_t equals = text.find('=', at);
    if (equals == std::string::npos || text[equals + 1] != '"') return "attributes " + text;
    const size_t end = text.find('"', equals + 2);
    if (end == std::string::npos) return "an open attribute in " + text;
    if (!names.insert(text.substr(at, equals - at)).second) return "a double attribute in " + text;
    const std::string problem = content_problem(text.substr(equals + 2, end - equals - 2));
    if (!problem.empty()) return problem;
    at = end + 1;
  }
  return "";
}

}  // namespace

std::string xml_problem(const std::string& text, const std::set<std::string>& empty_tags,
                        const std::set<std::string>& raw_tags) {
  if (repair_utf8(text).replaced > 0) return "bad UTF-8";
  if (has_control(text)) return "a control character";
  std::vector<std::string> open;
  size_t roots = 0, at = 0;
  while (true) {
    const size_t tag = text.find('<', at);
    const std::string between = text.substr(at, tag - at);
    if (std::string problem = content_problem(between); !problem.empty()) return problem;
    if (open.empty() && between.find_first_not_of('\n') != std::string::npos) {
      return "text outside the root: " + between;
    }
    if (tag == std::string::npos) break;
    // A ">" inside an attribute is escaped, so the next one ends the tag.
    const size_t end = text.find('>', tag);
    if (end == std::string::npos) return "a tag without end";
    std::string inside = text.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inside.starts_with("!DOCTYPE")) continue;
    if (inside.starts_with("/")) {
      if (open.empty() || open.back() != inside.substr(1)) return "the end tag " + inside;
      open.pop_back();
      continue;
    }
    const bool closed = inside.ends_with("/");
    if (closed) inside.pop_back();
    const std::string name = inside.substr(0, inside.find_first_of(" \n"));
    if (name.empty()) return "a tag without name";
    if (open.empty() && ++roots > 1) return "a second root " + name;
    if (std::string problem = attributes_problem(inside.substr(name.size())); !problem.empty()) {
      return problem;
    }
    if (raw_tags.count(name)) {
      at = text.find("</" + name + ">", at);
      if (at == std::string::npos) return "an open " + name;
      at += name.size() + 3;
    } else if (!closed && !empty_tags.count(name)) {
      open.push_back(name);
    }
  }
  return open.empty() ? roots == 1 ? "" : "no root" : "an open " + open.back();
}

int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

CommaLocale::CommaLocale() : before_(std::locale()) {
  std::locale::global(std::locale(std::locale::classic(), new Comma));
}

CommaLocale::~CommaLocale() { std::locale::global(before_); }

}  // namespace glass::tests
