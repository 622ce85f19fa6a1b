#include "nn/transformer.h"

#include "nn/attention/recorder.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Var random(const Shape& shape, uint64_t seed) {
  Generator g(seed);
  return Var(uniform(shape, -1, 1, kFloat64, g));
}

TransformerDecoder decoder_of(bool norm_first) {
  Generator g(3);
  TransformerDecoder decoder(
      2, 4, 2, {.dim_feedforward = 6, .dropout = 0, .batch_first = true, .norm_first = norm_first},
      true, g);
  decoder.to(kFloat64);
  return decoder;
}

Var whole(const TransformerDecoder& decoder, const Var& tgt, const Var& memory, const Mask& mask) {
  const int64_t T = tgt.size(1);
  return decoder(tgt, memory, {.mask = Mask::causal(T, T)}, {.mask = mask});
}

const Mask kMemoryMask = Mask::from_lengths({4, 2, 0}, 4);

}  // namespace

TEST_CASE("a decoder step by step gives what it gives at once", "[transformer]") {
  const Var tgt = random({3, 5, 4}, 1), memory = random({3, 4, 4}, 2);
  memory.value().select(0, 1).narrow(0, 2, 2).fill_(std::nan(""));  // padding
  for (const bool norm_first : {false, true}) {
    TransformerDecoder decoder = decoder_of(norm_first);
    AttentionRecorder recorder(decoder);
    const Var expected = whole(decoder, tgt, memory, kMemoryMask);
    const Tensor weights = recorder.weights("layers.1.multihead_attn");
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{1, 1, 1, 1, 1}, {2, 1, 2}, {5}}) {
      TransformerDecoder::Cache cache = decoder.start(memory, kMemoryMask);
      int64_t t = 0;
      for (const int64_t size : sizes) {
        const TransformerDecoder::Step y = decoder.step(narrow(tgt, 1, t, size), cache);
        check_close(y.output, numbers(narrow(expected, 1, t, size)));
        check_close(y.weights, numbers(Var(weights.narrow(2, t, size))));
        cache = y.cache;
        t += size;
      }
    }
  }
}

TEST_CASE("a decoder's cache follows the hypotheses of a beam", "[transformer]") {
  const Var tgt = random({3, 5, 4}, 1), memory = random({3, 4, 4}, 2);
  const Tensor rows = Tensor::from<int64_t>({2, 0, 0, 1});
  const Var last = random({4, 3, 4}, 5);  // what each hypothesis goes on with
  const Var moved = cat({index_select(narrow(tgt, 1, 0, 2), 0, Var(rows)), last}, 1);
  for (const bool norm_first : {false, true}) {
    const TransformerDecoder decoder = decoder_of(norm_first);
    const Var expected =
        whole(decoder, moved, index_select(memory, 0, Var(rows)), kMemoryMask.rows(rows));
    TransformerDecoder::Cache cache = decoder.start(memory, kMemoryMask);
    for (int64_t t = 0; t < 2; ++t) cache = decoder.step(narrow(tgt, 1, t, 1), cache).cache;
    cache = TransformerDecoder::rows(cache, rows);
    for (int64_t t = 2; t < 5; ++t) {
      const TransformerDecoder::Step y = decoder.step(narrow(moved, 1, t, 1), cache);
      check_close(y.output, numbers(narrow(expected, 1, t, 1)));
      cache = y.cache;
    }
  }
}

TEST_CASE("a cache may be reordered before its first step, and passes gradients", "[transformer]") {
  const TransformerDecoder decoder = decoder_of(true);
  const Tensor rows = Tensor::from<int64_t>({1, 1});
  const Var tgt = random({2, 2, 4}, 1);
  const auto gradient = [&](const auto& run) {
    const Var memory(random({2, 4, 4}, 2).value().clone(), true);
    sum(square(run(memory))).backward();
    return numbers(memory.grad());
  };
  const std::vector<double> expected = gradient([&](const Var& memory) {
    return whole(decoder, tgt, index_select(memory, 0, Var(rows)), {});
  });
  const std::vector<double> found = gradient([&](const Var& memory) {
    const auto first =
        decoder.step(narrow(tgt, 1, 0, 1), TransformerDecoder::rows(decoder.start(memory), rows));
    return cat({first.output, decoder.step(narrow(tgt, 1, 1, 1), first.cache).output}, 1);
  });
  for (size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-12));
}

TEST_CASE("keys are projected once, and joined where no mask hides any", "[attention]") {
  Generator g(5);
  MultiheadAttention layer(4, 2, {}, g);  // [T, B, E]
  layer.to(kFloat64);
  const Var query = random({3, 2, 4}, 1), key = random({5, 2, 4}, 2), value = random({5, 2, 4}, 3);
  const Mask mask = Mask::from_lengths({5, 2}, 5);
  const Attended expected = layer(query, key, value, mask);
  const ProjectedKeys keys = layer.project(key, value, mask);
  CHECK(keys.key.shape() == Shape{2, 2, 5, 2});
  for (int64_t t = 0; t < 3; ++t)
    check_close(layer.attend(narrow(query, 0, t, 1), keys).context,
                numbers(narrow(expected.context, 0, t, 1)));
  const auto part = [&](int64_t first, int64_t count) {
    return layer.project(narrow(key, 0, first, count), narrow(value, 0, first, count));
  };
  check_close(layer.attend(query, part(0, 2).followed_by(part(2, 3))).context,
              numbers(layer(query, key, value).context));
  CHECK_THROWS_WITH(keys.followed_by(part(0, 1)), ContainsSubstring("under a mask"));
}
