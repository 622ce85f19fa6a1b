#include "models/text/input_lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "models/text/lines.h"
#include "models/text/text_file.h"
#include "tensor/error.h"

namespace glass {
std::vector<std::string> InputLines::next() {
  while (!ended_) {
    std::array<char, 1 << 16> chunk;
    const ssize_t got = ::read(descriptor_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const std::string reason = std::strerror(errno);
      fail_environment(op_, name_ + " cannot be read", reason);
    }
    ended_ = got == 0;
    const std::string_view text(chunk.data(), static_cast<size_t>(got));
    if (!begun_ && rest_.empty() && is_gzip(text))
      fail(op_, "text is packed; unpack it first, e.g. with zcat", name_);
    const size_t whole = ended_ ? 0 : text.rfind('\n') + 1;  // 0: no line ends here
    if (whole == 0) {
      rest_ += text;
      if (rest_.size() > kLongest)
        fail(op_, "a line is too long", name_, ", line ", returned_ + 1, ", more than ", kLongest,
             " bytes");
      if (!ended_) continue;
    } else {
      rest_ += text.substr(0, whole);
    }
    std::string_view complete = rest_;
    if (!std::exchange(begun_, true)) complete = utf8_body(complete, op_, name_);
    std::vector<std::string> lines;
    while (!complete.empty()) lines.emplace_back(take_line(complete));
    returned_ += lines.size();
    rest_ = ended_ ? "" : text.substr(whole);
    return lines;
  }
  return {};
}

}  // namespace glass
