#include "models/reference.h"

#include <algorithm>

namespace glass {
namespace {

// A table's cell: bars would end it.
std::string table_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string orders(const Entry& entry) {
  if (!entry.differentiable) return "none";
  const bool second = std::any_of(entry.samples.begin(), entry.samples.end(),
                                  [](const Sample& sample) { return sample.second_order; });
  return second ? "1, 2" : "1";
}

// "[3, 4], [4] → [3]": the shapes of a sample's inputs (no more than four) and outputs.
std::string shapes(const Sample& sample) {
  constexpr size_t kMost = 4;
  Generator generator;
  const NoGrad off;
  const Vars inputs = make_inputs(sample, generator), outputs = sample.f(inputs);
  std::string all;
  const auto add = [&](const Vars& vars) {
    for (size_t i = 0; i < std::min(vars.size(), kMost); ++i)
      all += (i > 0 ? ", " : "") + text(vars[i].shape());
    if (vars.size() > kMost) all += ", …";
  };
  add(inputs);
  all += " → ";
  add(outputs);
  return all;
}

// Of the first sample, and of the first whose input has another number of axes.
std::string shapes(const Entry& entry) {
  std::vector<const Sample*> chosen;
  for (const Sample& sample : entry.samples) {
    const bool empty = std::any_of(sample.inputs.begin(), sample.inputs.end(),
                                   [](const Input& input) { return numel(input.shape) == 0; });
    if (empty || sample.inputs.empty() || chosen.size() == 2) continue;
    if (chosen.empty() || chosen[0]->inputs[0].shape.size() != sample.inputs[0].shape.size())
      chosen.push_back(&sample);
  }
  std::string all;
  for (const Sample* sample : chosen) all += (all.empty() ? "" : "; ") + shapes(*sample);
  return all;
}

// The call; before it PyTorch's name where that is another.
std::string call(const Entry& entry, const Signatures& signatures) {
  if (entry.name != "std") return "`" + signatures.of(entry.name) + "`";
  return "`std`: `" + signatures.of("standard_deviation") + "`";
}

void add_table(std::string& out, const std::vector<Entry>& entries, const Signatures& signatures,
               const std::vector<EntryKind>& kinds, const char* title) {
  std::vector<const Entry*> chosen;
  for (const Entry& entry : entries)
    if (std::count(kinds.begin(), kinds.end(), entry.kind)) chosen.push_back(&entry);
  if (chosen.empty()) return;
  std::sort(chosen.begin(), chosen.end(),
            [](const Entry* a, const Entry* b) { return a->name < b->name; });
  out += std::string("\n## ") + title +
         "\n\n| call | formula | derivative | orders | rules | shapes |\n"
         "|---|---|---|---|---|---|\n";
  for (const Entry* entry : chosen)
    out += "| " + call(*entry, signatures) + " | " + table_cell(entry->formula) + " | " +
           table_cell(entry->gradient) + " | " + orders(*entry) + " | " + table_cell(entry->notes) +
           " | " + shapes(*entry) + " |\n";
}

}  // namespace

std::string reference_markdown(const std::vector<Entry>& entries, const Signatures& signatures) {
  std::string out =
      "# Reference\n\n"
      "Every op, loss and layer that `glass gradcheck` checks, as the registry and the headers\n"
      "describe it (written by `./glass reference`; a test compares). Names are PyTorch's.\n\n"
      "*call*: the arguments with their defaults; options in braces are set by name,\n"
      "`{.stride = {2}}`, and a layer is called with its generator behind them. *orders*: which\n"
      "derivatives exist and are checked. dy is the upstream gradient. *shapes*: examples of "
      "inputs\n"
      "(of layers: and parameters) and outputs.\n\n"
      "Rules that hold everywhere:\n\n"
      "* Ties: what returns values only splits dy evenly among equals; what knows the place gives\n"
      "  it to the first. Only exactly equal numbers are ties.\n"
      "* NaN wins in every maximum, minimum and sort, and is never lost by an activation.\n"
      "* Nothing: a sum of no elements is 0, a product 1, a mean NaN; a maximum is an Error. So\n"
      "  the mean of no losses is NaN, but 0 where targets are counted (cross_entropy, nll_loss)\n"
      "  and none counts. Gradients of nothing are 0, never NaN.\n"
      "* Kinks: slope 0 at 0 for relu, abs and norms; the slope of x ≤ 0 for leaky_relu, elu and\n"
      "  prelu; 1 on the bounds of clamp.\n"
      "* -∞ is an impossible class: it gets share 0 and gradient 0. Without any possible class\n"
      "  softmax is 0/0 = NaN and logsumexp -∞; masked_softmax and all attention give 0.\n"
      "* Masks: true = may be attended to. Indices out of range are Errors, never wrapped; only\n"
      "  getitem, select, narrow and slice count negative ones from the end.\n"
      "* Types never mix: `to(x, dtype)` converts.\n"
      "* A parameter that the loss does not depend on keeps an undefined gradient. A graph is "
      "used\n"
      "  up by its backward unless it is retained. Every thread starts with recording on.\n"
      "* A causal mask ends with the last key: one query over a cache sees all of it, and queries\n"
      "  before the first key see nothing. Numbers are no mask.\n"
      "* Norms divide by √(variance of all n elements + eps); running variances are of n - 1. One\n"
      "  value per channel is an Error in training.\n"
      "* Gradients whose total norm is NaN or infinite are refused by clip_grad_norm_, unchanged.\n"
      "* Schedules count from step 0, whose rate is that of the first update. A warm-up of n "
      "steps\n"
      "  begins with 1/n of the rate; after t_max a cosine rises again, as in PyTorch.\n"
      "* Search: of equal scores the lowest parent, then the lowest id. Vocabularies: by count, "
      "then\n"
      "  by bytes. BLEU without any match is 0, of empty texts too.\n";
  add_table(out, entries, signatures, {EntryKind::op}, "Ops");
  add_table(out, entries, signatures, {EntryKind::fused},
            "Fused ops (with a definition in simple ops, tested to be equal)");
  add_table(out, entries, signatures, {EntryKind::loss}, "Losses");
  add_table(out, entries, signatures, {EntryKind::layer, EntryKind::model}, "Layers");
  return out;
}

}  // namespace glass
