#include "nn/module.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace glass {
namespace {

/// Walks a module and everything below it; members arrive with their paths.
class Walker : public Visitor {
 public:
  std::function<void(const std::string& path, Var& value)> on_parameter;
  std::function<void(const std::string& path, Tensor& value)> on_buffer;

  void parameter(std::string_view name, Var& value) override {
    if (on_parameter) on_parameter(prefix_ + std::string(name), value);
  }
  void buffer(std::string_view name, Tensor& value) override {
    if (on_buffer) on_buffer(prefix_ + std::string(name), value);
  }
  void module(std::string_view name, Module& child) override {
    const size_t length = prefix_.size();
    prefix_.append(name).append(".");
    child.visit(*this);
    prefix_.resize(length);
  }

 private:
  std::string prefix_;
};

/// What makes two members one: the same leaf, or without one the same place in memory.
using Identity = std::tuple<const void*, const void*, DType>;
Identity identity(const Tensor& value) {
  return {value.storage().get(), value.raw(), value.dtype()};
}
Identity identity(const Var& value) {
  return value.node() ? Identity{value.node().get(), nullptr, value.dtype()}
                      : identity(value.value());
}

/// Puts make(value) in the place of every parameter and buffer, once for those that are tied. A
/// parameter that make returns as it is stays the same leaf.
void replace_members(Module& module, const std::function<Tensor(const Tensor&)>& make) {
  // The old values stay alive until the end, so that no identity is used twice.
  std::map<Identity, std::pair<Var, Var>> parameters;
  std::map<Identity, std::pair<Tensor, Tensor>> buffers;
  Walker walker;
  walker.on_parameter = [&](const std::string&, Var& value) {
    auto [place, added] = parameters.try_emplace(identity(value));
    if (!added) return;
    Tensor made = make(value.value());
    const bool same = made.shares_storage(value.value());
    place->second = {value, same ? value : Var(std::move(made), value.requires_grad())};
  };
  walker.on_buffer = [&](const std::string&, Tensor& value) {
    auto [place, added] = buffers.try_emplace(identity(value));
    if (added) place->second = {value, make(value)};
  };
  module.visit(walker);
  // A member that is shown twice has been replaced when it comes again.
  walker.on_parameter = [&](const std::string&, Var& value) {
    if (const auto found = parameters.find(identity(value)); found != parameters.end())
      value = found->second.second;
  };
  walker.on_buffer = [&](const std::string&, Tensor& value) {
    if (const auto found = buffers.find(identity(value)); found != buffers.end())
      value = found->second.second;
  };
  module.visit(walker);
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  const auto* p = static_cast<const std::byte*>(x.raw());
  const auto* q = static_cast<const std::byte*>(y.raw());
  return std::equal(p, p + x.numel() * static_cast<int64_t>(size_of(x.dtype())), q);
}

}  // namespace

void Module::train(bool on) {
  training_ = on;
  struct Children : Visitor {
    explicit Children(bool mode) : on(mode) {}
    void parameter(std::string_view, Var&) override {}
    void module(std::string_view, Module& child) override { child.train(on); }
    bool on;
  } children(on);
  visit(children);
}

NamedVars Module::named_parameters() {
  NamedVars all;
  Walker walker;
  walker.on_parameter = [&](const std::string& path, Var& value) { all.emplace_back(path, value); };
  visit(walker);
  return all;
}

std::vector<std::pair<std::string, Tensor>> Module::named_buffers() {
  std::vector<std::pair<std::string, Tensor>> all;
  Walker walker;
  walker.on_buffer = [&](const std::string& path, Tensor& value) { all.emplace_back(path, value); };
  visit(walker);
  return all;
}

std::vector<Var> Module::parameters() {
  std::vector<Var> all;
  std::set<Identity> seen;
  Walker walker;
  walker.on_parameter = [&](const std::string&, Var& value) {
    if (seen.insert(identity(value)).second) all.push_back(value);
  };
  visit(walker);
  return all;
}

int64_t Module::num_parameters() {
  int64_t count = 0;
  for (const Var& value : parameters()) count += value.numel();
  return count;
}

void Module::zero_grad() {
  for (const Var& value : parameters())
    if (value.requires_grad() && value.is_leaf()) value.zero_grad();
}

void Module::to(DType dtype) {
  if (!is_floating(dtype)) fail("to", "a module is float32 or float64", "got ", name_of(dtype));
  replace_members(*this, [&](const Tensor& value) {
    return is_floating(value.dtype()) && value.dtype() != dtype ? value.to(dtype) : value;
  });
}

NamedTensors Module::state_dict() {
  NamedTensors state;
  Walker walker;
  walker.on_parameter = [&](const std::string& path, Var& value) {
    state.add(path, value.value());
  };
  walker.on_buffer = [&](const std::string& path, Tensor& value) { state.add(path, value); };
  visit(walker);
  return state;
}

void Module::load_state_dict(const NamedTensors& state) {
  const NamedTensors own = state_dict();
  std::map<std::string_view, const Tensor*> given;
  std::vector<std::string> twice, missing, surplus, misshapen, contradictory;
  for (const auto& [name, tensor] : state.tensors)
    if (!given.emplace(name, &tensor).second) twice.push_back(name);

  std::vector<std::pair<Tensor, Tensor>> copies;  // from, to
  std::map<Identity, std::pair<std::string, Tensor>> first_of_tied;
  std::set<std::string_view> wanted;
  for (const auto& [name, target] : own.tensors) {
    wanted.insert(name);
    const auto found = given.find(name);
    if (found == given.end()) {
      missing.push_back(name);
      continue;
    }
    const Tensor& source = *found->second;
    if (!source.defined()) {
      misshapen.push_back(name + " is undefined");
      continue;
    }
    if (!(source.shape() == target.shape()) ||
        is_floating(source.dtype()) != is_floating(target.dtype()) ||
        (!is_floating(source.dtype()) && source.dtype() != target.dtype())) {
      misshapen.push_back(text(name, " is ", source.shape(), " ", source.dtype(), ", needs ",
                               target.shape(), " ", target.dtype()));
      continue;
    }
    const auto [tied, first] = first_of_tied.try_emplace(identity(target), std::pair(name, source));
    if (first)
      copies.emplace_back(source, target);
    else if (tied->second.second.dtype() != source.dtype() ||
             !same_bits(tied->second.second, source))
      contradictory.push_back(tied->second.first + " and " + name);
  }
  for (const auto& [name, tensor] : state.tensors)
    if (wanted.count(name) == 0) surplus.push_back(name);

  std::string wrong;
  const auto report = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) wrong += (wrong.empty() ? "" : "; ") + std::string(what) + joined(names);
  };
  report("missing: ", missing);
  report("surplus: ", surplus);
  report("wrong shape or type: ", misshapen);
  report("given twice: ", twice);
  report("tied but different: ", contradictory);
  if (!wrong.empty()) fail("load_state_dict", "the entries are not the module's", wrong);

  // What shares memory with the module is copied out first; whatever can fail has happened then.
  std::set<const Storage*> storages;
  for (const auto& [source, target] : copies) storages.insert(target.storage().get());
  for (auto& [source, target] : copies)
    if (storages.count(source.storage().get()) > 0) source = source.clone();
  for (const auto& [source, target] : copies) target.copy_(source);
}

void own_parameters(Module& module) {
  replace_members(module, [](const Tensor& value) { return value.clone(); });
}

}  // namespace glass
