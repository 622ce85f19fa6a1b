#include "models/reference.h"

#include <algorithm>

namespace glass {
namespace {

// A table's cell: bars would end it.
std::string cell(const std::string& text) {
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

void add_table(std::string& out, const std::vector<Entry>& entries,
               const std::vector<EntryKind>& kinds, const char* title) {
  std::vector<const Entry*> chosen;
  for (const Entry& entry : entries)
    if (std::count(kinds.begin(), kinds.end(), entry.kind)) chosen.push_back(&entry);
  if (chosen.empty()) return;
  std::sort(chosen.begin(), chosen.end(),
            [](const Entry* a, const Entry* b) { return a->name < b->name; });
  out += std::string("\n## ") + title +
         "\n\n| name | formula | derivative | orders | rules |\n|---|---|---|---|---|\n";
  for (const Entry* entry : chosen)
    out += "| `" + entry->name + "` | " + cell(entry->formula) + " | " + cell(entry->gradient) +
           " | " + orders(*entry) + " | " + cell(entry->notes) + " |\n";
}

}  // namespace

std::string reference_markdown(const std::vector<Entry>& entries) {
  std::string out =
      "# Reference\n\n"
      "Every op, loss and layer that `glass gradcheck` checks, as the registry describes it "
      "(written\n"
      "by `./glass reference`; a test compares). Names and arguments are PyTorch's; headers give\n"
      "shapes and what is thrown. *orders*: which derivatives exist and are checked. dy is the\n"
      "upstream gradient.\n";
  add_table(out, entries, {EntryKind::op}, "Ops");
  add_table(out, entries, {EntryKind::fused},
            "Fused ops (with a definition in simple ops, tested to be equal)");
  add_table(out, entries, {EntryKind::loss}, "Losses");
  add_table(out, entries, {EntryKind::layer, EntryKind::model}, "Layers");
  return out;
}

}  // namespace glass
