#include "nn/attention/recorder.h"

#include <algorithm>

#include "nn/attention/attention.h"
#include "tensor/file.h"
#include "tensor/ops.h"

namespace glass {
namespace {

thread_local AttentionRecorder* recording = nullptr;

// The path of every module below a root.
struct Paths : Visitor {
  explicit Paths(std::map<const Module*, std::string>& into) : names(into) {}
  void parameter(std::string_view, Var&) override {}
  void module(std::string_view name, Module& child) override {
    const std::string outer = path;
    path += (path.empty() ? "" : ".") + std::string(name);
    names[&child] = path;
    child.visit(*this);
    path = outer;
  }
  std::map<const Module*, std::string>& names;
  std::string path;
};

}  // namespace

std::map<const Module*, std::string> module_paths(Module& root) {
  std::map<const Module*, std::string> names;
  Paths paths(names);
  root.visit(paths);
  return names;
}

AttentionRecorder::AttentionRecorder(Module* model) : outer_(recording) {
  if (model) names_ = module_paths(*model);
  recording = this;
}

AttentionRecorder::~AttentionRecorder() { recording = outer_; }

AttentionRecorder* AttentionRecorder::active() { return recording; }

void AttentionRecorder::see(const Module* layer, const AttentionWeights& weights, const Var& gate) {
  if (!recording || !weights.defined()) return;
  const NoGrad quiet;
  recording->add(layer, weights.dense().value(), weights.mass().value(),
                 gate.defined() ? mean(gate, {-1}).value() : Tensor());
}

void AttentionRecorder::see(const Module* layer, const Var& weights) {
  if (!recording) return;
  recording->add(layer, weights.value(), sum(weights.value(), {-1}), {});
}

void AttentionRecorder::add(const Module* layer, const Tensor& weights, const Tensor& mass,
                            const Tensor& gate) {
  const auto [found, fresh] = names_.try_emplace(layer, "");
  if (found->second.empty()) found->second = text("attention ", layers().size() + 1);
  calls_.push_back({found->second, weights.clone(), mass.clone(), gate});
}

std::vector<std::string> AttentionRecorder::layers() const {
  std::vector<std::string> names;
  for (const RecordedAttention& call : calls_)
    if (std::find(names.begin(), names.end(), call.layer) == names.end())
      names.push_back(call.layer);
  return names;
}

Tensor AttentionRecorder::weights(const std::string& layer) const {
  std::vector<Tensor> parts;
  for (const RecordedAttention& call : calls_) {
    if (call.layer != layer) continue;
    const Shape& first = parts.empty() ? call.weights.shape() : parts[0].shape();
    const Shape& shape = call.weights.shape();
    if (first[0] != shape[0] || first[1] != shape[1] || first[3] != shape[3])
      fail("AttentionRecorder", "calls of different sizes cannot be joined", first, " and ", shape);
    parts.push_back(call.weights);
  }
  if (parts.empty()) {
    std::string known;
    for (const std::string& name : layers()) known += (known.empty() ? "" : ", ") + name;
    fail("AttentionRecorder", "nothing was recorded of this layer", layer,
         "; recorded: ", known.empty() ? "nothing" : known);
  }
  return cat(parts, 2);
}

Tensor AttentionRecorder::gates(const std::string& layer) const {
  std::vector<Tensor> parts;
  for (const RecordedAttention& call : calls_)
    if (call.layer == layer && call.gate.defined()) parts.push_back(call.gate);
  return parts.empty() ? Tensor() : cat(parts, 1);
}

void save_npy(const std::string& path, const Tensor& array) {
  const char* kind = array.dtype() == kFloat32   ? "<f4"
                     : array.dtype() == kFloat64 ? "<f8"
                     : array.dtype() == kInt64   ? "<i8"
                                                 : "|b1";
  std::string shape;
  for (int i = 0; i < array.ndim(); ++i) shape += text(i == 0 ? "" : ", ", array.shape()[i]);
  if (array.ndim() == 1) shape += ",";
  std::string header =
      text("{'descr': '", kind, "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.append(63 - (10 + header.size()) % 64, ' ');  // with the newline a multiple of 64
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  const Tensor dense = array.contiguous();
  file.append(static_cast<const char*>(dense.raw()),
              static_cast<size_t>(dense.numel() * size_of(dense.dtype())));
  write_file_atomically(path, file);
}

}  // namespace glass
