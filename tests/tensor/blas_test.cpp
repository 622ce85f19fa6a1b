#include "tensor/blas.h"

#include <cctype>
#include <cstdlib>

#include "tests/catch.h"
#include "tests/skip.h"

using namespace glass;
using glass::tests::skip;

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

TEST_CASE("kernels are better where OpenBLAS fell back and the processor can run them",
          "[tensor]") {
  CHECK(better_kernels("Prescott", true, true) == "SkylakeX");
  CHECK(better_kernels("Prescott", true, false) == "Haswell");
  CHECK(better_kernels("Barcelona", true, false) == "Haswell");
  CHECK(better_kernels("Prescott", false, false).empty());
  for (const char* suitable : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids", "?"})
    CHECK(better_kernels(suitable, true, true).empty());
}

TEST_CASE("BLAS uses kernels that suit the processor, or those that the user wants", "[tensor]") {
  const std::string text = blas_description();
  const size_t at = text.rfind("kernel ");
  if (at == std::string::npos || text.find("DYNAMIC_ARCH") == std::string::npos)
    return skip("this BLAS has no kernels to choose from");
  INFO(text);
  const std::string kernels = text.substr(at + 7);
  if (const char* wanted = std::getenv("OPENBLAS_CORETYPE")) {
    for (const char* known : {"prescott", "haswell", "zen"})
      if (lower(wanted) == known) CHECK(lower(kernels) == known);
    return;
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    CHECK(better_kernels(kernels, true, false).empty());
#endif
}
