#include "tensor/memory.h"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>

#include "tensor/error.h"

namespace glass {
namespace {

constexpr size_t kAlign = 64;
constexpr size_t kFine = 4096;  // below: one class per 64 bytes; above: four classes per doubling
constexpr int kFineClasses = kFine / kAlign;
constexpr int kClasses = kFineClasses + 1 + 4 * 36;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCaching = false;  // a cached block would hide a use after free
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif
#else
constexpr bool kCaching = true;
#endif

// Counters are written by their own thread only, so a relaxed load and store is enough.
class Counter {
 public:
  void add(int64_t n) { value_.store(get() + n, std::memory_order_relaxed); }
  void set(int64_t n) { value_.store(n, std::memory_order_relaxed); }
  int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

struct FreeBlock {
  FreeBlock* next;
};

struct Cache {
  FreeBlock* free[kClasses] = {};
  Counter live, peak, cached, system_calls;
  Cache* next = nullptr;  // caches outlive their threads, so that counters stay summable
};

std::mutex caches_mutex;
Cache* all_caches = nullptr;

size_t class_bytes(int index) {
  if (index <= kFineClasses) return index * kAlign;
  const int k = index - kFineClasses - 1;
  return (kFine << (k / 4)) / 4 * (5 + k % 4);
}

int class_of(size_t bytes) {
  if (bytes <= kFine) return static_cast<int>((bytes + kAlign - 1) / kAlign);
  const int power = std::bit_width(bytes - 1) - 13;  // 2^12 < bytes <= 2^13 is power 0
  const size_t quarter = (kFine << power) / 4;
  return kFineClasses + 1 + 4 * power + static_cast<int>((bytes - 1) / quarter) - 4;
}

void release(Cache& cache) {
  for (int i = 0; i < kClasses; ++i) {
    while (FreeBlock* block = cache.free[i]) {
      cache.free[i] = block->next;
      std::free(block);
    }
  }
  cache.cached.set(0);
}

thread_local Cache* cache_ = nullptr;
thread_local bool thread_ended_ = false;

struct ThreadEnd {
  ~ThreadEnd() {
    thread_ended_ = true;
    if (cache_) release(*cache_);
  }
};

[[gnu::noinline]] Cache& make_cache() {
  thread_local ThreadEnd at_end;
  cache_ = new Cache;
  std::lock_guard lock(caches_mutex);
  cache_->next = all_caches;
  all_caches = cache_;
  return *cache_;
}

inline Cache& cache() { return cache_ ? *cache_ : make_cache(); }

// Large blocks ask for large pages: fewer page faults, and fewer misses of the address cache where
// rows are gathered from all over a tensor.
void* from_system(size_t bytes) {
  constexpr size_t kPage = size_t{2} << 20, kLarge = 2 * kPage;
  if (bytes < kLarge) return std::aligned_alloc(kAlign, bytes);
  void* block = nullptr;  // aligned_alloc would want whole pages
  if (posix_memalign(&block, kPage, bytes) != 0) return nullptr;
  madvise(block, bytes, MADV_HUGEPAGE);  // a wish: whether it is granted changes no result
  return block;
}

[[gnu::noinline]] void* system_allocate(Cache& c, size_t bytes) {
  c.system_calls.add(1);
  void* block = from_system(bytes);
  if (!block) {
    release(c);
    block = from_system(bytes);
  }
  if (!block)
    fail_environment("memory", "the system has no memory left", bytes, " bytes asked for");
  return block;
}

}  // namespace

void* pool_allocate(size_t bytes) {
  // Beyond this no machine can help, and rounding up must not wrap.
  if (bytes > (size_t{1} << 46)) fail("memory", "too large", bytes, " bytes asked for");
  Cache& c = cache();
  const int index = class_of(bytes ? bytes : 1);
  const size_t size = class_bytes(index);
  void* block = c.free[index];
  if (block) {
    c.free[index] = c.free[index]->next;
    c.cached.add(-static_cast<int64_t>(size));
  } else {
    block = system_allocate(c, size);
  }
  c.live.add(size);
  if (c.live.get() > c.peak.get()) c.peak.set(c.live.get());
  return block;
}

void pool_free(void* block, size_t bytes) noexcept {
  if (!block) return;
  const int index = class_of(bytes ? bytes : 1);
  const size_t size = class_bytes(index);
  Cache& c = cache();
  c.live.add(-static_cast<int64_t>(size));
  if (!kCaching || thread_ended_) {
    std::free(block);
    return;
  }
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = c.free[index];
  c.free[index] = free_block;
  c.cached.add(size);
}

MemoryStats memory_stats() {
  MemoryStats total;
  std::lock_guard lock(caches_mutex);
  for (Cache* c = all_caches; c; c = c->next) {
    total.live += c->live.get();
    total.peak += c->peak.get();
    total.cached += c->cached.get();
    total.system_calls += c->system_calls.get();
  }
  return total;
}

void reset_peak_memory() {
  std::lock_guard lock(caches_mutex);
  for (Cache* c = all_caches; c; c = c->next) c->peak.set(c->live.get());
}

void release_cached_memory() { release(cache()); }

}  // namespace glass
