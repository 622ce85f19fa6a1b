#include "models/trust/patches.h"

#include <cmath>

#include "models/trust/verdict.h"
#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

double log_odds(double x) { return -std::log1p(std::exp(-x)); }

// 0, 1, 2, … in the order of memory.
Tensor counted(const Shape& shape) {
  const Tensor x = Tensor::empty(shape, kFloat64);
  for (int64_t i = 0; i < x.numel(); ++i) x.data<double>()[i] = static_cast<double>(i);
  return x;
}

}  // namespace

TEST_CASE("a picture is cut into cells and joined again", "[trust]") {
  const Patches patches(7, 5, 3, 2);
  const Tensor picture = counted({1, 3, 7, 5});
  const Tensor cut = patches.cut(picture);
  CHECK(cut.shape() == Shape{1, 6, 3 * 3 * 3});  // cells of 3 × 3 pixels at most
  CHECK(patches.joined(Var(cut)).value().to_vector<double>() == picture.to_vector<double>());
  for (int64_t cell = 0; cell < 6; ++cell) {
    Tensor changed = cut.clone();
    changed.select(1, cell).fill_(-1);
    const Tensor y = patches.joined(Var(changed)).value();
    for (int64_t c = 0; c < 3; ++c)
      for (int64_t row = 0; row < 7; ++row)
        for (int64_t column = 0; column < 5; ++column) {
          // Rows 0 1 2 | 3 4 | 5 6, columns 0 1 2 | 3 4.
          const int64_t of = (row < 3 ? 0 : row < 5 ? 1 : 2) * 2 + (column < 3 ? 0 : 1);
          CHECK(y.at({0, c, row, column}) == (of == cell ? -1 : picture.at({0, c, row, column})));
        }
  }
  // Channels of 35 numbers: their means are 17, 52, 87.
  const std::vector<double> color = patches.mean_color(picture).to_vector<double>();
  REQUIRE(color.size() == 27);
  for (size_t i = 0; i < 27; ++i) CHECK(color[i] == Approx(17 + 35.0 * static_cast<double>(i / 9)));
  CHECK(cell_names(6, 2)[5] == "row 3, column 2");
  CHECK(message_of([] { Patches(2, 9, 3, 2); }) ==
        "patches: each cell needs a pixel: 3 × 2 cells of 2 × 9 pixels");
}

TEST_CASE("cells are held against the pixels that they cover", "[trust]") {
  const Patches patches(4, 4, 2, 2);
  const Tensor picture = counted({1, 3, 4, 4}) * 0.01;
  TrustQuestion q;
  q.source = cell_names(4, 2);
  q.answer = {"yes"};
  q.ids = {0};
  q.weights = {{0.1, 0.6, 0.3, 0}};
  q.input = patches.cut(picture);
  q.columns = 2;
  q.blank = patches.mean_color(picture);
  // 2·red(0, 3) + red(1, 2) - blue(3, 0): two pixels top right, one bottom left.
  q.logits = [&](const Var& x) {
    const Var y = patches.joined(x);
    const auto at = [&](int64_t c, int64_t row, int64_t column) {
      return reshape(narrow(narrow(narrow(y, 1, c, 1), 2, row, 1), 3, column, 1),
                     {x.size(0), 1, 1});
    };
    const Var yes = at(0, 0, 3) * 2.0 + at(0, 1, 2) - at(2, 3, 0);
    return cat({yes, yes * 0.0}, 2);
  };
  const TokenTrust token = examine(q).tokens.at(0);
  CHECK(token.gradient[0] == 0);
  CHECK(token.gradient[1] == Approx(std::sqrt(5.0)));
  CHECK(token.gradient[2] == Approx(1));
  CHECK(token.gradient[3] == 0);
  // Mean red 0.075, mean blue 0.395; red(0, 3) = 0.03, red(1, 2) = 0.06, blue(3, 0) = 0.44.
  CHECK(token.input_gradient[1] == Approx(2 * (0.03 - 0.075) + (0.06 - 0.075)));
  CHECK(token.input_gradient[2] == Approx(-(0.44 - 0.395)));
  const double yes = 2 * 0.03 + 0.06 - 0.44;
  CHECK(token.log_probability == Approx(log_odds(yes)));
  CHECK(token.erasure[1] == Approx(log_odds(yes) - log_odds(yes + 0.105)));
  CHECK(token.erasure[2] == Approx(log_odds(yes) - log_odds(yes + 0.045)));
  CHECK(token.erasure[3] == Approx(0).margin(1e-15));
  CHECK_THAT(sentence(token, q.source, 2),
             ContainsSubstring("most of both is on row 1, column 2 (weight 0.60), with row 1, "
                               "column 2 covered log p rises by 0.06"));
  q.blank = Tensor::zeros({3}, kFloat64);
  CHECK_THAT(message_of([&] { examine(q); }), ContainsSubstring("blank must be of"));
}
