#include "tensor/precision.h"

#include <algorithm>
#include <atomic>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "tensor/error.h"

namespace glass {
namespace {

std::atomic<MatmulPrecision> precision_now = MatmulPrecision::highest;

bool ask_for_units() {
#if defined(__x86_64__) && defined(__linux__)
  // CPUID leaf 7: bits 22 and 24 of edx are AMX-BF16 and AMX-TILE; eax of its subleaf 1, bit 5,
  // is AVX512-BF16, which rounds.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const auto leaf_7 = [&](unsigned subleaf) {
    __asm__("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "0"(7), "2"(subleaf));
  };
  __builtin_cpu_init();
  for (const bool has : {__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
                         __builtin_cpu_supports("avx512vl"), __builtin_cpu_supports("avx512dq")})
    if (!has) return false;
  leaf_7(0);
  if ((edx >> 22 & 1) == 0 || (edx >> 24 & 1) == 0) return false;
  leaf_7(1);
  if ((eax >> 5 & 1) == 0) return false;
  // The tiles' registers are large: Linux wants to be asked for them (5.16 and later).
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace

void set_float32_matmul_precision(MatmulPrecision precision) { precision_now = precision; }

MatmulPrecision get_float32_matmul_precision() {
  return precision_now.load(std::memory_order_relaxed);
}

const std::vector<std::string>& matmul_precision_names() {
  static const std::vector<std::string> names{"highest", "medium"};
  return names;
}

std::string_view name(MatmulPrecision precision) {
  return matmul_precision_names()[static_cast<size_t>(precision)];
}

MatmulPrecision matmul_precision_named(std::string_view text) {
  const auto& names = matmul_precision_names();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    fail("matmul precision", "must be highest or medium", "got ", std::string(text));
  return static_cast<MatmulPrecision>(found - names.begin());
}

bool has_bfloat16_units() {
  static const bool has = ask_for_units();
  return has;
}

}  // namespace glass
