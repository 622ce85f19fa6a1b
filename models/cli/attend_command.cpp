#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "models/captioner/look.h"
#include "models/cli/commands.h"
#include "models/cli/task_arguments.h"
#include "models/cli/usage.h"
#include "models/image/formats.h"
#include "models/json.h"
#include "models/names.h"
#include "models/report/html.h"
#include "models/report/label.h"
#include "models/report/svg.h"
#include "models/report/terminal.h"
#include "models/seq2seq/recording.h"
#include "models/text/utf8.h"
#include "models/train/run_folder.h"
#include "models/trust/translators.h"
#include "models/trust/verdict.h"
#include "nn/attention/recorder.h"
#include "tensor/file.h"

namespace glass {
namespace {

struct AttendArguments {
  std::string run, text, target, layer, head = "mean", svg, html, npy, png;
  int64_t beam = 1;
  bool list = false, trust = false, json = false;
};

constexpr double kPageWidth = 1200;  // of a picture of many heads

int64_t head_number(const std::string& head) {
  if (head == "mean") return -1;
  if (head.empty() || head.size() > 4 || head.find_first_not_of("0123456789") != std::string::npos)
    usage_error("--head must be a number, mean or all, got " + head);
  return std::stoll(head);
}

// The maps that were asked for: one head, their mean, or all of them.
std::vector<AttentionMap> chosen_maps(const AttendArguments& a, const AttentionRecording& r) {
  const LayerAttention& layer = r.layer(a.layer);
  std::vector<AttentionMap> maps;
  if (a.head != "all") return {attention_map(r, layer, head_number(a.head))};
  for (int64_t h = 0; h < layer.weights.size(0); ++h) {
    maps.push_back(attention_map(r, layer, h));
    if (layer.weights.size(0) > 1) maps.back().title = text(layer.layer, ", head ", h);
  }
  return maps;
}

// Of each word the place that it looked at most.
void print_peaks(const PictureAttention& a) {
  const std::vector<Tensor> maps = main_maps(a);
  for (size_t i = 0; i < maps.size(); ++i) {
    const std::vector<double> values = maps[i].to_vector<double>();
    const auto most = std::max_element(values.begin(), values.end());
    const int64_t place = most - values.begin(), width = maps[i].size(1);
    fmt::print("{:16} row {:2} of {}, column {:2} of {}, weight {:.2f}", clean_text(a.words[i]),
               place / width + 1, maps[i].size(0), place % width + 1, width, *most);
    fmt::print("{}\n", a.gates.empty() ? "" : fmt::format(", {} {:.2f}", a.gate_name, a.gates[i]));
  }
}

// By the one rule for bad UTF-8 (models/text/utf8.h), with a warning.
std::string repaired_argument(const char* argument, const std::string& given) {
  RepairedText text = repair_utf8(given);
  if (text.replaced > 0)
    fmt::print(stderr, "warning: {}: bad UTF-8, replaced by U+FFFD\n", argument);
  return text.text;
}

void warn_of_unknown(const char* argument, const std::vector<std::string>& tokens,
                     const Vocabulary& vocabulary) {
  std::vector<std::string> unknown;
  for (const std::string& token : tokens)
    if (!vocabulary.contains(token) && token != vocabulary.token(Vocabulary::kUnk))
      unknown.push_back(token);
  if (!unknown.empty())
    fmt::print(stderr, "warning: {}: not in the vocabulary, read as <unk>: {}\n", argument,
               clean_text(shorten(listed(unknown, ", ", ", "), 200)));
}

void print_trust(const TrustReport& report) {
  fmt::print("May the weights of {} be believed? {}.\n", report.layer, summary(report));
  for (const TokenTrust& token : report.tokens)
    fmt::print("{}\n", clean_text(sentence(token, report.source, report.columns)));
}

void run_attend(const AttendArguments& a) {
  if (a.head != "all") head_number(a.head);
  std::set<std::string> files;
  for (const std::string* path : {&a.svg, &a.html, &a.npy, &a.png}) {
    if (path->empty()) continue;
    if (!files.insert(*path).second) usage_error("two options name one file: " + *path);
    check_writable(*path);
  }
  const RunConfig config = load_config(a.run);
  const auto model = load_model(a.run, config);
  if (!model->attends()) fail("attend", "this run's model has no attention to draw", a.run);
  const bool picture = config.codec.reads_pictures();
  if (picture && !a.svg.empty())
    usage_error("--svg draws texts; the pictures of this run are drawn by --png and --html");
  if (!picture && !a.png.empty())
    usage_error("--png draws on pictures; the texts of this run are drawn by --svg and --html");
  if (a.trust) model->to(kFloat64);
  const std::string target = repaired_argument("--target", a.target);
  if (!target.empty() && classifies(config.task)) check_label("--target", config.codec, target);
  const std::string source = picture ? a.text : repaired_argument("text", a.text);
  const AttentionRecording r = record_attention(*model, config.codec, source, target, a.beam);
  if (!picture) warn_of_unknown("text", r.source, config.codec.source);
  if (!target.empty()) warn_of_unknown("--target", r.target, config.codec.target);
  if (a.list) {
    for (const LayerAttention& layer : r.layers)
      fmt::print("{}  {}, {} × {}\n", layer.layer, counted(layer.weights.size(0), "head"),
                 layer.rows.size(), layer.columns.size());
    return;
  }
  if (r.target.empty())
    fail("attend", "there is nothing to draw; --target says what to look at",
         "the answer is empty");
  PictureAttention looked = picture ? look(config.codec, r, r.layer(a.layer)) : PictureAttention();
  std::vector<AttentionMap> maps = picture ? std::vector<AttentionMap>() : chosen_maps(a, r);
  std::optional<TrustReport> trust;
  if (a.trust) {
    trust = examine(trust_question(*model, config.codec, r, r.layer(a.layer), head_number(a.head)));
    if (picture)
      looked = trust_look(*trust, std::move(looked));
    else
      maps = trust_maps(*trust);
  }
  if (!a.png.empty()) write_png(a.png, overlay_sheet(looked));
  if (!a.svg.empty())
    write_file_atomically(a.svg, heat_map_grid_svg(maps, 4, {.max_width = kPageWidth}));
  if (!a.npy.empty()) save_npy(a.npy, r.layer(a.layer).weights);
  if (!a.html.empty()) {
    ReportData page;
    page.title = "Glass: attention";
    page.subtitle = r.source_text + " → " + r.target_text;
    page.maps = maps;
    if (trust) page.tables = {trust_table(*trust)};
    if (picture) page.pictures = {looked};
    write_file_atomically(a.html, report_html(page));
  }
  if (a.json) {
    Json json = to_json(r);
    if (trust) json["trust"] = to_json(*trust);
    fmt::print("{}\n", json.dump(1));
  }
  if (trust && !a.json && !files.empty()) print_trust(*trust);
  if (a.json || !files.empty()) return;
  if (picture) fmt::print("{}\n", clean_text(looked.name + ": " + looked.text));
  if (picture && !trust) print_peaks(looked);
  if (!picture && trust) maps = {maps.front(), maps.back()};  // the weights, and erasure
  for (const AttentionMap& map : maps) fmt::print("{}\n", terminal_heat_map(map));
  if (trust) print_trust(*trust);
}

}  // namespace

void add_attend_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "attend", "Draw the attention of a trained run on a text, by layer and head");
  auto a = std::make_shared<AttendArguments>();
  command->add_option("--run", a->run, "Run folder")->transform(naming("a folder"))->required();
  command->add_option("text", a->text, "The text to read, or the picture's path or scene")
      ->required();
  command->add_option("--target", a->target, "The answer to follow (default: the model's own)");
  command->add_option("--layer", a->layer,
                      "An attention layer (default: the last from target to source)");
  command->add_option("--head", a->head, "A head's number, mean or all")->capture_default_str();
  command->add_flag("--list", a->list, "List the layers instead");
  command->add_flag(
      "--trust", a->trust,
      "Hold the weights against gradients, erased tokens (covered cells of a picture) "
      "and shuffled weights");
  command->add_option("--beam", a->beam, "Beam width of the model's own answer")
      ->transform(within(kBeamRange))
      ->capture_default_str();
  for (const auto& [option, path, help] :
       {std::tuple{"--svg", &a->svg, "Write a picture"},
        {"--png", &a->png, "Write a sheet of overlays on a picture"},
        {"--html", &a->html, "Write a page of its own with the weights under the pointer"},
        {"--npy", &a->npy, "Write the layer's weights [heads, rows, columns] for NumPy"}})
    command->add_option(option, *path, help)->transform(naming("a file"));
  command->add_flag("--json", a->json, "Print JSON: all layers, heads and tokens");
  command->callback([command, a] {
    const auto refuse = [&](const std::string& with, const std::vector<const char*>& options) {
      for (const char* option : options)
        if (command->count(with) > 0 && command->count(option) > 0)
          usage_error(option + (" has no effect with " + with));
    };
    refuse("--list", {"--layer", "--head", "--svg", "--html", "--json", "--npy", "--trust"});
    if (a->trust && a->head == "all")
      usage_error("--trust looks at one head or their mean, got --head all");
    refuse("--target", {"--beam"});
    if (command->count("--target") > 0 && trim(a->target).empty())
      usage_error("--target must be an answer, got an empty text");
    run_attend(*a);
  });
}

}  // namespace glass
