#include "autograd/ops/getitem.h"

#include <algorithm>

#include "autograd/ops/indexing.h"
#include "autograd/ops/shape.h"
#include "autograd/ops/table.h"
#include "autograd/samples.h"

namespace glass {
namespace {

const char* const kName = "getitem";

/// Places along one axis of what is left after numbers and ranges.
struct Places {
  int axis;
  Tensor at;  // int64
};

int axes_of(const Index& index) {
  if (std::holds_alternative<Ellipsis>(index) || std::holds_alternative<NewAxis>(index)) return 0;
  const Var* places = std::get_if<Var>(&index);
  return places && places->dtype() == kBool ? places->ndim() : 1;
}

// Where a mask is true: one list of places for each of its axes.
void add_mask(std::vector<Places>& all, const Var& x, const Tensor& mask, int axis) {
  for (int i = 0; i < mask.ndim(); ++i)
    if (mask.shape()[i] != x.shape()[axis + i])
      fail(kName, "the mask does not fit", mask.shape(), " at axis ", axis, " of ", x.shape());
  const std::vector<bool> chosen = mask.to_vector<bool>();
  const Strides strides = contiguous_strides(mask.shape());
  const auto count = static_cast<int64_t>(std::count(chosen.begin(), chosen.end(), true));
  for (int i = 0; i < mask.ndim(); ++i) {
    all.push_back({axis + i, Tensor::empty({count}, kInt64)});
    int64_t* out = all.back().at.data<int64_t>();
    for (size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k]) *out++ = static_cast<int64_t>(k) / strides[i] % mask.shape()[i];
  }
}

// The axes that places name as one in front, read at the combined place, and put back.
Var read_places(const Var& x, const std::vector<Places>& all) {
  Shape common, rest, order;
  for (const Places& p : all) common = broadcast_shapes(kName, common, p.at.shape());
  std::vector<int64_t> flat(static_cast<size_t>(numel(common)), 0);
  int64_t rows = 1;
  for (const Places& p : all) {
    const int64_t n = x.shape()[p.axis];
    const std::vector<int64_t> ids = p.at.expand(common).to_vector<int64_t>();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < -n || ids[i] >= n)
        fail(kName, "index out of range", ids[i], ", should be in [", -n, ", ", n - 1, "]");
      flat[i] = flat[i] * n + (ids[i] < 0 ? ids[i] + n : ids[i]);
    }
    order.push_back(p.axis);
    rows *= n;
  }
  for (int i = 0; i < x.ndim(); ++i)
    if (std::find(order.begin(), order.begin() + static_cast<int>(all.size()), i) ==
        order.begin() + static_cast<int>(all.size())) {
      order.push_back(i);
      rest.push_back(x.shape()[i]);
    }
  Shape wide = rest, shape = common;
  wide.insert(0, rows);
  for (int64_t n : rest) shape.push_back(n);
  const Var index(Tensor::from(flat, {static_cast<int64_t>(flat.size())}));
  const Var y = reshape(index_select(reshape(permute(x, order), wide), 0, index), shape);
  const int first = all.front().axis;
  if (all.back().axis - first + 1 != static_cast<int>(all.size())) return y;
  Dims back;  // the axes before the first place came behind the common ones
  for (int i = 0; i < first; ++i) back.push_back(common.size() + i);
  for (int i = 0; i < common.size(); ++i) back.push_back(i);
  for (int i = common.size() + first; i < shape.size(); ++i) back.push_back(i);
  return permute(y, back);
}

}  // namespace

Var getitem(In x, const std::vector<Index>& index) {
  int taken = 0;
  for (const Index& part : index) taken += axes_of(part);
  const auto dots = std::count_if(index.begin(), index.end(), [](const Index& part) {
    return std::holds_alternative<Ellipsis>(part);
  });
  if (taken > x->ndim()) fail(kName, "too many indices", taken, " for ", x->shape());
  if (dots > 1) fail(kName, "only one ellipsis may stand in an index", dots);
  Var y = alias(x);
  std::vector<Places> places;
  int axis = 0;
  for (const Index& part : index) {
    if (const auto* number = std::get_if<int64_t>(&part)) {
      y = select(y, axis, *number);
    } else if (const auto* range = std::get_if<IndexRange>(&part)) {
      y = slice(y, axis++, range->start.value_or(0), range->end.value_or(kEnd), range->step);
    } else if (std::holds_alternative<Ellipsis>(part)) {
      axis += x->ndim() - taken;
    } else if (std::holds_alternative<NewAxis>(part)) {
      y = unsqueeze(y, axis++);
    } else if (const Var& at = std::get<Var>(part); at.dtype() == kBool) {
      if (at.ndim() == 0) fail(kName, "a mask needs an axis", "got one bool");
      add_mask(places, y, at.value(), axis);
      axis += at.ndim();
    } else if (at.dtype() != kInt64) {
      fail(kName, "places must be int64 or bool", "got ", name_of(at.dtype()));
    } else if (at.ndim() == 0) {
      y = select(y, axis, static_cast<int64_t>(at.item()));
    } else {
      places.push_back({axis++, at.value()});
    }
  }
  return places.empty() ? y : read_places(y, places);
}

namespace {

Sample item(const char* label, const Shape& shape, std::vector<Index> index, std::vector<int> at) {
  return {.label = label,
          .inputs = {{shape}},
          .f = [=](const Vars& v) { return Vars{getitem(v[0], index)}; },
          .reference =
              [=](const Columns& x) {
                Numbers y;
                for (int i : at) y.push_back(x[0][static_cast<size_t>(i)]);
                return y;
              }};
}

Index list(std::vector<int64_t> places) {
  return Var(Tensor::from(places, {static_cast<int64_t>(places.size())}));
}

// A nested list of numbers, all of one shape, appended to values.
void read_list(const Argument& a, std::vector<double>& values, Shape& shape, int depth) {
  const auto* parts = std::get_if<std::vector<Argument>>(&a.value);
  if (!parts) {
    const auto* whole = std::get_if<int64_t>(&a.value);
    const auto* flag = std::get_if<bool>(&a.value);
    if (!whole && !flag) fail(kName, "an index list holds numbers", "depth ", depth);
    return values.push_back(whole ? static_cast<double>(*whole) : *flag);
  }
  if (shape.size() == depth) shape.push_back(static_cast<int64_t>(parts->size()));
  for (const Argument& part : *parts) read_list(part, values, shape, depth + 1);
}

Index part_argument(Replay& r, const Argument& a) {
  if (const auto* number = std::get_if<int64_t>(&a.value)) return *number;
  const auto* parts = std::get_if<std::vector<Argument>>(&a.value);
  if (!parts) fail(kName, "an index is a number, a list or an object");
  const auto* key = parts->empty() ? nullptr : std::get_if<std::string>(&parts->front().value);
  if (!key) {
    std::vector<double> values;
    Shape shape;
    read_list(a, values, shape, 0);
    bool mask = false;
    if (!values.empty()) {
      const Argument* first = &a;
      while (const auto* inner = std::get_if<std::vector<Argument>>(&first->value))
        first = &inner->front();
      mask = std::holds_alternative<bool>(first->value);
    }
    return Var(Tensor::from(values, shape).to(mask ? kBool : kInt64));
  }
  if (*key == "ellipsis") return Ellipsis{};
  if (*key == "newaxis") return NewAxis{};
  if (*key == "tensor") return r[std::get<std::string>(parts->at(1).value)];
  if (*key != "slice") fail(kName, "unknown kind of index", *key);
  const auto& bounds = std::get<std::vector<Argument>>(parts->at(1).value);
  const auto bound = [&](size_t i) {
    const auto* whole = std::get_if<int64_t>(&bounds.at(i).value);
    return whole ? std::optional<int64_t>(*whole) : std::nullopt;
  };
  return IndexRange{bound(0), bound(1), bound(2).value_or(1)};
}

Vars replay_getitem(Replay& r) {
  std::vector<Index> index;
  for (const Argument& a : std::get<std::vector<Argument>>(r.argument("index").value))
    index.push_back(part_argument(r, a));
  return {getitem(r["input"], index)};
}

}  // namespace

std::vector<Entry> getitem_ops() {
  const IndexRange all{};
  const Var mask(Tensor::from<double>({1, 0, 1}, {3}).to(kBool));
  const Var square(Tensor::from<double>({1, 0, 0, 1}, {2, 2}).to(kBool));
  const Var column(Tensor::from<int64_t>({1, 0}, {2, 1}));
  const auto call = [](const Shape& shape, std::vector<Index> index) {
    getitem(ones(shape), index);
  };
  return {{.name = "getitem",
           .formula = "y = x[index]",
           .gradient = "dx = dy added at the places read",
           .notes = "Numbers are taken before places, as in PyTorch; NumPy counts them as places.",
           .samples =
               {item("number", {2, 3}, {Index(-1)}, {3, 4, 5}),
                item("range and number", {2, 3}, {all, Index(1)}, {1, 4}),
                item("step 2", {5}, {IndexRange{1, {}, 2}}, {1, 3}),
                item("ellipsis", {2, 1, 2}, {Ellipsis{}, Index(0)}, {0, 2}),
                item("new axis", {2}, {NewAxis{}, IndexRange{-1, {}}, NewAxis{}}, {1}),
                item("list, one twice", {3, 2}, {list({2, 0, -1})}, {4, 5, 0, 1, 4, 5}),
                item("two lists", {3, 2}, {list({2, 0}), list({1, 0})}, {5, 0}),
                item("lists broadcast", {2, 2}, {column, list({1, 0})}, {3, 2, 1, 0}),
                item("behind a range", {2, 2, 2}, {all, list({1, 0}), list({0, 1})}, {2, 1, 6, 5}),
                item("a range between", {2, 2, 2}, {list({1, 0}), all, list({0, 1})}, {4, 6, 1, 3}),
                item("a number before", {2, 2, 2}, {Index(1), all, list({1, 1, 0})},
                     {5, 5, 4, 7, 7, 6}),
                item("mask", {3, 2}, {mask}, {0, 1, 4, 5}),
                item("mask of two axes", {2, 2, 2}, {square}, {0, 1, 6, 7}),
                item("mask behind a range", {2, 3}, {all, mask}, {0, 2, 3, 5}),
                item("0-d places", {3}, {Var(Tensor::scalar(2, kInt64))}, {2}),
                item("no places", {3, 2}, {list({})}, {}), item("nothing asked", {2}, {}, {0, 1})},
           .errors = {{"too many",
                       [=] {
                         call({2}, {all, all});
                       },
                       "too many indices: 2 for [2]"},
                      {"beyond", [=] { call({3}, {list({3})}); }, "3, should be in [-3, 2]"},
                      {"two ellipses",
                       [=] {
                         call({2}, {Ellipsis{}, Ellipsis{}});
                       },
                       "only one ellipsis"},
                      {"backwards",
                       [=] {
                         call({2}, {IndexRange{{}, {}, -1}});
                       },
                       "step must be positive: -1"},
                      {"mask of another size",
                       [=] {
                         call({2, 2}, {mask});
                       },
                       "[3] at axis 0 of [2, 2]"},
                      {"real places", [=] { call({2}, {ones({1})}); }, "got float64"}},
           .replay = replay_getitem}};
}

}  // namespace glass
