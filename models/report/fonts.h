#pragma once

namespace glass {

/// Sans-serif families that have Chinese letters, on Linux, macOS and Windows; fit for an
/// attribute in double quotes and for CSS.
inline constexpr const char* kSansFonts =
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', 'Source Han Sans SC', "
    "'PingFang SC', 'Hiragino Sans GB', 'Microsoft YaHei', 'WenQuanYi Micro Hei', sans-serif";

}  // namespace glass
