#include "tensor/blas.h"

#include <cctype>
#include <cstdlib>

#include "tests/catch.h"
#include "tests/skip.h"

using namespace glass;
using glass::tests::skip;

TEST_CASE("BLAS uses kernels that suit the processor, or those that the user wants", "[tensor]") {
  const std::string text = blas_description();
  const size_t at = text.rfind("kernel ");
  if (at == std::string::npos) return skip("this BLAS does not name its kernels");
  std::string kernels = text.substr(at + 7);
  INFO(text);
  for (char& c : kernels) c = static_cast<char>(std::tolower(c));
  if (const char* wanted = std::getenv("OPENBLAS_CORETYPE")) {
    std::string name = wanted;
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    if (name == "prescott" || name == "haswell") CHECK(kernels == name);
    return;
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    for (const char* old : {"prescott", "core2", "penryn", "nehalem", "sandybridge", "barcelona"})
      CHECK(kernels != old);
#endif
}
