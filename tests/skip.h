#pragma once

#include <string>

namespace glass::tests {

/// Says why the running test case cannot be tried here (its data is absent, a tool is missing) and
/// counts it as skipped unless it fails as well. Written `return skip("no data in " + path);`.
void skip(const std::string& reason);

}  // namespace glass::tests
