#include "autograd/samples.h"

#include <utility>

namespace glass {
namespace {

Input given(Shape shape, std::vector<double> values, Input::Kind kind) {
  return {.shape = shape,
          .low = 0,
          .high = 0,
          .kind = kind,
          .requires_grad = false,
          .values = std::move(values)};
}

Input in(const Shape& shape, Domain domain) {
  return {.shape = shape, .low = domain.low, .high = domain.high};
}

using Reference = decltype(Sample::reference);

Reference each(std::function<double(double)> f) {
  return [f = std::move(f)](const Columns& x) {
    Numbers y;
    for (double v : x[0]) y.push_back(f(v));
    return y;
  };
}

Reference each_pair(std::function<double(double, double)> f, const Shape& a, const Shape& b) {
  return [f = std::move(f), a, b](const Columns& x) {
    const Shape out = broadcast_shapes("reference", a, b);
    Numbers y;
    for (int64_t i = 0; i < numel(out); ++i)
      y.push_back(f(x[0][static_cast<size_t>(broadcast_index(i, a, out))],
                    x[1][static_cast<size_t>(broadcast_index(i, b, out))]));
    return y;
  };
}

Function call(Var (*f)(In)) {
  return [f](const Vars& v) { return Vars{f(v[0])}; };
}
Function call(Var (*f)(In, In)) {
  return [f](const Vars& v) { return Vars{f(v[0], v[1])}; };
}

struct Pair {
  const char* label;
  Shape a, b;
};
const Pair kPairs[] = {
    {"equal shapes", {3, 4}, {3, 4}},    {"row", {3, 4}, {4}}, {"column", {3, 1}, {3, 4}},
    {"both ways", {2, 1, 3}, {1, 4, 1}}, {"0-d", {}, {}},      {"0-d with matrix", {}, {2, 3}},
    {"empty", {0, 3}, {1, 3}},
};

}  // namespace

Input exact_ints(Shape shape, std::vector<double> values) {
  return given(shape, std::move(values), Input::Kind::integer);
}
Input exact_bools(Shape shape, std::vector<double> values) {
  return given(shape, std::move(values), Input::Kind::boolean);
}
Input exact_constant(Shape shape, std::vector<double> values) {
  return given(shape, std::move(values), Input::Kind::real);
}

Entry unary(std::string name, Var (*f)(In), std::function<double(double)> reference,
            Domain domain) {
  Entry entry{.name = std::move(name)};
  for (const auto& [label, shape] :
       {std::pair{"matrix", Shape{3, 4}}, {"0-d", Shape{}}, {"empty", Shape{0, 3}}})
    entry.samples.push_back({.label = label,
                             .inputs = {in(shape, domain)},
                             .f = call(f),
                             .reference = each(reference)});
  entry.errors.push_back({"bool", [f] { f(Var(Tensor::zeros({2}, kBool))); }, "bool"});
  entry.errors.push_back({"undefined", [f] { f(Var()); }, "undefined"});
  entry.replay = [f](Replay& r) { return Vars{f(r["input"])}; };
  return entry;
}

Entry binary(std::string name, Var (*f)(In, In), std::function<double(double, double)> reference,
             Domain a, Domain b) {
  Entry entry{.name = std::move(name)};
  for (const Pair& pair : kPairs)
    entry.samples.push_back({.label = pair.label,
                             .inputs = {in(pair.a, a), in(pair.b, b)},
                             .f = call(f),
                             .reference = each_pair(reference, pair.a, pair.b)});
  const double number = b.low + 0.7 * (b.high - b.low);
  entry.samples.push_back(
      {.label = "number on the right",
       .inputs = {in({2, 3}, a)},
       .f = [f, number](const Vars& v) { return Vars{f(v[0], number)}; },
       .reference = each([reference, number](double x) { return reference(x, number); })});
  entry.samples.push_back(
      {.label = "number on the left",
       .inputs = {in({2, 3}, b)},
       .f = [f, number](const Vars& v) { return Vars{f(number, v[0])}; },
       .reference = each([reference, number](double x) { return reference(number, x); })});
  entry.replay = [f](Replay& r) {
    const Var a = r.tensor_or_number("input"), b = r.tensor_or_number("other");
    return Vars{f(a, b)};
  };
  const auto call_with = [f](const Shape& left, DType left_type, const Shape& right) {
    f(Var(Tensor::ones(left, left_type)), Var(Tensor::ones(right, kFloat64)));
  };
  entry.errors = {{"shapes",
                   [=] {
                     call_with({2, 3}, kFloat64, {4});
                   },
                   "[2, 3] and [4] (axis -1: 3 and 4)"},
                  {"two types", [=] { call_with({2}, kFloat32, {2}); }, "float32 and float64"},
                  {"integer and real", [=] { call_with({2}, kInt64, {2}); }, "int64 and float64"},
                  {"undefined", [f] { f(Var(), Var(Tensor::ones({}))); }, "undefined"}};
  return entry;
}

Entry comparison(std::string name, Var (*f)(In, In),
                 std::function<bool(double, double)> reference) {
  Entry entry = binary(std::move(name), f,
                       [reference](double a, double b) -> double { return reference(a, b); });
  entry.differentiable = false;
  for (Sample& sample : entry.samples)
    for (Input& input : sample.inputs) input.requires_grad = false;
  const Shape shape{2, 3};
  for (auto make : {exact_constant, exact_ints})
    entry.samples.push_back(
        {.label = make == exact_ints ? "integers" : "equal ones",
         .inputs = {make(shape, {1, 2, 3, -4, 5, 6}), make(shape, {1, 3, 2, -4, -5, 7})},
         .f = call(f),
         .reference = each_pair(
             [reference](double a, double b) -> double { return reference(a, b); }, shape, shape)});
  return entry;
}

Sample at_points(std::string label, Var (*f)(In), std::function<double(double)> reference,
                 std::vector<double> points) {
  const Shape shape{static_cast<int64_t>(points.size())};
  return {.label = std::move(label),
          .inputs = {exact(shape, std::move(points))},
          .f = call(f),
          .reference = each(std::move(reference))};
}

Entry about(Entry entry, std::string formula, std::string gradient, std::string notes) {
  entry.formula = std::move(formula);
  entry.gradient = std::move(gradient);
  entry.notes = std::move(notes);
  return entry;
}

Entry with(Entry entry, std::vector<Sample> samples, std::vector<ErrorRow> errors) {
  for (Sample& sample : samples) entry.samples.push_back(std::move(sample));
  for (ErrorRow& row : errors) entry.errors.push_back(std::move(row));
  return entry;
}

Entry replayed(Entry entry, std::function<Vars(Replay&)> replay) {
  entry.replay = std::move(replay);
  return entry;
}

Numbers nothing(const Columns&) { return {}; }

decltype(Sample::reference) places(std::vector<int> at) {
  return [at = std::move(at)](const Columns& x) {
    Numbers y;
    for (int i : at) y.push_back(i < 0 ? 0 : x[0][static_cast<size_t>(i)]);
    return y;
  };
}

Sample moved(std::string label, const Shape& shape, std::function<Var(const Var&)> f,
             std::vector<int> at) {
  return {.label = std::move(label),
          .inputs = {{shape}},
          .f = [f = std::move(f)](const Vars& v) { return Vars{f(v[0])}; },
          .reference = places(std::move(at))};
}

Var ones(const Shape& shape, DType dtype) { return Var(Tensor::ones(shape, dtype)); }

int64_t broadcast_index(int64_t i, const Shape& from, const Shape& to) {
  int64_t place = 0, step = 1;
  for (int axis = 1; axis <= from.size(); ++axis) {
    const int64_t n = from[from.size() - axis], wide = to[to.size() - axis];
    if (n > 1) place += i % wide * step;
    i /= wide;
    step *= n;
  }
  return place;
}

void for_lines(const Shape& shape, int dim,
               const std::function<void(int64_t, int64_t, int64_t)>& f) {
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < dim; ++i) outer *= shape[i];
  for (int i = dim + 1; i < shape.size(); ++i) inner *= shape[i];
  const int64_t n = shape.empty() ? 1 : shape[dim];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) f(o * n * inner + i, inner, n);
}

}  // namespace glass
