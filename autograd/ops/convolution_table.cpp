// Sample rows of convolution.cpp.
#include "autograd/ops/convolution.h"
#include "autograd/ops/table.h"
#include "autograd/ops/window_replay.h"
#include "autograd/samples.h"

namespace glass {
namespace {

// A row of the table: shapes as the functions take them, one axis or two.
struct ConvCase {
  const char* label;
  Shape x, weight;
  ConvOptions options = {};
  bool bias = true;
};

int64_t of(const Dims& list, int axis) { return list[list.size() == 1 ? 0 : axis]; }

// Calls f(place in y, place in x, place in weight, output channel) for all that meet, as plain
// loops over the axes [N, C, H, W]; one axis has a row in front.
template <class F>
void for_meetings(Shape x, Shape weight, Shape y, const ConvOptions& o, int axes, const F& f) {
  for (Shape* s : {&x, &weight, &y})
    if (axes == 1) s->insert(2, 1);
  const auto per_axis = [&](const Dims& list, int axis, int64_t otherwise) {
    return axes == 2 ? of(list, axis) : axis == 1 ? of(list, 0) : otherwise;
  };
  const int64_t outputs = weight[0] / o.groups;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t c = 0; c < y[1]; ++c)
      for (int64_t p = 0; p < y[2]; ++p)
        for (int64_t q = 0; q < y[3]; ++q)
          for (int64_t d = 0; d < weight[1]; ++d)
            for (int64_t i = 0; i < weight[2]; ++i)
              for (int64_t j = 0; j < weight[3]; ++j) {
                int64_t place[2];
                for (int a = 0; a < 2; ++a) {
                  const int64_t dilation = per_axis(o.dilation, a, 1);
                  const int64_t before =
                      o.same ? dilation * (weight[2 + a] - 1) / 2 : per_axis(o.padding, a, 0);
                  place[a] = (a == 0 ? p : q) * per_axis(o.stride, a, 1) - before +
                             (a == 0 ? i : j) * dilation;
                }
                if (place[0] < 0 || place[0] >= x[2] || place[1] < 0 || place[1] >= x[3]) continue;
                const int64_t channel = c / outputs * weight[1] + d;
                f(((n * y[1] + c) * y[2] + p) * y[3] + q,
                  ((n * x[1] + channel) * x[2] + place[0]) * x[3] + place[1],
                  ((c * weight[1] + d) * weight[2] + i) * weight[3] + j, c);
              }
}

Sample conv_sample(const ConvCase& c, int axes) {
  std::vector<Input> inputs{{c.x}, {c.weight}};
  if (c.bias) inputs.push_back({{c.weight[0]}});
  return {.label = c.label,
          .inputs = std::move(inputs),
          .f =
              [=](const Vars& v) {
                const Var bias = c.bias ? v[2] : Var();
                return Vars{axes == 1 ? conv1d(v[0], v[1], bias, c.options)
                                      : conv2d(v[0], v[1], bias, c.options)};
              },
          .reference = [=](const Columns& v) -> Numbers {
            Shape x = c.x;
            if (x.size() == axes + 1) x.insert(0, 1);
            Shape y{x[0], c.weight[0]};
            for (int a = 0; a < axes; ++a) {
              const int64_t reach = of(c.options.dilation, a) * (c.weight[2 + a] - 1);
              const int64_t padding = c.options.same ? reach : 2 * of(c.options.padding, a);
              y.push_back((x[2 + a] + padding - reach - 1) / of(c.options.stride, a) + 1);
            }
            Numbers out(static_cast<size_t>(numel(y)));
            const size_t plane = out.empty() ? 1 : out.size() / static_cast<size_t>(y[0] * y[1]);
            for (size_t i = 0; c.bias && i < out.size(); ++i)
              out[i] = v[2][i / plane % static_cast<size_t>(y[1])];
            for_meetings(x, c.weight, y, c.options, axes,
                         [&](int64_t at, int64_t from, int64_t w, int64_t) {
                           out[static_cast<size_t>(at)] +=
                               v[0][static_cast<size_t>(from)] * v[1][static_cast<size_t>(w)];
                         });
            return out;
          }};
}

// out: the shape of the output, worked out by hand.
Sample transpose_sample(const char* label, const Shape& x, const Shape& weight,
                        const ConvTransposeOptions& o, const Shape& out, bool bias) {
  std::vector<Input> inputs{{x}, {weight}};
  if (bias) inputs.push_back({{out[out.size() - 3]}});
  return {
      .label = label,
      .inputs = std::move(inputs),
      .f =
          [=](const Vars& v) { return Vars{conv_transpose2d(v[0], v[1], bias ? v[2] : Var(), o)}; },
      .reference =
          [=](const Columns& v) {
            Shape from = x, to = out;
            if (x.size() == 3) from.insert(0, 1), to.insert(0, 1);
            Numbers y(static_cast<size_t>(numel(to)));
            for (size_t i = 0; bias && i < y.size(); ++i)
              y[i] = v[2][i / static_cast<size_t>(to[2] * to[3]) % static_cast<size_t>(to[1])];
            const ConvOptions backwards{.stride = o.stride,
                                        .padding = o.padding,
                                        .dilation = o.dilation,
                                        .groups = o.groups};
            for_meetings(to, weight, from, backwards, 2,
                         [&](int64_t at, int64_t place, int64_t w, int64_t) {
                           y[static_cast<size_t>(place)] +=
                               v[0][static_cast<size_t>(at)] * v[1][static_cast<size_t>(w)];
                         });
            return y;
          }};
}

Vars replay_conv(Replay& r, Var (*f)(In, In, const Var&, const ConvOptions&)) {
  const Var x = r["input"], weight = r["weight"], bias = r.maybe("bias");
  return {f(x, weight, bias, replay_conv_options(r))};
}

std::vector<ErrorRow> conv_errors() {
  const auto call = [](const Shape& x, const Shape& weight, const ConvOptions& o = {}) {
    conv2d(ones(x), ones(weight), Var(), o);
  };
  return {{"channels",
           [=] {
             call({1, 3, 4, 4}, {2, 2, 3, 3});
           },
           "[1, 3, 4, 4] and weight [2, 2, 3, 3] in 1 groups (3 and 2)"},
          {"axes",
           [=] {
             call({4, 4}, {2, 2, 3, 3});
           },
           "[4, 4] for weight [2, 2, 3, 3]"},
          {"kernel too large",
           [=] {
             call({1, 1, 2, 4}, {1, 1, 3, 3});
           },
           "2 + 0 of padding, kernel 3"},
          {"groups",
           [=] {
             call({1, 4, 4, 4}, {3, 2, 1, 1}, {.groups = 2});
           },
           "2 and [3, 2, 1, 1]"},
          {"stride 0",
           [=] {
             call({1, 1, 4, 4}, {1, 1, 1, 1}, {.stride = {0}});
           },
           "stride 0, must be at least 1"},
          {"three numbers for two axes",
           [=] {
             call({1, 1, 4, 4}, {1, 1, 1, 1}, {.padding = {1, 2, 3}});
           },
           "padding [1, 2, 3]"},
          {"same with a stride",
           [=] {
             call({1, 1, 4, 4}, {1, 1, 3, 3}, {.stride = {2}, .same = true});
           },
           "needs stride 1: 2"},
          {"bias",
           [] {
             conv2d(ones({1, 1, 2, 2}), ones({2, 1, 1, 1}), ones({3}));
           },
           "[3] for 2"},
          {"two types",
           [] {
             conv2d(ones({1, 1, 2, 2}), ones({1, 1, 1, 1}, kFloat32));
           },
           "float64 and float32"},
          {"integers",
           [] {
             conv2d(ones({1, 1, 2, 2}, kInt64), ones({1, 1, 1, 1}, kInt64));
           },
           "got int64"}};
}

}  // namespace

std::vector<Entry> convolution_ops() {
  std::vector<Sample> rows, planes;
  for (const ConvCase& c :
       std::initializer_list<ConvCase>{{"plain", {2, 3, 6}, {2, 3, 3}},
                                       {"no batch, no bias", {2, 5}, {3, 2, 2}, {}, false},
                                       {"stride, padding, dilation",
                                        {2, 2, 7},
                                        {2, 2, 3},
                                        {.stride = {2}, .padding = {2}, .dilation = {2}}},
                                       {"same, even kernel", {1, 2, 5}, {2, 2, 4}, {.same = true}},
                                       {"one group a channel", {2, 3, 4}, {6, 1, 2}, {.groups = 3}},
                                       {"no batch rows", {0, 2, 4}, {3, 2, 2}}})
    rows.push_back(conv_sample(c, 1));
  for (const ConvCase& c : std::initializer_list<ConvCase>{
           {"plain", {2, 3, 4, 5}, {2, 3, 3, 2}},
           {"no batch, no bias", {2, 3, 4}, {3, 2, 2, 2}, {}, false},
           {"stride and padding of each axis",
            {2, 2, 5, 4},
            {2, 2, 3, 2},
            {.stride = {2, 1}, .padding = {1, 2}}},
           {"dilation, elements never met",
            {1, 2, 6, 7},
            {2, 2, 2, 2},
            {.stride = {4}, .dilation = {2, 3}}},
           {"same", {1, 2, 4, 5}, {3, 2, 3, 2}, {.same = true}},
           {"same, dilation", {1, 1, 4, 5}, {1, 1, 2, 3}, {.same = true, .dilation = {2, 1}}},
           {"two groups", {2, 4, 3, 4}, {6, 2, 2, 2}, {.padding = {1}, .groups = 2}},
           {"one by one", {2, 3, 2, 3}, {4, 3, 1, 1}},
           {"padding wider than the kernel", {1, 1, 2, 2}, {1, 1, 2, 2}, {.padding = {3}}},
           {"no batch rows", {0, 2, 3, 3}, {2, 2, 2, 2}},
           {"no outputs", {1, 2, 3, 3}, {0, 2, 2, 2}}})
    planes.push_back(conv_sample(c, 2));
  const auto turned = [](const Shape& x, const Shape& weight, const ConvTransposeOptions& o) {
    conv_transpose2d(ones(x), ones(weight), Var(), o);
  };
  return {
      {.name = "conv1d",
       .formula = "y[n, o, p] = bias[o] + Σ weight[o, c, i]·x[n, c, p·stride - padding + "
                  "i·dilation] over c, i",
       .gradient = "as conv2d",
       .notes = "Outside the input there are zeros. A group of outputs sees its group of inputs.",
       .samples = std::move(rows),
       .errors = {{"channels",
                   [] {
                     conv1d(ones({1, 3, 4}), ones({2, 2, 3}));
                   },
                   "conv1d: channels do not fit the weight"},
                  {"axes",
                   [] {
                     conv1d(ones({1, 3, 4, 4}), ones({2, 3, 3}));
                   },
                   "[1, 3, 4, 4] for weight [2, 3, 3]"}},
       .replay = [](Replay& r) { return replay_conv(r, conv1d); }},
      {.name = "conv2d",
       .formula = "y[n, o, p, q] = bias[o] + Σ weight[o, c, i, j]·x[n, c, p·stride - padding + "
                  "i·dilation, ...] over c, i, j",
       .gradient = "dx = Σ weight·dy and dweight = Σ x·dy over the products in which each takes "
                   "part, dbias = Σ dy",
       .notes = "Outside the input there are zeros. A group of outputs sees its group of inputs.",
       .samples = std::move(planes),
       .errors = conv_errors(),
       .replay = [](Replay& r) { return replay_conv(r, conv2d); }},
      {.name = "conv_transpose2d",
       .formula = "y[n, o, p·stride - padding + i·dilation, ...] = bias[o] + Σ weight[c, o, i, "
                  "j]·x[n, c, p, q] over c and all that end there",
       .gradient = "dx = conv2d(dy, weight), dweight = Σ x·dy over the products in which it takes "
                   "part, dbias = Σ dy",
       .notes = "What takes the gradient of conv2d's output to its input.",
       .samples = {transpose_sample("plain", {2, 3, 2, 3}, {3, 2, 3, 2}, {}, {2, 2, 4, 4}, true),
                   transpose_sample("stride, padding, more at the end", {1, 2, 3, 2}, {2, 2, 3, 3},
                                    {.stride = {2}, .padding = {1}, .output_padding = {1, 0}},
                                    {1, 2, 6, 3}, true),
                   transpose_sample("no batch, groups, dilation", {4, 2, 2}, {4, 1, 2, 2},
                                    {.groups = 2, .dilation = {2, 1}}, {2, 4, 3}, false),
                   transpose_sample("one by one", {2, 2, 2, 3}, {2, 3, 1, 1}, {}, {2, 3, 2, 3},
                                    true),
                   transpose_sample("no batch rows", {0, 2, 2, 2}, {2, 2, 2, 2}, {}, {0, 2, 3, 3},
                                    true)},
       .errors = {{"channels",
                   [=] {
                     turned({1, 2, 3, 3}, {3, 1, 2, 2}, {});
                   },
                   "[1, 2, 3, 3] and weight [3, 1, 2, 2]"},
                  {"more at the end than a stride",
                   [=] {
                     turned({1, 1, 3, 3}, {1, 1, 2, 2}, {.stride = {2}, .output_padding = {2}});
                   },
                   "2, stride 2, dilation 1"},
                  {"nothing left",
                   [=] {
                     turned({1, 1, 1, 1}, {1, 1, 2, 2}, {.padding = {1}});
                   },
                   "kernel 2, padding 1"}},
       .replay = [](Replay& r) {
         const Var x = r["input"], weight = r["weight"], bias = r.maybe("bias");
         return Vars{conv_transpose2d(x, weight, bias, replay_conv_transpose_options(r))};
       }}};
}

}  // namespace glass
