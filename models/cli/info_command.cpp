#include <fmt/core.h>

#include "models/cli/commands.h"
#include "tensor/blas.h"
#include "tensor/kernels.h"
#include "tensor/memory.h"
#include "tensor/parallel.h"
#include "tensor/precision.h"

namespace glass {
namespace {

std::string instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "x86-64-v4 (AVX-512)";
  if (__builtin_cpu_supports("avx2")) return "x86-64-v3 (AVX2)";
  return "x86-64";
#else
  return "baseline";
#endif
}

void info() {
  const MemoryStats memory = memory_stats();
#if defined(NDEBUG)
  const char* build = "release";
#else
  const char* build = "debug";
#endif
  fmt::print("version   {}\n", GLASS_VERSION);
  fmt::print("compiler  {}, {} build\n",
#if defined(__clang__)
             "Clang " __clang_version__,
#else
             "GCC " __VERSION__,
#endif
             build);
  fmt::print("kernels   {}\n", instruction_set());
  fmt::print("BLAS      {}\n", blas_description());
  fmt::print("bfloat16  {}\n", has_bfloat16_units() ? "yes, for --matmul-precision medium (AMX)"
                                                    : "no units, of this processor or system");
  fmt::print("threads   {}\n", num_threads());
  fmt::print("CUDA      {}\n", cuda_kernels() ? "yes" : "not in this build");
  fmt::print("memory    {} bytes live, {} at the peak, {} cached\n", memory.live, memory.peak,
             memory.cached);
}

}  // namespace

void add_info_command(CLI::App& app) {
  app.add_subcommand("info", "Say how this program was built and what it runs on")->callback(info);
}

}  // namespace glass
