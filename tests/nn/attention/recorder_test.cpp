#include "nn/attention/recorder.h"

#include "autograd/autograd.h"
#include "nn/attention/attention.h"
#include "nn/transformer.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/values.h"

#include <filesystem>

using namespace glass;
using namespace glass::tests;

TEST_CASE("a recorder sees every layer of a model under its name", "[attention][recorder]") {
  Generator g(1);
  TransformerEncoder model(2, 4, 2, {.dim_feedforward = 8, .dropout = 0, .batch_first = true},
                           false, g);
  const Var x(uniform({2, 3, 4}, -1, 1, kFloat32, g));
  const auto before = numbers(model(x));
  AttentionRecorder recorder(model);
  CHECK(numbers(model(x)) == before);
  CHECK(recorder.layers() == std::vector<std::string>{"layers.0.self_attn", "layers.1.self_attn"});
  const Tensor w = recorder.weights("layers.1.self_attn");
  CHECK(w.shape() == Shape{2, 2, 3, 3});
  for (const RecordedAttention& call : recorder.calls())
    for (double mass : numbers(Var(call.mass))) CHECK(mass == Approx(1));
  CHECK(message_of([&] { recorder.weights("layers.7"); }) ==
        "AttentionRecorder: nothing was recorded of this layer: layers.7; recorded: "
        "layers.0.self_attn, layers.1.self_attn");
}

TEST_CASE("a recorder joins the steps of a decoder", "[attention][recorder]") {
  Generator g(2);
  for (const AttentionScope& scope :
       {AttentionScope(GlobalScope{}), AttentionScope(LocalPScope{.D = 1})}) {
    Attention a({.query_dim = 4, .key_dim = 4, .score = DotScore{}, .scope = scope, .heads = {2}},
                g);
    const Var keys(uniform({2, 5, 4}, -1, 1, kFloat32, g));
    const Var query(uniform({2, 3, 4}, -1, 1, kFloat32, g));
    const Keys prepared = a.prepare(keys);
    AttentionRecorder recorder;
    AttentionState state;
    for (int64_t t = 0; t < 3; ++t) state = a(select(query, 1, t), prepared, state).next;
    const Tensor steps = recorder.weights("attention 1");
    recorder.clear();
    a(query, prepared);
    check_close(Var(steps), numbers(Var(recorder.weights("attention 1"))));
    CHECK(steps.shape() == Shape{2, 2, 3, 5});
    // local-p's rows do not sum to 1, and the recorder knows.
    const double mass = numbers(Var(recorder.calls()[0].mass))[0];
    CHECK((mass < 0.999) == std::holds_alternative<LocalPScope>(scope));
  }
}

TEST_CASE("the innermost recorder records, and none after its end", "[attention][recorder]") {
  Generator g(2);
  Attention a({.query_dim = 2, .key_dim = 2}, g);
  const Var x(uniform({1, 3, 2}, -1, 1, kFloat32, g));
  AttentionRecorder outer;
  {
    AttentionRecorder inner;
    a(x, a.prepare(x));
    CHECK(inner.calls().size() == 1);
  }
  CHECK(outer.calls().empty());
  a(x, a.prepare(x));
  CHECK(outer.calls().size() == 1);
}

TEST_CASE("an array is written as NumPy reads it", "[attention][recorder]") {
  const auto path = std::filesystem::temp_directory_path() / "glass_recorder_test.npy";
  save_npy(path.string(), Tensor::from({1.0f, 2.0f, 3.0f}, {1, 3}));
  const std::string file = read_file(path.string());
  REQUIRE(file.size() == 64 + 64 + 12);
  CHECK(file.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  CHECK(static_cast<unsigned char>(file[8]) == 118);  // 128 - 10
  CHECK(file.substr(10, 56) == "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3)");
  CHECK(file[127] == '\n');
  float last = 0;
  std::copy_n(file.data() + 136, 4, reinterpret_cast<char*>(&last));
  CHECK(last == 3.0f);
  std::filesystem::remove(path);
}
