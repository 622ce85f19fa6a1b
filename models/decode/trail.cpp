#include "models/decode/trail.h"

#include <algorithm>

namespace glass {

// Not by recursion: a long answer would overflow the stack.
Trail::Link::~Link() {
  std::shared_ptr<Link> doomed = std::move(before);
  while (doomed && doomed.use_count() == 1) {
    std::shared_ptr<Link> next = std::move(doomed->before);
    doomed = std::move(next);
  }
}

std::vector<int64_t> Trail::ids() const {
  std::vector<int64_t> ids;
  for (const Link* link = last_.get(); link; link = link->before.get()) ids.push_back(link->token);
  std::reverse(ids.begin(), ids.end());
  return ids;
}

std::vector<std::vector<double>> Trail::weights() const {
  std::vector<std::vector<double>> rows;
  for (const Link* link = last_.get(); link && !link->weights.empty(); link = link->before.get())
    rows.push_back(link->weights);
  std::reverse(rows.begin(), rows.end());
  return rows;
}

}  // namespace glass
