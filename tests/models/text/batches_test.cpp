#include "models/text/batches.h"

#include <algorithm>
#include <limits>
#include <random>

#include "tensor/error.h"
#include "tests/catch.h"

using namespace glass;
using Sequences = std::vector<std::vector<int64_t>>;

namespace {

Sequences of_lengths(const std::vector<size_t>& lengths) {
  Sequences sequences;
  for (size_t length : lengths) sequences.emplace_back(length, 4);
  return sequences;
}

Sequences random_lengths(size_t count) {
  std::mt19937_64 random(count);
  std::vector<size_t> lengths;
  for (size_t i = 0; i < count; ++i) lengths.push_back(1 + random() % 40);
  return of_lengths(lengths);
}

std::vector<int64_t> sorted_rows(const std::vector<Batch>& batches) {
  std::vector<int64_t> rows;
  for (const Batch& batch : batches) rows.insert(rows.end(), batch.rows.begin(), batch.rows.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Cells of the padded sources over cells that hold something.
double padding(const std::vector<Batch>& batches, const Sequences& sources) {
  size_t cells = 0, used = 0;
  for (const Batch& batch : batches) {
    size_t longest = 0;
    for (int64_t row : batch.rows) {
      longest = std::max(longest, sources[static_cast<size_t>(row)].size());
      used += sources[static_cast<size_t>(row)].size();
    }
    cells += longest * batch.rows.size();
  }
  return static_cast<double>(cells) / static_cast<double>(used);
}

std::vector<std::vector<int64_t>> rows_of(const std::vector<Batch>& batches) {
  std::vector<std::vector<int64_t>> rows;
  for (const Batch& batch : batches) rows.push_back(batch.rows);
  return rows;
}

}  // namespace

TEST_CASE("an epoch holds every sentence once, in batches of similar length", "[text]") {
  const Sequences data = random_lengths(5003);
  const Batches batches(data, data, {.batch_size = 32, .seed = 3});
  CHECK(batches.per_epoch() == 157);  // 156 full ones and one of 11
  for (int64_t epoch : {0, 1, 12}) {
    const std::vector<Batch> parts = batches.epoch(epoch);
    CHECK(parts.size() == 157);
    const std::vector<int64_t> rows = sorted_rows(parts);
    REQUIRE(rows.size() == data.size());
    for (size_t i = 0; i < rows.size(); ++i) REQUIRE(rows[i] == static_cast<int64_t>(i));
    CHECK(std::count_if(parts.begin(), parts.end(),
                        [](const Batch& b) { return b.rows.size() == 32; }) == 156);
    CHECK(padding(parts, data) < 1.05);  // unsorted: about 1.9
  }
}

TEST_CASE("batches do not come in order of length", "[text]") {
  const Sequences data = random_lengths(2000);
  const std::vector<Batch> parts = Batches(data, data, {.batch_size = 10}).epoch(0);
  int ups = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    ups += data[static_cast<size_t>(parts[i].rows[0])].size() >
                   data[static_cast<size_t>(parts[i - 1].rows[0])].size()
               ? 1
               : 0;
  }
  CHECK(ups > 70);
  CHECK(ups < 130);  // of 199
}

TEST_CASE("epochs differ, equal seeds agree", "[text]") {
  const Sequences data = random_lengths(300);
  const Batches one(data, data, {.batch_size = 16, .seed = 9});
  const Batches same(data, data, {.batch_size = 16, .seed = 9});
  const Batches other(data, data, {.batch_size = 16, .seed = 10});
  CHECK(rows_of(one.epoch(4)) == rows_of(same.epoch(4)));
  CHECK(rows_of(one.epoch(4)) != rows_of(one.epoch(5)));
  CHECK(rows_of(one.epoch(4)) != rows_of(other.epoch(4)));
}

TEST_CASE("seek resumes exactly, also over the end of an epoch", "[text]") {
  const Sequences data = random_lengths(100);
  const BatchOptions options{.batch_size = 7, .seed = 2};  // 15 batches an epoch
  Batches straight(data, data, options);
  std::vector<std::vector<int64_t>> stream;
  std::vector<BatchPosition> positions;
  for (int i = 0; i < 50; ++i) {
    positions.push_back(straight.position());
    stream.push_back(straight.next().rows);
  }
  CHECK(positions[0] == BatchPosition{0, 0});
  CHECK(positions[14] == BatchPosition{0, 14});
  CHECK(positions[15] == BatchPosition{1, 0});
  CHECK(positions[49] == BatchPosition{3, 4});
  for (size_t from : {0, 1, 14, 15, 16, 31}) {
    Batches resumed(data, data, options);
    resumed.seek(positions[from]);
    CHECK(resumed.position() == positions[from]);
    for (size_t i = from; i < stream.size(); ++i) REQUIRE(resumed.next().rows == stream[i]);
  }
  straight.seek({0, 3});  // backwards too
  CHECK(straight.next().rows == stream[3]);
}

TEST_CASE("small data and huge batches", "[text]") {
  Batches one(of_lengths({3}), of_lengths({0}), {.batch_size = 64});
  CHECK(one.per_epoch() == 1);
  CHECK(one.next().rows == std::vector<int64_t>{0});
  CHECK(one.position() == BatchPosition{1, 0});
  const int64_t huge = std::numeric_limits<int64_t>::max();
  const Batches all(of_lengths({3, 1, 2}), of_lengths({1, 1, 1}), {.batch_size = huge});
  CHECK(all.per_epoch() == 1);
  CHECK(all.epoch(0)[0].rows == std::vector<int64_t>{1, 2, 0});
}

TEST_CASE("within a batch equal sources go by the length of their targets", "[text]") {
  const Batches batches(of_lengths({2, 2, 1}), of_lengths({9, 4, 7}), {.batch_size = 3});
  CHECK(batches.epoch(0)[0].rows == std::vector<int64_t>{2, 1, 0});
}

TEST_CASE("bad batches are refused", "[text]") {
  const Sequences two = of_lengths({1, 2});
  CHECK_THROWS_WITH(Batches(two, of_lengths({1})),
                    "Batches: sources and targets differ in number: 2 and 1");
  CHECK_THROWS_AS(Batches({}, {}), Error);
  CHECK_THROWS_AS(Batches(two, two, {.batch_size = 0}), Error);
  CHECK_THROWS_AS(Batches(two, two, {.batch_size = -4}), Error);
  Batches batches(two, two, {.batch_size = 1});
  CHECK_THROWS_AS(batches.epoch(-1), Error);
  for (const BatchPosition& bad :
       {BatchPosition{-1, 0}, BatchPosition{0, -1}, BatchPosition{0, 2}}) {
    CHECK_THROWS_AS(batches.seek(bad), Error);
  }
  CHECK(batches.position() == BatchPosition{0, 0});
  CHECK_THROWS_AS(sorted_batches(two, 0), Error);
}

TEST_CASE("sorted batches begin with the longest and keep the order of equals", "[text]") {
  CHECK(rows_of(sorted_batches(of_lengths({1, 3, 2, 3, 0}), 2)) ==
        std::vector<std::vector<int64_t>>{{1, 3}, {2, 0}, {4}});
  CHECK(sorted_batches({}, 2).empty());
  // Padded to the longest, a batch has 6 tokens at most, unless it is one row.
  CHECK(rows_of(sorted_batches(of_lengths({1, 3, 2, 9, 0, 2, 3}), 4, 6)) ==
        std::vector<std::vector<int64_t>>{{3}, {1, 6}, {2, 5, 0}, {4}});
}
