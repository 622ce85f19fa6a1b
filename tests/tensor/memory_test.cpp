#include "tensor/memory.h"

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "tensor/error.h"
#include "tensor/tensor.h"
#include "tests/catch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

// The address sanitizer's builds keep nothing for reuse, so that it can see a use after free.
bool keeps_blocks() {
  release_cached_memory();
  pool_free(pool_allocate(64), 64);
  return memory_stats().cached > 0;
}

}  // namespace

TEST_CASE("blocks are aligned, writable, and at most a quarter larger than asked", "[memory]") {
  const int64_t before = memory_stats().live;
  for (size_t bytes :
       {0,    1,    63,   64,   65,   127,  128,  129,   1000,  4032,  4095,    4096,
        4097, 5120, 5121, 6144, 7168, 8192, 8193, 10000, 65536, 65537, 1000000, 33554433}) {
    INFO(bytes);
    void* block = pool_allocate(bytes);
    const auto size = static_cast<size_t>(memory_stats().live - before);
    CHECK(reinterpret_cast<uintptr_t>(block) % 64 == 0);
    CHECK(size >= bytes);
    CHECK(size <= std::max<size_t>(bytes + 64, bytes + bytes / 4));
    std::memset(block, 0xab, bytes);
    pool_free(block, bytes);
    CHECK(memory_stats().live == before);
  }
}

TEST_CASE("every size has a class that holds it", "[memory]") {
  // A wrong class shows as overlapping blocks or, under the sanitizer, as an overflow.
  for (size_t bytes = 1; bytes < 40000; bytes += 37) {
    auto* first = static_cast<unsigned char*>(pool_allocate(bytes));
    auto* second = static_cast<unsigned char*>(pool_allocate(bytes));
    std::memset(first, 1, bytes);
    std::memset(second, 2, bytes);
    REQUIRE(first[0] == 1);
    REQUIRE(first[bytes - 1] == 1);
    pool_free(first, bytes);
    pool_free(second, bytes);
  }
}

TEST_CASE("a freed block is handed out again without the system", "[memory]") {
  if (!keeps_blocks()) return;
  void* block = pool_allocate(10000);
  pool_free(block, 10000);
  const MemoryStats before = memory_stats();
  void* again = pool_allocate(9500);  // the same class
  CHECK(again == block);
  CHECK(memory_stats().system_calls == before.system_calls);
  CHECK(memory_stats().cached < before.cached);
  pool_free(again, 9500);
  CHECK(memory_stats().cached == before.cached);
  CHECK(memory_stats().live == before.live);
}

TEST_CASE("a loop over tensors of one size asks the system once", "[memory]") {
  if (!keeps_blocks()) return;
  static_cast<void>(Tensor::zeros({1000, 10}));
  const int64_t before = memory_stats().system_calls;
  for (int i = 0; i < 100; ++i) static_cast<void>(Tensor::zeros({1000, 10}));
  CHECK(memory_stats().system_calls == before);
}

TEST_CASE("live and peak follow the tensors", "[memory]") {
  const int64_t before = memory_stats().live;
  reset_peak_memory();
  const int64_t peak = memory_stats().peak;
  {
    const Tensor x = Tensor::zeros({256, 1024});  // 1 MiB
    const int64_t held = memory_stats().live - before;
    CHECK(held >= 1 << 20);
    CHECK(held <= (1 << 20) * 5 / 4);
    const Tensor view = x.slice(0, 1).transpose(0, 1);
    const Tensor handle = x;
    CHECK(memory_stats().live - before == held);
    static_cast<void>(x.clone());
    CHECK(memory_stats().live - before == held);
    CHECK(memory_stats().peak - peak >= 2 * held);
  }
  CHECK(memory_stats().live == before);
  CHECK(memory_stats().peak - peak >= 2 << 20);
  reset_peak_memory();
  CHECK(memory_stats().peak == peak);
}

TEST_CASE("a view keeps the storage alive", "[memory]") {
  const int64_t before = memory_stats().live;
  Tensor row;
  {
    const Tensor x = Tensor::arange(0, 1000).reshape({10, 100});
    row = x.select(0, 3);
  }
  CHECK(memory_stats().live > before);
  CHECK(row.at({7}) == 307);
  row = Tensor();
  CHECK(memory_stats().live == before);
}

TEST_CASE("a block may be freed by another thread, which then owns it", "[memory]") {
  const int64_t before = memory_stats().live;
  std::vector<void*> blocks;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) blocks.push_back(pool_allocate(3000));
  }).join();
  CHECK(memory_stats().live - before >= 300000);
  for (void* block : blocks) {
    std::memset(block, 1, 3000);
    pool_free(block, 3000);
  }
  CHECK(memory_stats().live == before);
  if (!keeps_blocks()) return;
  blocks.clear();
  std::thread([&] {
    for (int i = 0; i < 3; ++i) blocks.push_back(pool_allocate(3000));
  }).join();
  const std::set<void*> freed(blocks.begin(), blocks.end());
  for (void* block : blocks) pool_free(block, 3000);
  std::set<void*> again;
  for (int i = 0; i < 3; ++i) again.insert(pool_allocate(3000));
  CHECK(again == freed);
  for (void* block : again) pool_free(block, 3000);
}

TEST_CASE("a thread that ends gives its cached blocks back", "[memory]") {
  release_cached_memory();
  const int64_t before = memory_stats().cached;
  std::thread([&] {
    pool_free(pool_allocate(1 << 20), 1 << 20);
    static_cast<void>(Tensor::zeros({100}));
  }).join();
  CHECK(memory_stats().cached == before);
}

TEST_CASE("cached memory can be given back", "[memory]") {
  pool_free(pool_allocate(1 << 20), 1 << 20);
  pool_free(pool_allocate(100), 100);
  const int64_t live = memory_stats().live;
  release_cached_memory();
  CHECK(memory_stats().cached == 0);
  CHECK(memory_stats().live == live);
  pool_free(pool_allocate(100), 100);
}

TEST_CASE("threads that allocate at once do not disturb each other", "[memory]") {
  const int64_t before = memory_stats().live;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      for (int round = 0; round < 300; ++round) {
        std::vector<unsigned char*> blocks;
        for (size_t i = 1; i < 20; ++i) {
          blocks.push_back(static_cast<unsigned char*>(pool_allocate(i * 100)));
          std::memset(blocks.back(), t + 1, i * 100);
        }
        for (size_t i = 1; i < 20; ++i) {
          wrong[static_cast<size_t>(t)] += blocks[i - 1][i * 100 - 1] != t + 1;
          pool_free(blocks[i - 1], i * 100);
        }
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
  CHECK(memory_stats().live == before);
}

TEST_CASE("asking for more than any machine has is an error", "[memory]") {
  const int64_t before = memory_stats().live;
  CHECK_THROWS_WITH(pool_allocate((size_t{1} << 46) + 1),
                    "memory: too large: 70368744177665 bytes asked for");
  CHECK_THROWS_AS(pool_allocate(SIZE_MAX), Error);
  CHECK(memory_stats().live == before);
  pool_free(nullptr, 100);
  CHECK(memory_stats().live == before);
}
