#include <cstdlib>
#include <filesystem>

#include "tests/catch.h"
#include "tests/ground/files.h"
#include "tests/skip.h"
#include "tests/tensor/scratch.h"

using namespace glass::tests;

TEST_CASE("the framework's libraries stay below 8 MB without symbols that nobody needs",
          "[ground]") {
  const std::filesystem::path folder = GLASS_BINARY_DIR;
#if defined(__clang__) || __GNUC__ != 12
  const bool measured = false;  // other compilers write more or less
#else
  const bool measured =
      read_text(folder / "CMakeCache.txt").find("CMAKE_BUILD_TYPE:STRING=Release\n") !=
      std::string::npos;
#endif
  if (!measured) return skip("this is not the release build of GCC 12");
  const Scratch scratch;
  uintmax_t bytes = 0;
  for (const char* name : {"tensor", "autograd", "nn", "optim"}) {
    const std::string library = (folder / ("libglass_" + std::string(name) + ".a")).string();
    const std::string stripped = scratch / name;
    REQUIRE(std::system(("strip --strip-unneeded '" + library + "' -o " + stripped).c_str()) == 0);
    const uintmax_t size = std::filesystem::file_size(stripped);
    CHECK(size > 100'000);
    bytes += size;
  }
  INFO("together " << bytes);
  CHECK(bytes < 8'000'000);
}
