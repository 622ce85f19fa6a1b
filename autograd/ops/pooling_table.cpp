// Sample rows of pooling.cpp.
#include <algorithm>
#include <functional>
#include <numeric>

#include "autograd/ops/pooling.h"
#include "autograd/ops/table.h"
#include "autograd/ops/window_replay.h"
#include "autograd/samples.h"

namespace glass {
namespace {

/// The numbers of a window, and how many they are with the padding, to the result.
using Judge = std::function<double(const Numbers&, int64_t)>;

double largest(const Numbers& window, int64_t) {
  return *std::max_element(window.begin(), window.end());
}
double average(const Numbers& window, int64_t) {
  return std::accumulate(window.begin(), window.end(), 0.0) / static_cast<double>(window.size());
}
double average_with_padding(const Numbers& window, int64_t count) {
  return std::accumulate(window.begin(), window.end(), 0.0) / static_cast<double>(count);
}

// One axis as plain arithmetic: which elements (may be outside) output place o looks at.
using Looks = std::function<std::vector<int64_t>(int64_t)>;

Looks sliding_over(int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  return [=](int64_t o) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < kernel; ++i) places.push_back(o * stride - padding + i * dilation);
    return places;
  };
}
Looks adapting_to(int64_t size, int64_t outputs) {
  return [=](int64_t o) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < size; ++i)
      if ((i + 1) * outputs > o * size && i * outputs < (o + 1) * size) places.push_back(i);
    return places;
  };
}

// planes images of size [H, W] to [h, w]; padding[a]: how far the padding behind the image counts.
struct Frame {
  int64_t planes, H, W, h, w;
  Looks down, right;
  int64_t padding_down = 0, padding_right = 0;
};

decltype(Sample::reference) pooled(const Frame& f, const Judge& judge) {
  return [=](const Columns& x) {
    Numbers y;
    for (int64_t n = 0; n < f.planes; ++n)
      for (int64_t p = 0; p < f.h; ++p)
        for (int64_t q = 0; q < f.w; ++q) {
          Numbers window;
          int64_t count = 0;
          for (int64_t i : f.down(p))
            for (int64_t j : f.right(q)) {
              count += i < f.H + f.padding_down && j < f.W + f.padding_right;
              if (i >= 0 && i < f.H && j >= 0 && j < f.W)
                window.push_back(x[0][static_cast<size_t>((n * f.H + i) * f.W + j)]);
            }
          y.push_back(judge(window, count));
        }
    return y;
  };
}

Sample pool_row(const char* label, const Shape& x, std::function<Var(const Var&)> f,
                const Frame& frame, const Judge& judge) {
  return {.label = label,
          .inputs = {{x}},
          .f = [f = std::move(f)](const Vars& v) { return Vars{f(v[0])}; },
          .reference = pooled(frame, judge)};
}

std::vector<Sample> max_rows() {
  const auto max2 = [](const Dims& kernel, const MaxPoolOptions& o) {
    return [=](const Var& x) { return max_pool2d(x, kernel, o).values; };
  };
  return {
      pool_row("plain", {2, 2, 4, 5}, max2({2}, {}),
               {4, 4, 5, 2, 2, sliding_over(2, 2, 0, 1), sliding_over(2, 2, 0, 1)}, largest),
      pool_row("stride, padding, dilation", {1, 2, 5, 6},
               max2({3, 2}, {.stride = {2, 1}, .padding = {1}, .dilation = {1, 2}}),
               {2, 5, 6, 3, 6, sliding_over(3, 2, 1, 1), sliding_over(2, 1, 1, 2)}, largest),
      pool_row("no batch, ceil mode", {2, 4, 5}, max2({2, 3}, {.stride = {3}, .ceil_mode = true}),
               {2, 4, 5, 2, 2, sliding_over(2, 3, 0, 1), sliding_over(3, 3, 0, 1)}, largest),
      pool_row("no batch rows", {0, 2, 4, 4}, max2({2}, {}),
               {0, 4, 4, 2, 2, sliding_over(2, 2, 0, 1), sliding_over(2, 2, 0, 1)}, largest),
      {.label = "equal ones: the first",
       .inputs = {exact_constant({1, 2, 2}, {3, 3, 3, 3})},
       .f = [](const Vars& v) { return Vars{max_pool2d(v[0], {2}).indices}; },
       .reference = [](const Columns&) { return Numbers{0}; }}};
}

std::vector<Sample> avg_rows() {
  const auto avg2 = [](const Dims& kernel, const AvgPoolOptions& o) {
    return [=](const Var& x) { return avg_pool2d(x, kernel, o); };
  };
  const auto third = [](const Numbers& window, int64_t) {
    return std::accumulate(window.begin(), window.end(), 0.0) / 3;
  };
  return {pool_row("plain", {2, 2, 4, 5}, avg2({2}, {}),
                   {4, 4, 5, 2, 2, sliding_over(2, 2, 0, 1), sliding_over(2, 2, 0, 1)}, average),
          pool_row("padding counts", {1, 2, 5, 4}, avg2({3, 2}, {.stride = {2, 1}, .padding = {1}}),
                   {2, 5, 4, 3, 5, sliding_over(3, 2, 1, 1), sliding_over(2, 1, 1, 1), 1, 1},
                   average_with_padding),
          pool_row("padding does not count", {1, 2, 5, 4},
                   avg2({3, 2}, {.stride = {2, 1}, .padding = {1}, .count_include_pad = false}),
                   {2, 5, 4, 3, 5, sliding_over(3, 2, 1, 1), sliding_over(2, 1, 1, 1)}, average),
          pool_row("ceil mode, sticking out over the padding", {2, 4, 6},
                   avg2({3}, {.stride = {2}, .padding = {1}, .ceil_mode = true}),
                   {2, 4, 6, 3, 4, sliding_over(3, 2, 1, 1), sliding_over(3, 2, 1, 1), 1, 1},
                   average_with_padding),
          pool_row("divided by 3", {1, 1, 4, 4}, avg2({2}, {.stride = {1}, .divisor_override = 3}),
                   {1, 4, 4, 3, 3, sliding_over(2, 1, 0, 1), sliding_over(2, 1, 0, 1)}, third),
          pool_row("no batch rows", {0, 2, 4, 4}, avg2({2}, {}),
                   {0, 4, 4, 2, 2, sliding_over(2, 2, 0, 1), sliding_over(2, 2, 0, 1)}, average)};
}

template <class F>
std::vector<ErrorRow> window_errors(F pool) {
  return {{"axes", [=] { pool({4}, {2}, {0}); }, "the batch may be absent: [4]"},
          {"kernel too large",
           [=] {
             pool({1, 1, 2, 3}, {4}, {0});
           },
           "+ 0 of padding, kernel 4"},
          {"padding too wide",
           [=] {
             pool({1, 1, 4, 4}, {2}, {2});
           },
           "at most half the kernel: 2 and 2"},
          {"kernel 0",
           [=] {
             pool({1, 1, 4, 4}, {0}, {0});
           },
           "kernel 0, must be at least 1"},
          {"nothing there",
           [=] {
             pool({1, 1, 0, 4}, {2}, {0});
           },
           "nothing to choose from"}};
}

std::vector<ErrorRow> averaging_errors() {
  auto rows = window_errors([](const Shape& x, const Dims& kernel, const Dims& padding) {
    avg_pool2d(ones(x), kernel, {.padding = padding});
  });
  rows.push_back({"divided by 0",
                  [] {
                    avg_pool2d(ones({1, 2, 2}), {2}, {.divisor_override = 0});
                  },
                  "must not be 0"});
  return rows;
}

constexpr const char* kSmaller = "output_size -2, must be at least -1";

}  // namespace

std::vector<Entry> pooling_ops() {
  const auto max2 = [](const Shape& x, const Dims& kernel, const Dims& padding) {
    max_pool2d(ones(x), kernel, {.padding = padding});
  };
  const auto frame1 = [](int64_t planes, int64_t W, int64_t w, Looks right, int64_t padding = 0) {
    return Frame{planes, 1, W, 1, w, sliding_over(1, 1, 0, 1), std::move(right), 0, padding};
  };
  const auto one_axis = [](auto pool) {
    return std::vector<ErrorRow>{{"axes",
                                  [=] {
                                    pool({1, 1, 4, 4}, {2});
                                  },
                                  "[1, 1, 4, 4]"},
                                 {"two kernels",
                                  [=] {
                                    pool({1, 4}, {2, 2});
                                  },
                                  "kernel [2, 2]"}};
  };
  return {
      {.name = "max_pool1d",
       .formula = "y = the largest x of each window",
       .gradient = "dx = dy at the places of the largest",
       .notes = "Ties: the first gets the whole gradient.",
       .samples = {pool_row(
                       "stride and padding", {2, 2, 7},
                       [](const Var& x) {
                         return max_pool1d(x, {3}, {.stride = {2}, .padding = {1}}).values;
                       },
                       frame1(4, 7, 4, sliding_over(3, 2, 1, 1)), largest),
                   pool_row(
                       "no batch, dilation", {2, 6},
                       [](const Var& x) {
                         return max_pool1d(x, {2}, {.stride = {1}, .dilation = {3}}).values;
                       },
                       frame1(2, 6, 3, sliding_over(2, 1, 0, 3)), largest)},
       .errors = one_axis([](const Shape& x, const Dims& k) { max_pool1d(ones(x), k); }),
       .replay =
           [](Replay& r) {
             const Var x = r["input"];
             const Dims kernel = replay_dims(r, "kernel_size");
             return replay_max_pool(r, max_pool1d(x, kernel, replay_max_pool_options(r)));
           }},
      {.name = "max_pool2d",
       .formula = "y = the largest x of each window",
       .gradient = "dx = dy at the places of the largest",
       .notes = "Ties: the first gets the whole gradient. Padding is never chosen; NaN always.",
       .samples = max_rows(),
       .errors = window_errors(max2),
       .replay =
           [](Replay& r) {
             const Var x = r["input"];
             const Dims kernel = replay_dims(r, "kernel_size");
             return replay_max_pool(r, max_pool2d(x, kernel, replay_max_pool_options(r)));
           }},
      {.name = "avg_pool1d",
       .formula = "y = the mean of x over each window",
       .gradient = "dx = dy / n for each window of n elements that holds x",
       .samples = {pool_row(
                       "padding counts", {2, 2, 6},
                       [](const Var& x) {
                         return avg_pool1d(x, {3}, {.stride = {2}, .padding = {1}});
                       },
                       frame1(4, 6, 3, sliding_over(3, 2, 1, 1), 1), average_with_padding),
                   pool_row(
                       "no batch, ceil mode", {2, 5},
                       [](const Var& x) { return avg_pool1d(x, {2}, {.ceil_mode = true}); },
                       frame1(2, 5, 3, sliding_over(2, 2, 0, 1)), average)},
       .errors = one_axis([](const Shape& x, const Dims& k) { avg_pool1d(ones(x), k); }),
       .replay =
           [](Replay& r) {
             const Var x = r["input"];
             const Dims kernel = replay_dims(r, "kernel_size");
             return Vars{avg_pool1d(x, kernel, replay_avg_pool_options(r, false))};
           }},
      {.name = "avg_pool2d",
       .formula = "y = the mean of x over each window",
       .gradient = "dx = dy / n for each window of n elements that holds x",
       .notes = "n counts the padding, unless count_include_pad is false; what sticks out beyond "
                "the padding never counts. divisor_override replaces n.",
       .samples = avg_rows(),
       .errors = averaging_errors(),
       .replay =
           [](Replay& r) {
             const Var x = r["input"];
             const Dims kernel = replay_dims(r, "kernel_size");
             return Vars{avg_pool2d(x, kernel, replay_avg_pool_options(r, true))};
           }},
      {.name = "adaptive_avg_pool1d",
       .formula = "y_o = the mean of x from ⌊o·in/out⌋ to ⌈(o+1)·in/out⌉",
       .gradient = "dx = dy / n for each window of n elements that holds x",
       .samples = {pool_row(
                       "windows that overlap", {2, 2, 7},
                       [](const Var& x) { return adaptive_avg_pool1d(x, {3}); },
                       frame1(4, 7, 3, adapting_to(7, 3)), average),
                   pool_row(
                       "no batch, larger than the input", {2, 3},
                       [](const Var& x) { return adaptive_avg_pool1d(x, {5}); },
                       frame1(2, 3, 5, adapting_to(3, 5)), average)},
       .errors = {{"size",
                   [] {
                     adaptive_avg_pool1d(ones({1, 4}), {-2});
                   },
                   kSmaller}},
       .replay = [](Replay& r) -> Vars {
         return {adaptive_avg_pool1d(r["input"], replay_output_size(r))};
       }},
      {.name = "adaptive_avg_pool2d",
       .formula = "y_o = the mean of x from ⌊o·in/out⌋ to ⌈(o+1)·in/out⌉, on both axes",
       .gradient = "dx = dy / n for each window of n elements that holds x",
       .samples = {pool_row(
                       "windows that overlap", {2, 2, 5, 7},
                       [](const Var& x) {
                         return adaptive_avg_pool2d(x, {2, 3});
                       },
                       {4, 5, 7, 2, 3, adapting_to(5, 2), adapting_to(7, 3)}, average),
                   pool_row(
                       "no batch, one axis as it is", {2, 3, 4},
                       [](const Var& x) {
                         return adaptive_avg_pool2d(x, {-1, 1});
                       },
                       {2, 3, 4, 3, 1, adapting_to(3, 3), adapting_to(4, 1)}, average)},
       .errors = {{"size",
                   [] {
                     adaptive_avg_pool2d(ones({1, 4, 4}), {-2});
                   },
                   kSmaller},
                  {"axes", [] { adaptive_avg_pool2d(ones({4}), {2}); }, "[4]"}},
       .replay = [](Replay& r) -> Vars {
         return {adaptive_avg_pool2d(r["input"], replay_output_size(r))};
       }},
      {.name = "adaptive_max_pool2d",
       .formula = "y_o = the largest x from ⌊o·in/out⌋ to ⌈(o+1)·in/out⌉, on both axes",
       .gradient = "dx = dy at the places of the largest",
       .samples = {pool_row(
           "windows that overlap", {2, 2, 5, 7},
           [](const Var& x) {
             return adaptive_max_pool2d(x, {2, 3}).values;
           },
           {4, 5, 7, 2, 3, adapting_to(5, 2), adapting_to(7, 3)}, largest)},
       .errors = {{"size",
                   [] {
                     adaptive_max_pool2d(ones({1, 4, 4}), {-2});
                   },
                   kSmaller}},
       .replay = [](Replay& r) {
         return replay_max_pool(r, adaptive_max_pool2d(r["input"], replay_output_size(r)));
       }}};
}

}  // namespace glass
