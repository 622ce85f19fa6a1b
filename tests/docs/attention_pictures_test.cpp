// The pictures of docs/attention.md and docs/zh/attention.md are those that Glass draws.
#include <cstdlib>
#include <map>

#include "models/report/svg.h"
#include "nn/attention/kernel_pooling.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/docs/attention_lesson.h"
#include "tests/ground/files.h"

namespace glass::attention_lesson {
namespace {

std::vector<std::vector<double>> rows_of(const Var& weights, int64_t rows, int64_t columns) {
  const Tensor table = weights.value().to(kFloat64).reshape({rows, columns});
  std::vector<std::vector<double>> out;
  for (int64_t t = 0; t < rows; ++t) out.push_back(table.select(0, t).to_vector<double>());
  return out;
}

// What a picture says, in English or in Chinese.
struct Language {
  std::string folder;
  std::map<std::string, std::string> words;
  std::string operator()(const std::string& english) const {
    const auto found = words.find(english);
    return found == words.end() ? english : found->second;
  }
};

const Language kEnglish{"docs", {}};
const Language kChinese{"docs/zh",
                        {{"key", "键"},
                         {"query", "查询"},
                         {"source", "源"},
                         {"target", "目标"},
                         {"step", "步"},
                         {"global", "全局 global"},
                         {"local-m, D = 1", "局部 local-m（D = 1）"},
                         {"local-p, D = 2", "局部 local-p（D = 2）"},
                         {"Laplace prior", "拉普拉斯先验 Laplace"},
                         {"hard", "硬注意力 hard"},
                         {"monotonic", "单调（期望）"},
                         {"monotonic, hard", "单调（硬）"},
                         {"MoChA, w = 2", "MoChA（w = 2）"},
                         {"without coverage", "无覆盖"},
                         {"with coverage", "有覆盖"},
                         {"bandwidth 0.2", "带宽 0.2"},
                         {"bandwidth 0.5", "带宽 0.5"},
                         {"bandwidth 2", "带宽 2"},
                         {"English to Chinese", "英译中"},
                         {"German to English", "德译英"}}};

std::string grid(std::vector<AttentionMap> maps, size_t columns, const Language& in,
                 const std::string& source, const std::string& target) {
  for (AttentionMap& map : maps) {
    map.source_name = in(source);
    map.target_name = in(target);
  }
  return heat_map_grid_svg(maps, columns);
}

std::string family(const Language& in) {
  std::vector<AttentionMap> maps;
  for (const Member& member : eight_members())
    maps.push_back(
        {kSource, kTarget, rows_of(look(member).weights.dense(), 5, 6), in(member.name)});
  return grid(maps, 4, in, "source", "target");
}

// Two tables of weights that stand in many introductions.
std::string reading(const Language& in) {
  return grid({{{"I", "love", "NLP"},
                {"我", "爱", "自然语言处理"},
                {{0.8, 0.1, 0.1}, {0.1, 0.7, 0.2}, {0.0, 0.1, 0.9}},
                in("English to Chinese")},
               {{"Ich", "liebe", "Physik"},
                {"I", "love", "physics"},
                {{0.8, 0.1, 0.1}, {0.1, 0.7, 0.2}, {0.1, 0.2, 0.7}},
                in("German to English")}},
              2, in, "source", "target");
}

std::string coverage(const Language& in) {
  const std::vector<std::string> keys{"猫", "坐", "在", "垫", "上"}, steps{"1", "2", "3", "4", "5"};
  std::vector<AttentionMap> maps;
  for (const bool used : {false, true})
    maps.push_back({keys, steps, rows_of(asked_again(used), 5, 5),
                    in(used ? "with coverage" : "without coverage")});
  return grid(maps, 2, in, "source", "step");
}

// Weights of queries 0 … 3 on keys 0 … 3, the wider the bandwidth the blurred.
std::string kernels(const Language& in) {
  const Var places(Tensor::from({0.0, 1.0, 2.0, 3.0}, {4, 1}));
  const Var between(Tensor::from({0.0, 0.6, 1.2, 1.8, 2.4, 3.0}, {6, 1}));
  std::vector<AttentionMap> maps;
  for (const auto& [bandwidth, name] :
       {std::pair{0.2, "bandwidth 0.2"}, {0.5, "bandwidth 0.5"}, {2.0, "bandwidth 2"}})
    maps.push_back({{"0", "1", "2", "3"},
                    {"0", "0.6", "1.2", "1.8", "2.4", "3"},
                    rows_of(kernel_pooling(between, places, places, bandwidth).weights, 6, 4),
                    in(name)});
  return grid(maps, 3, in, "key", "query");
}

}  // namespace
}  // namespace glass::attention_lesson

using namespace glass;
using namespace glass::attention_lesson;

TEST_CASE("the pictures of attention are what Glass draws", "[docs][attention]") {
  for (const Language& in : {kEnglish, kChinese})
    for (const auto& [name, svg] : {std::pair{"attention_family.svg", family(in)},
                                    {"attention_reading.svg", reading(in)},
                                    {"attention_coverage.svg", coverage(in)},
                                    {"attention_kernels.svg", kernels(in)}}) {
      const auto path = tests::source_root() / in.folder / name;
      if (std::getenv("GLASS_DRAW_DOCS")) write_file_atomically(path.string(), svg);
      INFO("draw them anew with: GLASS_DRAW_DOCS=1 ./glass test \"[docs]\"");
      INFO(path);
      CHECK(tests::read_text(path) == svg);
    }
}
