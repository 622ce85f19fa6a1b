#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/report.h"
#include "models/cli/usage.h"
#include "models/report/label.h"
#include "models/report/svg.h"
#include "models/report/terminal.h"
#include "tensor/file.h"

namespace glass {
namespace {

constexpr int64_t kLongestEcho = 200;  // columns of a text in a warning

struct TranslateArguments {
  std::string run, svg;
  std::vector<std::string> texts;
  bool attention = false;
  SearchOptions search;
};

std::vector<std::string> lines_of_input() {
  std::vector<std::string> lines;
  errno = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  if (std::cin.bad() || std::ferror(stdin))
    fail_environment("translate", "standard input cannot be read", std::strerror(errno));
  return lines;
}

// An answer, or where the model looked for it. A terminal gets nothing that would steer it; files
// and other programs get the text as it is.
void print(const Translation& t, bool attention) {
  if (attention)
    fmt::print("{}\n", t.tokens.empty() ? "" : terminal_heat_map(attention_map(t)));
  else
    fmt::print("{}\n", isatty(STDOUT_FILENO) ? clean_text(t.text) : t.text);
  if (!t.finished)
    fmt::print(stderr, "glass: cut at the length limit: {}\n",
               shorten(clean_text(t.source), kLongestEcho));
}

void run_translate(TranslateArguments& a) {
  if (a.search.n_best > a.search.beam)
    usage_error(
        fmt::format("--n-best must be at most --beam, {}, got {}", a.search.beam, a.search.n_best));
  if (!a.svg.empty() && a.texts.size() > 1)
    usage_error(fmt::format("--svg draws one text, got {}", a.texts.size()));
  if (!a.svg.empty()) check_writable(a.svg);
  const RunConfig config = load_config(a.run);
  const auto model = load_model(a.run, config);
  if ((a.attention || !a.svg.empty()) && !model->attends())
    fail("translate", "this run's model has no attention to draw", a.run);
  const std::vector<std::string> texts = a.texts.empty() ? lines_of_input() : a.texts;
  if (!a.svg.empty() && texts.size() != 1)
    fail("translate", "--svg draws one text", texts.size(), " were given");
  a.search.keep_weights = a.attention || !a.svg.empty();
  const auto results = translate(*model, config.codec, texts, a.search);
  if (!a.svg.empty() && results[0][0].tokens.empty())
    fail("translate", "--svg has nothing to draw", "the answer is empty");
  for (const auto& best : results)
    for (const Translation& t : best) print(t, a.attention);
  if (!a.svg.empty()) write_file_atomically(a.svg, heat_map_svg(attention_map(results[0][0])));
}

}  // namespace

void add_translate_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "translate", "Translate with a trained run: the arguments, or standard input line by line");
  auto a = std::make_shared<TranslateArguments>();
  command->add_option("--run", a->run, "Run folder")->transform(naming("a folder"))->required();
  command->add_option("text", a->texts, "Texts to translate");
  command->add_flag("--attention", a->attention, "Draw where the model looked");
  command->add_option("--svg", a->svg, "Write the attention of one text as an SVG picture")
      ->transform(naming("a file"));
  command->add_option("--beam", a->search.beam, "Beam width; 1: greedy")
      ->transform(within(kBeamRange))
      ->capture_default_str();
  command->add_option("--n-best", a->search.n_best, "Answers per text, best first")
      ->transform(within(kBeamRange))
      ->capture_default_str();
  command
      ->add_option("--length-penalty", a->search.length_penalty,
                   "Rank by log p / length^this (0: log p, 1: mean)")
      ->transform(within(kPenaltyRange))
      ->capture_default_str();
  command->callback([a] { run_translate(*a); });
}

}  // namespace glass
