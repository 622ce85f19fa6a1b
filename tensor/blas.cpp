#include "tensor/blas.h"

#include <algorithm>
#include <array>
#include <cstdlib>

extern "C" {
char* openblas_get_config() __attribute__((weak));
char* openblas_get_corename() __attribute__((weak));
void openblas_set_num_threads(int) __attribute__((weak));
// What OpenBLAS itself calls when it is loaded and unloaded.
void gotoblas_dynamic_init() __attribute__((weak));
void gotoblas_dynamic_quit() __attribute__((weak));
}

namespace glass {
namespace {

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

bool choose_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  constexpr const char* kChoice = "OPENBLAS_CORETYPE";
  if (!openblas_get_corename || !gotoblas_dynamic_init || !gotoblas_dynamic_quit) return false;
  const std::string_view better = better_kernels(openblas_get_corename(), has_avx2(), has_avx512());
  if (better.empty() || std::getenv(kChoice)) return false;
  setenv(kChoice, better.data(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kChoice);
  return true;
}

// While the program is loaded: other threads could be inside BLAS, or read the environment.
[[maybe_unused]] const bool chosen_here = choose_kernels();

}  // namespace

std::string_view better_kernels(std::string_view chosen, bool avx2, bool avx512) {
  constexpr std::array<std::string_view, 4> kOld = {"Prescott", "Nehalem", "Sandybridge",
                                                    "Barcelona"};
  if (!avx2 || std::ranges::find(kOld, chosen) == kOld.end()) return {};
  return avx512 ? "SkylakeX" : "Haswell";
}

void prepare_blas() {
  static const bool once = [] {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(once);
}

std::string blas_description() {
  if (!openblas_get_config) return "unknown BLAS";
  std::string text = openblas_get_config();
  if (openblas_get_corename) text += std::string(", kernel ") + openblas_get_corename();
  return text;
}

}  // namespace glass
