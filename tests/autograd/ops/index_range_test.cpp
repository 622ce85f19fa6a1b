// Places that an op reads or writes: several times, and outside (B02). All ops that take an index.
#include <functional>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Var places(const std::vector<int64_t>& ids) {
  return Var(Tensor::from(ids, {static_cast<int64_t>(ids.size())}));
}

struct Reader {
  const char* name;
  std::function<Var(const Var& x, const Var& ids)> read;  ///< x [3] at ids
};

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all{
      {"index_select", [](const Var& x, const Var& ids) { return index_select(x, 0, ids); }},
      {"gather", [](const Var& x, const Var& ids) { return gather(x, 0, ids); }},
      {"getitem", [](const Var& x, const Var& ids) { return getitem(x, {Index(ids)}); }},
      {"embedding",
       [](const Var& x, const Var& ids) {
         return reshape(embedding(ids, reshape(x, {3, 1})), {-1});
       }},
      {"embedding of 2-d ids", [](const Var& x, const Var& ids) {
         return reshape(embedding(reshape(ids, {-1, 1}), reshape(x, {3, 1})), {-1});
       }}};
  return all;
}

}  // namespace

TEST_CASE("every op that reads places adds up their gradients, in both kinds of backward",
          "[ops]") {
  const Var upstream(Tensor::from({1.0, 2.0, 4.0, 8.0}));
  for (const Reader& op : readers()) {
    INFO(op.name);
    const Var x = leaf({10, 20, 30});
    const Var y = op.read(x, places({2, 0, 2, 2}));
    CHECK(numbers(y) == std::vector<double>{30, 10, 30, 30});
    for (const bool twice : {false, true})
      CHECK(numbers(grad({y}, {x}, {upstream}, {.retain_graph = true, .create_graph = twice})[0]) ==
            std::vector<double>{2, 0, 13});
  }
}

TEST_CASE("every op names an index outside and its range, and changes nothing", "[ops]") {
  const Var x = leaf({10, 20, 30}), one = leaf({1});
  struct Row {
    std::string name;
    bool from_the_end;  ///< -1 … -3 are places too
    std::function<void(int64_t)> call;
  };
  std::vector<Row> rows{
      {"scatter_add", false, [&](int64_t id) { scatter_add(x, 0, places({id}), one); }},
      {"index_fill", false, [&](int64_t id) { index_fill(x, 0, places({id}), 5); }},
      {"select", true, [&](int64_t id) { select(x, 0, id); }},
      {"getitem of a number", true, [&](int64_t id) { getitem(x, {Index(id)}); }}};
  for (const Reader& op : readers())
    rows.push_back({op.name, std::string(op.name) == "getitem", [&](int64_t id) {
                      op.read(x, places({0, id}));
                    }});
  for (const Row& row : rows)
    for (const int64_t bad : {3, -1, -4}) {
      if (row.from_the_end && bad == -1) continue;
      INFO(row.name << " at " << bad);
      const std::string message = message_of([&] { row.call(bad); });
      CHECK_THAT(message, ContainsSubstring(std::to_string(bad)));
      CHECK(
          (message.find("[0, 2]") != std::string::npos || message.find("3") != std::string::npos));
      CHECK(numbers(x) == std::vector<double>{10, 20, 30});
      CHECK(x.value().version() == 0);
    }
}
