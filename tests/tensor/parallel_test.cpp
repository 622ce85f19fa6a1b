#include "tensor/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tensor/ops.h"
#include "tests/catch.h"
#include "tests/ground/files.h"

using namespace glass;

namespace {

// Sets the number of threads for one test.
class Threads {
 public:
  explicit Threads(int n) : before_(num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

using Part = std::pair<int64_t, int64_t>;

// The parts of a call, ascending.
std::vector<Part> parts_of(int64_t n, int64_t grain) {
  std::mutex mutex;
  std::vector<Part> parts;
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    parts.emplace_back(begin, end);
  });
  std::sort(parts.begin(), parts.end());
  return parts;
}

// The exit status of a child that runs f, -1 when it is not done within the seconds.
template <class F>
int status_of_child(const F& f, int seconds = 15) {
  const pid_t child = fork();
  if (child == 0) _exit(f());
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// Whether ones [n, n] times twos [n, n] is 2 n everywhere.
bool product_is_right(int64_t n) {
  const Tensor y = matmul(Tensor::ones({n, n}), Tensor::full({n, n}, 2));
  const auto values = y.to_vector<float>();
  return std::all_of(values.begin(), values.end(),
                     [&](float x) { return x == static_cast<float>(2 * n); });
}

bool sums_are_right() {
  std::atomic<int64_t> sum = 0;
  parallel_for(100000, 10, [&](int64_t begin, int64_t end) {
    int64_t mine = 0;
    for (int64_t i = begin; i < end; ++i) mine += i;
    sum += mine;
  });
  return sum == 4999950000;
}

}  // namespace

TEST_CASE("the parts cover the range once, each of at least the grain", "[parallel]") {
  for (int threads : {1, 2, 3, 8}) {
    const Threads set(threads);
    for (int64_t n : {1, 2, 7, 64, 1000, 1001, 65537})
      for (int64_t grain : {1, 2, 10, 999, 1000, 100000}) {
        INFO(threads << " threads, " << n << " items, grain " << grain);
        const auto parts = parts_of(n, grain);
        REQUIRE(!parts.empty());
        CHECK(parts.front().first == 0);
        CHECK(parts.back().second == n);
        bool joined = true, large = true;
        for (size_t i = 0; i + 1 < parts.size(); ++i) {
          joined = joined && parts[i].second == parts[i + 1].first;
          large = large && parts[i].second - parts[i].first >= grain;
        }
        CHECK(joined);
        CHECK(large);
        CHECK(parts == parts_of(n, grain));
      }
  }
}

TEST_CASE("an empty range calls nothing, and a grain below 1 counts as 1", "[parallel]") {
  const Threads set(4);
  CHECK(parts_of(0, 1).empty());
  CHECK(parts_of(-5, 1).empty());
  CHECK(parts_of(10, 0) == parts_of(10, 1));
  CHECK(parts_of(10, -3) == parts_of(10, 1));
}

TEST_CASE("several threads take part, one when told so", "[parallel]") {
  auto threads_seen = [] {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> waiting = 0;
    parallel_for(64, 1, [&](int64_t, int64_t) {
      {
        std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      // The first parts wait for each other, so that no single thread can take them all.
      ++waiting;
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (waiting < num_threads() && std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    });
    return seen;
  };
  const Threads set(3);
  CHECK(threads_seen().size() == 3);
  set_num_threads(1);
  CHECK(threads_seen() == std::set<std::thread::id>{std::this_thread::get_id()});
  set_num_threads(2);
  CHECK(num_threads() == 2);
  CHECK(threads_seen().size() == 2);
}

TEST_CASE("the number of threads is clamped to what makes sense", "[parallel]") {
  const Threads set(1);
  set_num_threads(0);
  CHECK(num_threads() == 1);
  set_num_threads(-7);
  CHECK(num_threads() == 1);
  set_num_threads(1 << 20);
  CHECK(num_threads() == 1024);
}

TEST_CASE("a call from inside a part runs there, whole", "[parallel]") {
  const Threads set(4);
  std::atomic<int> wrong = 0, inner = 0;
  parallel_for(100, 1, [&](int64_t begin, int64_t end) {
    const auto self = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i)
      parallel_for(1000, 1, [&](int64_t b, int64_t e) {
        ++inner;
        wrong += b != 0 || e != 1000 || std::this_thread::get_id() != self;
      });
  });
  CHECK(wrong == 0);
  CHECK(inner == 100);
  // Afterwards the caller is outside again.
  CHECK(parts_of(1000, 1).size() > 1);
}

TEST_CASE("several user threads may call at once", "[parallel]") {
  const Threads set(3);
  std::atomic<int> right = 0;
  std::vector<std::thread> users;
  for (int t = 0; t < 4; ++t)
    users.emplace_back([&] {
      for (int round = 0; round < 50; ++round) right += sums_are_right();
    });
  for (auto& user : users) user.join();
  CHECK(right == 200);
}

TEST_CASE("products on four threads at once equal those of one thread", "[parallel]") {
  const Threads set(2);
  const Tensor a = Tensor::arange(0, 128 * 96, 1, kFloat32).reshape({128, 96});
  const Tensor b = Tensor::arange(0, 96 * 80, 1, kFloat32).reshape({96, 80});
  const auto want = matmul(a, b).to_vector<float>();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> users;
  for (int t = 0; t < 4; ++t)
    users.emplace_back([&] {
      // A handle belongs to one thread: each makes its own.
      const Tensor x = Tensor::arange(0, 128 * 96, 1, kFloat32).reshape({128, 96});
      const Tensor y = Tensor::arange(0, 96 * 80, 1, kFloat32).reshape({96, 80});
      for (int round = 0; round < 20; ++round) {
        const auto got = matmul(x, y).to_vector<float>();
        for (size_t i = 0; i < got.size(); ++i)
          wrong += std::abs(got[i] - want[i]) > 1e-6f * std::abs(want[i]);
      }
    });
  for (auto& user : users) user.join();
  CHECK(wrong == 0);
}

TEST_CASE("a child forked after the pool started works on", "[parallel]") {
  const Threads set(3);
  REQUIRE(product_is_right(256));
  REQUIRE(sums_are_right());
  CHECK(status_of_child([] { return product_is_right(256) && sums_are_right() ? 0 : 1; }) == 0);
  // A child may set its own number of threads, and the parent's pool goes on.
  CHECK(status_of_child([] {
          set_num_threads(2);
          return sums_are_right() && parts_of(1000, 1).size() > 1 ? 0 : 1;
        }) == 0);
  CHECK(sums_are_right());
  CHECK(parts_of(1000, 1).size() > 1);
}

TEST_CASE("a child forked while another thread uses the pool works on", "[parallel]") {
  const Threads set(2);
  std::atomic<bool> stop = false;
  std::thread user([&] {
    while (!stop) sums_are_right();
  });
  for (int round = 0; round < 20; ++round)
    CHECK(status_of_child([] { return sums_are_right() ? 0 : 1; }) == 0);
  stop = true;
  user.join();
}

TEST_CASE("a child forked inside a part works on", "[parallel]") {
  const Threads set(2);
  std::atomic<int> status = -2;
  parallel_for(2, 1, [&](int64_t begin, int64_t) {
    if (begin == 0) status = status_of_child([] { return sums_are_right() ? 0 : 1; });
  });
  CHECK(status == 0);
}

TEST_CASE("workers treat subnormal numbers as the main thread does", "[parallel]") {
  const Threads set(4);
  volatile float tiny = 1e-40f;
  const float here = tiny * 0.5f;
  std::atomic<int> different = 0;
  parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) different += tiny * 0.5f != here;
  });
  CHECK(here > 0);  // nothing is flushed to zero
  static_cast<void>(product_is_right(64));
  CHECK(tiny * 0.5f == here);
  CHECK(different == 0);
}

TEST_CASE("prints the number of threads", "[.thread-count]") {
  std::printf("threads: %d\n", num_threads());
  CHECK(sums_are_right());
}

TEST_CASE("GLASS_THREADS sets the number of threads", "[parallel]") {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  auto threads = [&](const std::string& setting) {
    const auto outcome =
        tests::run(setting + " " + tests::quoted(program) + " 'prints the number of threads'");
    CHECK(outcome.status == 0);
    const size_t at = outcome.output.find("threads: ");
    return at == std::string::npos ? -1 : std::atoi(outcome.output.c_str() + at + 9);
  };
  const int usual = threads("env -u GLASS_THREADS");
  CHECK(usual >= 1);
  CHECK(usual <= static_cast<int>(std::thread::hardware_concurrency()));
  CHECK(threads("GLASS_THREADS=3") == 3);
  CHECK(threads("GLASS_THREADS=1") == 1);
  CHECK(threads("GLASS_THREADS=99999") == 1024);
  for (const char* useless :
       {"GLASS_THREADS=", "GLASS_THREADS=0", "GLASS_THREADS=-2", "GLASS_THREADS=many"})
    CHECK(threads(useless) == usual);
  // The cores that the process may use count, not those of the machine.
  if (tests::run("command -v taskset").status == 0) CHECK(threads("taskset -c 0") == 1);
}

TEST_CASE("the number of threads cannot change inside a part", "[parallel]") {
  const int before = num_threads();
  set_num_threads(2);
  std::atomic<int> refused = 0;
  parallel_for(64, 1, [&](int64_t, int64_t) {
    try {
      set_num_threads(3);
    } catch (const Error&) {
      ++refused;
    }
  });
  CHECK(refused > 0);
  CHECK(num_threads() == 2);
  set_num_threads(before);
}
