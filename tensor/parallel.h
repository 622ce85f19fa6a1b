#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace glass {

/// A reference to a callable that outlives the call it is passed to; never allocates.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

/// Number of threads that parallel_for uses. GLASS_THREADS sets it; otherwise the cores this
/// process may really use (affinity and cgroup quota).
int num_threads();
/// Throws inside a part of parallel_for.
void set_num_threads(int threads);

/// Calls f(begin, end) on parts of [0, n), each of at least grain items except the last, on the
/// threads of the one pool. The parts depend on n, grain and num_threads() only. A call from inside
/// a part, or while another thread uses the pool, runs on the calling thread alone. f must not
/// throw.
void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);

}  // namespace glass
