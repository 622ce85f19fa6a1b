#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace glass {

/// What a hypothesis has written: its last token, linked to the same without it. Hypotheses that
/// began alike share the links of their beginning, so one more token costs the same at any length.
class Trail {
 public:
  Trail() = default;  ///< nothing yet

  /// This and one more token, with the attention row it was written with (empty: none is kept).
  Trail extended(int64_t token, std::vector<double> weights) const {
    return Trail(std::make_shared<Link>(last_, token, std::move(weights)));
  }

  /// The last token, or nothing.
  int64_t last_or(int64_t nothing) const { return last_ ? last_->token : nothing; }
  std::vector<int64_t> ids() const;
  /// One row per id; empty when none was kept.
  std::vector<std::vector<double>> weights() const;

 private:
  struct Link {
    Link(std::shared_ptr<Link> b, int64_t t, std::vector<double> w)
        : before(std::move(b)), token(t), weights(std::move(w)) {}
    ~Link();
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    std::shared_ptr<Link> before;
    int64_t token;
    std::vector<double> weights;
  };

  explicit Trail(std::shared_ptr<Link> last) : last_(std::move(last)) {}

  std::shared_ptr<Link> last_;
};

}  // namespace glass
