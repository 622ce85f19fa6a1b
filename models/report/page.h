#pragma once

namespace glass {

/// Style sheet and script of report.html.
extern const char* const kPageCss;
extern const char* const kPageScript;

}  // namespace glass
