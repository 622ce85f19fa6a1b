#include <fmt/core.h>

#include <memory>
#include <optional>

#include "models/cli/commands.h"
#include "models/cli/task_arguments.h"
#include "models/cli/usage.h"
#include "models/json.h"
#include "models/names.h"
#include "models/report/html.h"
#include "models/report/label.h"
#include "models/report/terminal.h"
#include "models/text/utf8.h"
#include "models/train/run_folder.h"
#include "models/trust/bias.h"
#include "tensor/file.h"

namespace glass {
namespace {

struct BiasArguments {
  std::vector<std::string> runs;
  std::string data, split = "test", layer, html;
  std::optional<int64_t> texts;
  int64_t top = 15;
  bool json = false;
};

constexpr int64_t kManyPictures = 100;  // of a data set, where --texts does not say
constexpr int64_t kWidestMap = 30;      // columns of a map that a terminal shows

std::vector<References> texts_of(const BiasArguments& a, const RunConfig& config) {
  if (!a.data.empty()) return references_for(config, a.data);
  Corpus corpus = load_corpus(config);
  return std::move(a.split == "test" ? corpus.test : corpus.valid);
}

// Of all of them, so that what one lacks is said before the work on another.
void check_runs(const BiasArguments& a) {
  for (const std::string& run : a.runs) {
    const RunConfig config = load_config(run);
    if (config.codec.reads_pictures() && !a.data.empty())
      fail("bias", "a run that reads pictures is asked about its own data; leave out --data", run);
    if (!load_model(run, config)->attends())
      fail("bias", "this run's model has no attention to look at", run);
  }
}

// Columns as wide as their widest cell.
void print_table(const ReportTable& table) {
  std::vector<size_t> widths;
  const auto widen = [&](const std::vector<std::string>& cells) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], static_cast<size_t>(display_width(clean_text(cells[i]))));
  };
  widen(table.head);
  for (const auto& row : table.rows) widen(row);
  const auto print = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = clean_text(cells[i]);
      const std::string fill(widths[i] - static_cast<size_t>(display_width(cell)), ' ');
      line += (i > 0 ? "  " : "") + (i == 0 ? cell + fill : fill + cell);
    }
    fmt::print("{}\n", line);
  };
  fmt::print("{}\n", clean_text(table.title));
  print(table.head);
  for (const auto& row : table.rows) print(row);
  fmt::print("\n");
}

void run_bias(const BiasArguments& a) {
  if (!a.html.empty()) check_writable(a.html);
  check_runs(a);
  ReportData page;
  page.title = "Glass: what answers hang on";
  Json all = Json::array();
  for (const std::string& run : a.runs) {
    const RunConfig config = load_config(run);
    const int64_t texts = a.texts.value_or(config.codec.reads_pictures() ? kManyPictures : 0);
    const auto model = load_model(run, config);
    model->to(kFloat64);
    const BiasReport report =
        bias_report(*model, config.codec, texts_of(a, config), {texts, a.layer});
    const double right = 1 - static_cast<double>(report.wrong) / static_cast<double>(report.texts);
    page.figures.push_back({run + ": right answers", fmt::format("{:.2f} %", 100 * right)});
    const std::string name = a.runs.size() > 1 ? run : "";
    for (const AttentionMap& map : bias_maps(report, name)) {
      if (!a.json && report.columns <= kWidestMap) fmt::print("{}\n", terminal_heat_map(map));
      page.maps.push_back(map);
    }
    for (const ReportTable& table : bias_tables(report, name, static_cast<size_t>(a.top))) {
      if (!a.json) print_table(table);
      page.tables.push_back(table);
    }
    if (!a.json)
      fmt::print("{}: {}, {} wrong, {:.2f} % right\n\n", clean_text(run),
                 counted(report.texts, "answer"), report.wrong, 100 * right);
    all.push_back(to_json(report));
    all.back()["run"] = run;
  }
  if (a.json) fmt::print("{}\n", all.dump(1));
  if (!a.html.empty()) write_file_atomically(a.html, report_html(page));
}

}  // namespace

void add_bias_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "bias",
      "Find words and regions with attention and effect out of proportion, in one or more runs");
  auto a = std::make_shared<BiasArguments>();
  command->add_option("--run", a->runs, "Run folder; several are shown side by side")
      ->transform(naming("a folder"))
      ->required();
  auto* data = command->add_option("--data", a->data, "A file instead, as for train")
                   ->transform(naming("a file"));
  command->add_option("--split", a->split, "Of the run's own data: test or valid")
      ->transform(one_of({"test", "valid"}))
      ->excludes(data)
      ->capture_default_str();
  command
      ->add_option("--texts", a->texts,
                   "So many of them, taken evenly; 0: all (default: all texts, 100 pictures)")
      ->transform(within(kCountOrNoneRange));
  command->add_option("--top", a->top, "Words or cells to show")
      ->transform(within(kCountRange))
      ->capture_default_str();
  command->add_option("--layer", a->layer,
                      "An attention layer (default: the last from target to source)");
  command->add_option("--html", a->html, "Write a page too")->transform(naming("a file"));
  command->add_flag("--json", a->json, "Print JSON");
  command->callback([a] { run_bias(*a); });
}

}  // namespace glass
