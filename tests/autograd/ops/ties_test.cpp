// Equal values (B03): ops that return values only share the gradient evenly, ops that know the
// place give it to the first. The rule is one, in every op that chooses.
#include <functional>
#include <vector>

#include "autograd/autograd.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;

namespace {

struct Chooser {
  const char* name;
  bool largest;                           ///< or the smallest
  bool first;                             ///< the first gets all, or each an equal share
  std::function<Var(const Var&)> choose;  ///< one number of x [4]
};

const std::vector<Chooser>& choosers() {
  const auto square = [](const Var& x) { return reshape(x, {1, 2, 2}); };
  const auto pairs = [](Var (*f)(In, In)) {  // of four, two by two
    return [=](const Var& x) {
      const Var two = f(narrow(x, 0, 0, 2), narrow(x, 0, 2, 2));
      return f(select(two, 0, 0), select(two, 0, 1));
    };
  };
  static const std::vector<Chooser> all{
      {"amax", true, false, [](const Var& x) { return amax(x); }},
      {"amin", false, false, [](const Var& x) { return amin(x); }},
      {"maximum", true, false, pairs(maximum)},
      {"minimum", false, false, pairs(minimum)},
      {"norm, infinite", true, false, [](const Var& x) { return norm(x, INFINITY); }},
      {"norm, -infinite", false, false, [](const Var& x) { return norm(x, -INFINITY); }},
      {"linalg.norm of a column", true, false,
       [](const Var& x) {
         return linalg::norm(reshape(x, {4, 1}), INFINITY);
       }},
      {"linalg.norm of a row", true, false,
       [](const Var& x) {
         return linalg::norm(reshape(x, {1, 4}), 1);
       }},
      {"linalg.norm of a row, smallest", false, false,
       [](const Var& x) {
         return linalg::norm(reshape(x, {1, 4}), -1);
       }},
      {"max", true, true, [](const Var& x) { return max(x, 0).values; }},
      {"min", false, true, [](const Var& x) { return min(x, 0).values; }},
      {"topk", true, true, [](const Var& x) { return topk(x, 1).values; }},
      {"topk, smallest", false, true, [](const Var& x) { return topk(x, 1, -1, false).values; }},
      {"sort, descending", true, true,
       [](const Var& x) { return select(sort(x, 0, true).values, 0, 0); }},
      {"sort", false, true, [](const Var& x) { return select(sort(x).values, 0, 0); }},
      {"max_pool1d", true, true,
       [](const Var& x) {
         return max_pool1d(reshape(x, {1, 4}), {4}).values;
       }},
      {"max_pool2d", true, true, [=](const Var& x) { return max_pool2d(square(x), {2}).values; }},
      {"adaptive_max_pool2d", true, true,
       [=](const Var& x) { return adaptive_max_pool2d(square(x), {1}).values; }},
  };
  return all;
}

}  // namespace

TEST_CASE("ties split evenly, or go to the first where the place is known", "[ops]") {
  for (const Chooser& op : choosers()) {
    const std::vector<std::pair<std::vector<double>, std::vector<double>>> rows =
        op.largest
            ? std::vector<std::pair<std::vector<double>, std::vector<double>>>{{{3, 7, 7, 1},
                                                                                {0, 4, 4, 0}},
                                                                               {{2, 2, 2, 2},
                                                                                {2, 2, 2, 2}},
                                                                               {{1, 1.004, 1, 1},
                                                                                {0, 8, 0, 0}}}
            : std::vector<std::pair<std::vector<double>, std::vector<double>>>{
                  {{7, 3, 3, 9}, {0, 4, 4, 0}},
                  {{2, 2, 2, 2}, {2, 2, 2, 2}},
                  {{1.004, 1, 1.004, 1.004}, {0, 8, 0, 0}}};
    for (const auto& [values, even] : rows) {
      std::vector<double> want = even;
      if (op.first) {  // the first that gets something gets all
        bool found = false;
        for (double& share : want) {
          share = share > 0 && !found ? 8 : 0;
          found = found || share > 0;
        }
      }
      for (const DType dtype : {kFloat32, kFloat64})
        for (const bool twice : {false, true}) {
          INFO(op.name << " of " << values[0] << ", " << values[1] << ", ...");
          const Var x(Tensor::from(values, {4}).to(dtype), true);
          const Var y = op.choose(x);
          const Var upstream(Tensor::full(y.shape(), 8, dtype));
          CHECK(numbers(grad({y}, {x}, {upstream}, {.create_graph = twice})[0]) == want);
        }
    }
  }
}

TEST_CASE("the place of equal ones is the first", "[ops]") {
  const Var up = leaf({2, 5, 5, 2}), down = leaf({5, 2, 2, 5});
  CHECK(argmax(up, 0).item() == 1);
  CHECK(argmin(down, 0).item() == 1);
  CHECK(max(up, 0).indices.item() == 1);
  CHECK(min(down, 0).indices.item() == 1);
  CHECK(numbers(sort(up).indices) == std::vector<double>{0, 3, 1, 2});
  CHECK(numbers(sort(up, 0, true).indices) == std::vector<double>{1, 2, 0, 3});
  CHECK(numbers(topk(up, 3).indices) == std::vector<double>{1, 2, 0});
  CHECK(numbers(topk(down, 3, 0, false).indices) == std::vector<double>{1, 2, 0});
  CHECK(max_pool1d(reshape(up, {1, 4}), {4}).indices.item() == 1);
  CHECK(max_pool2d(reshape(up, {1, 2, 2}), {2}).indices.item() == 1);
  CHECK(adaptive_max_pool2d(reshape(up, {1, 2, 2}), {1}).indices.item() == 1);
}
