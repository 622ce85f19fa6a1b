// The library that programs of one's own are linked with (README).
#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/skip.h"
#include "tests/tensor/scratch.h"

using namespace glass::tests;

TEST_CASE("a program can be linked with libglass.a, which is not large", "[ground]") {
  const std::string build = GLASS_BINARY_DIR;
  if (!std::filesystem::exists(build + "/libglass.a")) {
    skip("libglass.a is made by the release build with GCC");
    return;
  }
  CHECK(std::filesystem::file_size(build + "/libglass.a") < 8'000'000);
  const Scratch folder;
  // A layer, an optimiser, an op of the library and one of the program's own, and the same inline
  // functions as the library has.
  std::ofstream(folder / "first.cpp") << R"(#include "models/glass.h"
#include "autograd/pointwise.h"
#include "tensor/functions/arithmetic.h"
using namespace glass;
int main() {
  Generator g(1);
  LSTM layer(3, 2, {}, g);
  Adam adam(layer.parameters(), {});
  const Var y = layer(Var(Tensor::ones({4, 1, 3}))).output;
  sum(pointwise(functions::Add{}, y, y)).backward();
  adam.step();
  return layer.parameters()[0].grad().value().ndim() == 2 ? 0 : 1;
}
)";
  const Outcome outcome =
      run("cd " + quoted(folder.path()) + " && g++ -std=c++20 -I" + quoted(source_root().string()) +
          " first.cpp -L" + quoted(build) + " -lglass -lopenblas -o first && ./first");
  INFO(outcome.output);
  CHECK(outcome.status == 0);
}
