#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

// Prototypes that let `#pragma omp simd` loops call the C library's vector versions (libmvec).
// Each is accurate to 4 units in the last place.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
extern "C" {
#pragma omp declare simd notinbranch
float expf(float) noexcept;
#pragma omp declare simd notinbranch
double exp(double) noexcept;
#pragma omp declare simd notinbranch
float logf(float) noexcept;
#pragma omp declare simd notinbranch
double log(double) noexcept;
#pragma omp declare simd notinbranch
float tanhf(float) noexcept;
#pragma omp declare simd notinbranch
double tanh(double) noexcept;
#pragma omp declare simd notinbranch
float log1pf(float) noexcept;
#pragma omp declare simd notinbranch
double log1p(double) noexcept;
#pragma omp declare simd notinbranch
float expm1f(float) noexcept;
#pragma omp declare simd notinbranch
double expm1(double) noexcept;
#pragma omp declare simd notinbranch
float erff(float) noexcept;
#pragma omp declare simd notinbranch
double erf(double) noexcept;
#pragma omp declare simd notinbranch
float sinf(float) noexcept;
#pragma omp declare simd notinbranch
double sin(double) noexcept;
#pragma omp declare simd notinbranch
float cosf(float) noexcept;
#pragma omp declare simd notinbranch
double cos(double) noexcept;
#pragma omp declare simd notinbranch
float powf(float, float) noexcept;
#pragma omp declare simd notinbranch
double pow(double, double) noexcept;
}
#endif

/// Marks an expression that both the CPU and the CUDA loops inline.
#if defined(__CUDACC__)
#define GLASS_FN __host__ __device__ constexpr inline
#else
#define GLASS_FN [[gnu::always_inline]] constexpr inline
#endif

namespace glass {

// The functions an expression may use, for numbers. The same names exist for Var and Probe, so that
// one expression serves values, derivatives of derivatives, and the question what it depends on.
GLASS_FN float exp(float x) { return ::expf(x); }
GLASS_FN double exp(double x) { return ::exp(x); }
GLASS_FN float log(float x) { return ::logf(x); }
GLASS_FN double log(double x) { return ::log(x); }
GLASS_FN float log1p(float x) { return ::log1pf(x); }
GLASS_FN double log1p(double x) { return ::log1p(x); }
GLASS_FN float expm1(float x) { return ::expm1f(x); }
GLASS_FN double expm1(double x) { return ::expm1(x); }
GLASS_FN float tanh(float x) { return ::tanhf(x); }
GLASS_FN double tanh(double x) { return ::tanh(x); }
GLASS_FN float erf(float x) { return ::erff(x); }
GLASS_FN double erf(double x) { return ::erf(x); }
GLASS_FN float sin(float x) { return ::sinf(x); }
GLASS_FN double sin(double x) { return ::sin(x); }
GLASS_FN float cos(float x) { return ::cosf(x); }
GLASS_FN double cos(double x) { return ::cos(x); }
GLASS_FN float sqrt(float x) { return ::sqrtf(x); }
GLASS_FN double sqrt(double x) { return ::sqrt(x); }
GLASS_FN float pow(float x, float y) { return ::powf(x, y); }
GLASS_FN double pow(double x, double y) { return ::pow(x, y); }
GLASS_FN float abs(float x) { return __builtin_fabsf(x); }
GLASS_FN double abs(double x) { return __builtin_fabs(x); }
GLASS_FN int64_t abs(int64_t x) { return x < 0 ? -x : x; }
// 1 / (1 + exp(-x)): exp may overflow to infinity, which gives the right 0.
GLASS_FN float sigmoid(float x) { return 1.0f / (1.0f + ::expf(-x)); }
GLASS_FN double sigmoid(double x) { return 1.0 / (1.0 + ::exp(-x)); }

/// a where condition holds, else b. Both are evaluated.
template <class T>
requires std::is_arithmetic_v<T> GLASS_FN T where(bool condition, T a, T b) {
  return condition ? a : b;
}

}  // namespace glass
