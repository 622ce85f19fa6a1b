#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "models/image/image.h"

namespace glass {

/// What a model reads: the ids of a text, or a picture.
struct Source {
  std::vector<int64_t> ids;
  std::shared_ptr<const Image> picture;  ///< null: a text

  Source() = default;
  Source(std::vector<int64_t> text) : ids(std::move(text)) {}
  Source(std::initializer_list<int64_t> text) : ids(text) {}
  explicit Source(Image image) : picture(std::make_shared<const Image>(std::move(image))) {}

  size_t size() const { return ids.size(); }  ///< tokens; pictures have none
};

}  // namespace glass
