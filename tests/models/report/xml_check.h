#pragma once

#include <locale>
#include <set>
#include <string>

namespace glass::tests {

/// What keeps a text from being well-formed XML (of the simple kind reports use), or "".
/// empty_tags need no end tag; what stands in raw_tags is not looked at (HTML).
std::string xml_problem(const std::string& text, const std::set<std::string>& empty_tags = {},
                        const std::set<std::string>& raw_tags = {});

/// How often `part` stands in `text`.
int count(const std::string& text, const std::string& part);

/// While it lives, the global C++ locale writes 1000000.5 as "1.000.000,5".
class CommaLocale {
 public:
  CommaLocale();
  ~CommaLocale();

 private:
  std::locale before_;
};

}  // namespace glass::tests
