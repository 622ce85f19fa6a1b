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
#include "models/text/lines.h"
#include "models/text/utf8.h"
#include "tensor/file.h"

namespace glass {
namespace {

constexpr int64_t kLongestEcho = 200;  // columns of a text in a warning

struct TranslateArguments {
  std::string run, svg;
  std::vector<std::string> texts;
  bool attention = false, sample = false, replace_unknown = false;
  std::string length_norm = "power";
  SearchOptions search;
  SamplingOptions sampling;
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

// The texts by the one rule for bad UTF-8 (models/text/utf8.h), and which were not.
std::vector<std::string> repaired_texts(std::vector<std::string> texts) {
  LineWarning bad{"texts: bad UTF-8, replaced by U+FFFD", 0, {}};
  for (size_t i = 0; i < texts.size(); ++i) {
    RepairedText text = repair_utf8(texts[i]);
    if (text.replaced > 0) bad.add(static_cast<int64_t>(i) + 1);
    texts[i] = std::move(text.text);
  }
  if (bad.count > 0) fmt::print(stderr, "warning: {}\n", bad.text());
  return texts;
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

// Places of the texts that the model can read; the others are named.
std::vector<size_t> readable(const Translator& model, const TextCodec& codec,
                             const std::vector<std::string>& texts) {
  std::vector<size_t> places;
  for (size_t i = 0; i < texts.size(); ++i) try {
      check_source_length(model, texts[i],
                          static_cast<int64_t>(codec.source_tokens(texts[i]).size()));
      places.push_back(i);
    } catch (const Error& e) {
      fmt::print(stderr, "glass: not translated, text {}: {}\n", i + 1, clean_text(e.what()));
    }
  return places;
}

int run_translate(TranslateArguments& a) {
  if (!a.sample && a.search.n_best > a.search.beam)
    usage_error(
        fmt::format("--n-best must be at most --beam, {}, got {}", a.search.beam, a.search.n_best));
  if (!a.svg.empty() && a.texts.size() > 1)
    usage_error(fmt::format("--svg draws one text, got {}", a.texts.size()));
  if (!a.svg.empty()) check_writable(a.svg);
  const RunConfig config = load_config(a.run);
  const auto model = load_model(a.run, config);
  if (config.codec.reads_pictures() && (a.attention || !a.svg.empty() || a.replace_unknown))
    usage_error(
        "--attention, --svg and --replace-unknown need a text to look at; for pictures "
        "there is glass attend");
  if ((a.attention || !a.svg.empty()) && !model->attends())
    fail("translate", "this run's model has no attention to draw", a.run);
  if ((a.replace_unknown || a.search.coverage_penalty > 0) && !model->attends())
    fail("translate",
         "this run's model has no attention, which --replace-unknown and "
         "--coverage-penalty need",
         a.run);
  std::vector<std::string> texts = a.texts.empty() ? lines_of_input() : a.texts;
  if (!config.codec.reads_pictures())
    texts = repaired_texts(std::move(texts));  // paths are any bytes
  if (!a.svg.empty() && texts.size() != 1)
    fail("translate", "--svg draws one text", texts.size(), " were given");
  TranslateOptions options{.search = a.search, .replace_unknown = a.replace_unknown};
  options.search.length_norm = a.length_norm == "gnmt" ? LengthNorm::gnmt : LengthNorm::power;
  options.search.keep_weights = a.attention || !a.svg.empty() || a.replace_unknown;
  if (a.sample) {
    options.sampling = a.sampling;
    options.sampling->samples = a.search.n_best;
    options.sampling->keep_weights = options.search.keep_weights;
  }
  const std::vector<size_t> places = readable(*model, config.codec, texts);
  std::vector<std::string> read;
  for (size_t place : places) read.push_back(texts[place]);
  const auto results = translate(*model, config.codec, read, options);
  if (!a.svg.empty() && (results.empty() || results[0][0].tokens.empty()))
    fail("translate", "--svg has nothing to draw", "the answer is empty");
  for (size_t i = 0, next = 0; i < texts.size(); ++i) {
    if (next == places.size() || places[next] != i) {
      fmt::print("\n");  // so that line by line the others stay where they belong
      continue;
    }
    for (const Translation& t : results[next++]) print(t, a.attention);
  }
  if (!a.svg.empty()) write_file_atomically(a.svg, heat_map_svg(attention_map(results[0][0])));
  return places.size() == texts.size() ? 0 : 1;
}

}  // namespace

void add_translate_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "translate",
      "Translate, or describe pictures, with a trained run: the arguments, or standard input line "
      "by line");
  auto a = std::make_shared<TranslateArguments>();
  command->add_option("--run", a->run, "Run folder")->transform(naming("a folder"))->required();
  command->add_option("text", a->texts, "Texts to translate, or paths of pictures");
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
  command
      ->add_option("--length-norm", a->length_norm,
                   "power: length^penalty; gnmt: ((5 + length)/6)^penalty")
      ->transform(one_of({"power", "gnmt"}))
      ->capture_default_str();
  command
      ->add_option("--coverage-penalty", a->search.coverage_penalty,
                   "Lower the rank of answers that pass over source tokens (GNMT's beta)")
      ->transform(within(kPenaltyRange))
      ->capture_default_str();
  command->add_option("--min-length", a->search.min_length, "Tokens before an answer may end")
      ->transform(within(kMinLengthRange))
      ->capture_default_str();
  command
      ->add_option("--no-repeat-ngram", a->search.no_repeat_ngram,
                   "No so many tokens in a row come twice; 0: they may")
      ->transform(within(kCountOrNoneRange))
      ->capture_default_str();
  command->add_flag("--replace-unknown", a->replace_unknown,
                    "Put the source token looked at most in place of <unk>");
  const char* chance = "Chance";
  command->add_flag("--sample", a->sample, "Draw --n-best answers instead of searching")
      ->group(chance);
  command->add_option("--temperature", a->sampling.temperature, "Below 1: nearer to the likeliest")
      ->transform(within(kTemperatureRange))
      ->capture_default_str()
      ->group(chance);
  command->add_option("--top-k", a->sampling.top_k, "Draw among so many tokens; 0: all")
      ->transform(within(kCountOrNoneRange))
      ->capture_default_str()
      ->group(chance);
  command->add_option("--seed", a->sampling.seed, "Of the draws")
      ->transform(within(kSeedRange))
      ->capture_default_str()
      ->group(chance);
  command->callback([command, a] {
    for (const char* option : {"--temperature", "--top-k", "--seed"})
      if (!a->sample && command->count(option) > 0)
        usage_error(std::string(option) + " has no effect without --sample");
    for (const char* option : {"--beam", "--length-penalty", "--length-norm", "--coverage-penalty",
                               "--min-length", "--no-repeat-ngram"})
      if (a->sample && command->count(option) > 0)
        usage_error(std::string(option) + " has no effect with --sample");
    for (const char* option : {"--length-penalty", "--length-norm", "--coverage-penalty"})
      if (a->search.beam < 2 && command->count(option) > 0)
        usage_error(std::string(option) +
                    " needs --beam of at least 2: a greedy search has nothing to rank");
    if (run_translate(*a) != 0) throw CLI::RuntimeError(1);
  });
}

}  // namespace glass
