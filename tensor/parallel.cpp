#include "tensor/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tensor/error.h"

namespace glass {
namespace {

// Cores that the scheduler lets us use: affinity mask, then the cgroup's quota (version 2, then 1).
int usable_cores() {
  int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = std::max(1, CPU_COUNT(&set));
  double quota = 0, period = 0;
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  if (!(v2 >> quota >> period)) {
    std::ifstream q("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
        p("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(q >> quota && p >> period)) quota = 0;
  }
  if (quota > 0 && period > 0)
    cores = std::min(cores, std::max(1, static_cast<int>(quota / period + 0.5)));
  return cores;
}

int initial_threads() {
  if (const char* text = std::getenv("GLASS_THREADS")) {
    const int n = std::atoi(text);
    if (n > 0) return std::min(n, 1024);
  }
  return usable_cores();
}

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

thread_local bool inside_part_ = false;

// Persistent workers. A job is published by raising generation_; workers take part numbers from
// next_ until none is left. They spin for a while for the next job, then sleep.
class ThreadPool {
 public:
  explicit ThreadPool(int threads) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  }
  ~ThreadPool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      generation_.fetch_add(1);
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(int64_t n, int64_t part, int64_t parts, FunctionRef<void(int64_t, int64_t)> f) {
    f_ = &f;
    n_ = n;
    part_ = part;
    parts_ = parts;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1);  // sequentially consistent with sleepers_
    if (sleepers_.load() > 0) {
      std::lock_guard lock(mutex_);
      wake_.notify_all();
    }
    inside_part_ = true;
    take_parts();
    inside_part_ = false;
    for (int spins = 0; busy_.load(std::memory_order_acquire) > 0; ++spins)
      spins < 20000 ? pause() : std::this_thread::yield();
  }

 private:
  void take_parts() {
    for (int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < parts_;)
      (*f_)(i * part_, std::min(n_, (i + 1) * part_));
  }

  void work() {
    inside_part_ = true;
    for (uint64_t seen = 0;; ++seen) {
      for (int spins = 0; spins < 4000 && generation_.load(std::memory_order_acquire) == seen;
           ++spins)
        pause();
      if (generation_.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex_);
        sleepers_.fetch_add(1);
        wake_.wait(lock, [&] { return generation_.load() != seen; });
        sleepers_.fetch_sub(1);
      }
      if (stop_) return;
      take_parts();
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> sleepers_{0}, busy_{0};
  std::atomic<int64_t> next_{0};
  std::atomic<bool> stop_{false};
  FunctionRef<void(int64_t, int64_t)>* f_ = nullptr;
  int64_t n_ = 0, part_ = 0, parts_ = 0;
};

std::mutex pool_mutex;       // held while the pool works: whoever finds it taken works alone
ThreadPool* pool = nullptr;  // never destroyed at exit: workers may still sleep then
std::atomic<int> threads_{0};

// The child of a fork has no workers: forget the pool and its locked mutex, and build anew.
void forget_pool() {
  pool = nullptr;
  new (&pool_mutex) std::mutex;
  inside_part_ = false;
}

}  // namespace

int num_threads() {
  if (threads_.load(std::memory_order_relaxed) == 0) threads_ = initial_threads();
  return threads_.load(std::memory_order_relaxed);
}

void set_num_threads(int threads) {
  if (inside_part_) fail("set_num_threads", "cannot be called inside a part of parallel_for");
  std::lock_guard lock(pool_mutex);
  threads_ = std::clamp(threads, 1, 1024);
  delete std::exchange(pool, nullptr);
}

void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t, int64_t)> f) {
  if (n <= 0) return;
  const int threads = num_threads();
  grain = std::max<int64_t>(grain, 1);
  if (threads == 1 || n <= grain || inside_part_) return f(0, n);
  std::unique_lock lock(pool_mutex, std::try_to_lock);
  if (!lock) return f(0, n);
  if (!pool) {
    static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
    static_cast<void>(registered);
    pool = new ThreadPool(threads);
  }
  // A few parts per thread even out unequal speeds.
  const int64_t part = std::max(grain, (n + 4 * threads - 1) / (4 * threads));
  pool->run(n, part, (n + part - 1) / part, f);
}

}  // namespace glass
