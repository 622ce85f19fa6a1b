#pragma once

#include <cstddef>
#include <cstdint>

namespace glass {

/// What the caching allocator holds, in bytes, over all threads.
struct MemoryStats {
  int64_t live = 0;    ///< handed out to tensors and tape nodes
  int64_t peak = 0;    ///< highest live since start or reset_peak_memory(); summed over threads
  int64_t cached = 0;  ///< freed by tensors, kept for reuse
  int64_t system_calls = 0;  ///< how often the allocator had to ask the system for memory
};
MemoryStats memory_stats();
void reset_peak_memory();
/// Gives the calling thread's cached blocks back to the system.
void release_cached_memory();

/// A 64-byte aligned block of at least bytes from the calling thread's cache. Freed blocks are kept
/// by size class (at most 25 % larger than asked) and handed out again. Throws Error (environment)
/// when the system has no memory.
void* pool_allocate(size_t bytes);
/// bytes: what was asked for. Any thread may free; the block stays with the thread that frees.
void pool_free(void* block, size_t bytes) noexcept;

}  // namespace glass
