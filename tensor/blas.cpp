#include "tensor/blas.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

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

// What OpenBLAS falls back to for a processor that it does not know.
constexpr std::array<std::string_view, 4> kFallbacks = {"Prescott", "Nehalem", "Sandybridge",
                                                        "Barcelona"};

// The kernels that this processor can run, by OpenBLAS's name for them; none below AVX2.
const char* best_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

void choose_kernels() {
  constexpr const char* kChoice = "OPENBLAS_CORETYPE";
  const char* best = best_kernels();
  if (!best || std::getenv(kChoice)) return;
  if (!openblas_get_corename || !gotoblas_dynamic_init || !gotoblas_dynamic_quit) return;
  if (std::ranges::find(kFallbacks, openblas_get_corename()) == kFallbacks.end()) return;
  setenv(kChoice, best, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kChoice);
}

}  // namespace

void prepare_blas() {
  static const bool once = [] {
    choose_kernels();
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(once);
}

std::string blas_description() {
  prepare_blas();
  if (!openblas_get_config) return "unknown BLAS";
  std::string text = openblas_get_config();
  if (openblas_get_corename) text += std::string(", kernel ") + openblas_get_corename();
  return text;
}

}  // namespace glass
