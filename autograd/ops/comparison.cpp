#include "autograd/ops/comparison.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/table.h"
#include "autograd/pointwise.h"
#include "autograd/samples.h"
#include "tensor/functions/comparison.h"

namespace glass {

using namespace functions;

namespace {

// da = dy where the condition holds, else 0; db the other way round. Chosen, not multiplied: a NaN
// or an infinity in dy stays with the branch it belongs to.
struct Choose {
  static constexpr const char* name = "where";
  static constexpr Keep keep{.inputs = 1};
  Tensor forward(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    return map(Where{}, condition, a, b);
  }
  void backward(Backward& b, const Saved& saved) const {
    if (b.needs(1)) b.add(1, where(saved.input(0), b.grad(), 0.0));
    if (b.needs(2)) b.add(2, where(saved.input(0), 0.0, b.grad()));
  }
};

}  // namespace

Var eq(In a, In b) { return pointwise(Equal{}, a, b); }
Var ne(In a, In b) { return pointwise(NotEqual{}, a, b); }
Var lt(In a, In b) { return pointwise(Less{}, a, b); }
Var le(In a, In b) { return pointwise(LessEqual{}, a, b); }
Var gt(In a, In b) { return pointwise(Greater{}, a, b); }
Var ge(In a, In b) { return pointwise(GreaterEqual{}, a, b); }
Var logical_and(In a, In b) { return pointwise(LogicalAnd{}, a, b); }
Var logical_or(In a, In b) { return pointwise(LogicalOr{}, a, b); }
Var logical_not(In x) { return pointwise(LogicalNot{}, x); }

Var where(In condition, In a, In b) {
  Var y = record(Choose{}, condition, a, b);
  const auto is_number = [](const In& x) { return !x.var || x.var->is_number(); };
  if (is_number(a) && is_number(b)) y.mark_number();
  return y;
}
Var masked_fill(In x, In mask, In value) {
  if (value.var && value.var->ndim() != 0)
    fail("masked_fill", "value must be a number or 0-d", value.var->shape());
  if (value.var) return where(mask, value, x);
  return where(mask, In(value.number, x.where.file, x.where.line), x);
}

namespace {

Entry logical(std::string name, Var (*f)(In, In), bool (*reference)(bool, bool)) {
  const Function call = [f](const Vars& v) { return Vars{f(v[0], v[1])}; };
  return {.name = std::move(name),
          .formula = {},
          .gradient = "none",
          .samples = {{.label = "all cases",
                       .inputs = {exact_bools({2, 1}, {0, 1}), exact_bools({2}, {0, 1})},
                       .f = call,
                       .reference = [reference](const Columns&) -> Numbers {
                         return {reference(0, 0) * 1.0, reference(0, 1) * 1.0,
                                 reference(1, 0) * 1.0, reference(1, 1) * 1.0};
                       }},
                      {.label = "empty",
                       .inputs = {bools({0}), bools({0})},
                       .f = call,
                       .reference = nothing}},
          .errors = {{"numbers", [f] { f(ones({2}, kFloat32), ones({2}, kFloat32)); },
                      "does not take this type: got float32"}},
          .differentiable = false};
}

Numbers chosen(const Columns& x) {  // condition [3], a [2, 3], b [2, 1]
  Numbers y;
  for (size_t i = 0; i < 6; ++i) y.push_back(x[0][i % 3] != 0 ? x[1][i] : x[2][i / 3]);
  return y;
}

}  // namespace

std::vector<Entry> comparison_ops() {
  using D = double;
  const auto choose = [](const Vars& v) { return Vars{where(v[0], v[1], v[2])}; };
  const auto fill = [](const Vars& v) { return Vars{masked_fill(v[0], v[1], -7)}; };
  const Var real = ones({2}, kFloat32), whole = ones({2}, kInt64), yes = ones({2}, kBool);
  const Entry not_op{
      .name = "logical_not",
      .formula = "y = not x",
      .gradient = "none",
      .samples = {{.label = "both",
                   .inputs = {exact_bools({2}, {0, 1})},
                   .f = [](const Vars& v) { return Vars{logical_not(v[0])}; },
                   .reference =
                       [](const Columns&) {
                         return Numbers{1, 0};
                       }}},
      .errors = {{"numbers", [=] { logical_not(real); }, "does not take this type: got float32"}},
      .differentiable = false};
  const Entry where_op{
      .name = "where",
      .formula = "y = a where condition, else b",
      .gradient = "da = dy where condition, else 0; db = dy where not condition, else 0",
      .notes = "The branch not chosen gets 0 also where it, or dy, is NaN or infinite.",
      .samples = {{.label = "broadcast",
                   .inputs = {exact_bools({3}, {1, 0, 1}), {{2, 3}}, {{2, 1}}},
                   .f = choose,
                   .reference = chosen},
                  {.label = "0-d",
                   .inputs = {exact_bools({}, {1}), {{}}, constant({})},
                   .f = choose,
                   .reference = [](const Columns& x) { return x[1]; }},
                  {.label = "numbers",
                   .inputs = {{{4}}, exact_bools({4}, {1, 0, 0, 1})},
                   .f = [](const Vars& v) { return Vars{v[0] * where(v[1], 2.0, -1.0)}; },
                   .reference = [](const Columns& x) -> Numbers {
                     return {2 * x[0][0], -x[0][1], -x[0][2], 2 * x[0][3]};
                   }},
                  {.label = "empty",
                   .inputs = {bools({0, 3}), {{0, 3}}, {{1, 3}}},
                   .f = choose,
                   .reference = nothing}},
      .errors = {{"condition of numbers", [=] { where(real, real, real); },
                  "condition must be bool: got float32"},
                 {"two types", [=] { where(yes, real, whole); }, "float32 and int64"},
                 {"shapes", [=] { where(yes, ones({3}, kFloat32), real); },
                  "do not broadcast: [3] and [2]"}},
      .replay = [](Replay& r) {
        const Var a = r.tensor_or_number("input"), b = r.tensor_or_number("other");
        return Vars{where(r["condition"], a, b)};
      }};
  const Entry fill_op{
      .name = "masked_fill",
      .formula = "y = value where mask, else x",
      .gradient = "dx = dy where not mask, else 0; dvalue = Σ dy where mask",
      .notes = "Not an attention mask: those say what may be attended to.",
      .samples =
          {{.label = "mask per column",
            .inputs = {{{2, 3}}, exact_bools({3}, {0, 1, 0})},
            .f = fill,
            .reference = [](const Columns& x) -> Numbers {
              return {x[0][0], -7, x[0][2], x[0][3], -7, x[0][5]};
            }},
           {.label = "a 0-d value",
            .inputs = {{{2}}, exact_bools({2, 1}, {0, 1}), {{}}},
            .f = [](const Vars& v) { return Vars{masked_fill(v[0], v[1], v[2])}; },
            .reference = [](const Columns& x) -> Numbers {
              return {x[0][0], x[0][1], x[2][0], x[2][0]};
            }},
           {.label = "0-d",
            .inputs = {{{}}, exact_bools({}, {0})},
            .f = fill,
            .reference = [](const Columns& x) { return x[0]; }},
           {.label = "empty", .inputs = {{{0, 3}}, bools({3})}, .f = fill, .reference = nothing}},
      .errors = {{"mask of numbers", [=] { masked_fill(real, real, 0); },
                  "condition must be bool: got float32"},
                 {"fraction into integers", [=] { masked_fill(whole, yes, 0.5); }, "0.5"},
                 {"two values", [=] { masked_fill(real, yes, real); }, "number or 0-d: [2]"}},
      .replay = [](Replay& r) {
        return Vars{masked_fill(r["input"], r["mask"], r.tensor_or_number("value"))};
      }};
  return {about(comparison("eq", eq, [](D a, D b) { return a == b; }), "y = (a = b)", "none"),
          about(comparison("ne", ne, [](D a, D b) { return a != b; }), "y = (a ≠ b)", "none"),
          about(comparison("lt", lt, [](D a, D b) { return a < b; }), "y = (a < b)", "none"),
          about(comparison("le", le, [](D a, D b) { return a <= b; }), "y = (a ≤ b)", "none"),
          about(comparison("gt", gt, [](D a, D b) { return a > b; }), "y = (a > b)", "none"),
          about(comparison("ge", ge, [](D a, D b) { return a >= b; }), "y = (a ≥ b)", "none"),
          about(logical("logical_and", logical_and, [](bool a, bool b) { return a && b; }),
                "y = a and b", "none"),
          about(logical("logical_or", logical_or, [](bool a, bool b) { return a || b; }),
                "y = a or b", "none"),
          not_op,
          where_op,
          fill_op};
}

}  // namespace glass
