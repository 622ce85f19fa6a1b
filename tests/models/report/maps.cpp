#include "tests/models/report/maps.h"

#include <limits>

namespace glass::tests {

AttentionMap tom_chases_jerry() {
  return {{"Tom", "Chase", "Jerry"},
          {"汤姆", "追逐", "杰瑞"},
          {{0.6, 0.2, 0.2}, {0.2, 0.7, 0.1}, {0.3, 0.2, 0.5}},
          "Tom Chase Jerry → 汤姆追逐杰瑞"};
}

AttentionMap letters(size_t rows, size_t columns) {
  AttentionMap map;
  for (size_t c = 0; c < columns; ++c) {
    map.source.emplace_back(1, static_cast<char>('a' + c % 26));
  }
  for (size_t r = 0; r < rows; ++r) {
    map.target.emplace_back(1, static_cast<char>('0' + r % 10));
    map.weights.emplace_back();
    for (size_t c = 0; c < columns; ++c) {
      map.weights.back().push_back(static_cast<double>(r + 1) / static_cast<double>(r + c + 2));
    }
  }
  return map;
}

AttentionMap hostile() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {{"<unk>", "a&b", "\"quote\"", "it's", "</svg>", "\x01\x1b[31m", "\xff\xfe", "", "]]>"},
          {"<script>", "\xe6\xb1", "-->"},
          {{nan, inf, -inf, 0.5, 0.25, 1000000, -3, 0, 1e-320},
           {1, 2, 3, 4, 5, 6, 7, 8, 9},
           {nan, nan, nan, nan, nan, nan, nan, nan, nan}},
          "a < b & \"c\" \x02"};
}

}  // namespace glass::tests
