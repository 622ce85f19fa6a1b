#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "models/cli/commands.h"
#include "models/cli/report.h"
#include "models/cli/usage.h"
#include "models/report/label.h"
#include "models/report/svg.h"
#include "models/report/terminal.h"
#include "models/text/input_lines.h"
#include "models/text/lines.h"
#include "models/text/utf8.h"
#include "models/text/vocabulary.h"
#include "tensor/file.h"

namespace glass {
namespace {

constexpr int64_t kLongestEcho = 60;  // columns of a text in a warning
constexpr int64_t kGroup = 512;       // texts that are answered together, at most
constexpr size_t kGroupBytes = 8192;  // and their bytes, unless one text has more

struct TranslateArguments {
  std::string run, svg;
  std::vector<std::string> texts;
  bool attention = false, sample = false, replace_unknown = false;
  std::vector<std::string> sequence_options;  // those given that need answers of several tokens
  std::string length_norm = "power";
  SearchOptions search;
  SamplingOptions sampling;
};

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

void check(const TranslateArguments& a) {
  if (!a.sample && a.search.n_best > a.search.beam)
    usage_error(
        fmt::format("--n-best must be at most --beam, {}, got {}", a.search.beam, a.search.n_best));
  if (!a.svg.empty() && a.texts.size() > 1)
    usage_error(fmt::format("--svg draws one text, got {}", a.texts.size()));
  if (!a.svg.empty()) check_writable(a.svg);
}

void check(const TranslateArguments& a, const RunConfig& config, const Translator& model) {
  if (classifies(config.task) && a.search.beam > 1 && a.search.n_best == 1)
    usage_error("--beam has no effect on a classifier without --n-best");
  if (classifies(config.task) && !a.sequence_options.empty())
    usage_error(a.sequence_options[0] +
                " has no effect on a classifier, whose answer is one label");
  if (config.codec.reads_pictures() && (a.attention || !a.svg.empty() || a.replace_unknown))
    usage_error(
        "--attention, --svg and --replace-unknown need a text to look at; for pictures "
        "there is glass attend");
  if ((a.attention || !a.svg.empty()) && !model.attends())
    fail("translate", "this run's model has no attention to draw", a.run);
  if ((a.replace_unknown || a.search.coverage_penalty > 0) && !model.attends())
    fail("translate",
         "this run's model has no attention, which --replace-unknown and "
         "--coverage-penalty need",
         a.run);
}

TranslateOptions options_of(const TranslateArguments& a) {
  TranslateOptions options{.search = a.search, .replace_unknown = a.replace_unknown};
  options.search.length_norm = a.length_norm == "gnmt" ? LengthNorm::gnmt : LengthNorm::power;
  options.search.keep_weights = a.attention || !a.svg.empty() || a.replace_unknown;
  if (a.sample) {
    options.sampling = a.sampling;
    options.sampling->samples = a.search.n_best;
    options.sampling->keep_weights = options.search.keep_weights;
  }
  return options;
}

// Texts one after another. What it has to say of all of them it says in the end.
class LineTranslator {
 public:
  explicit LineTranslator(const TranslateArguments& a)
      : a_(a), config_(load_config(a.run)), model_(load_model(a.run, config_)) {
    check(a_, config_, *model_);
  }
  ~LineTranslator() {
    for (const LineWarning* warning : {&bad_, &unknown_})
      if (warning->count > 0) std::fputs(("warning: " + warning->text() + "\n").c_str(), stderr);
  }
  LineTranslator(const LineTranslator&) = delete;
  LineTranslator& operator=(const LineTranslator&) = delete;

  // In groups, so that a long text keeps few others waiting.
  void translate(const std::vector<std::string>& texts) {
    for (auto begin = texts.begin(); begin != texts.end();) {
      auto end = begin;
      for (size_t bytes = 0; end != texts.end() && end - begin < kGroup; ++end) {
        bytes += end->size();
        if (end != begin && bytes > kGroupBytes) break;
      }
      translate_group({begin, end});
      begin = end;
    }
  }

  bool all_read() const { return unread_ == 0; }

 private:
  // Prints the answers to each text, an empty line where it cannot be read.
  void translate_group(std::vector<std::string> texts) {
    if (!config_.codec.reads_pictures()) repair(texts);  // paths are any bytes
    std::vector<size_t> places;
    std::vector<std::string> read;
    for (size_t i = 0; i < texts.size(); ++i)
      if (readable(texts[i], done_ + static_cast<int64_t>(i) + 1)) {
        places.push_back(i);
        read.push_back(texts[i]);
      }
    const auto results = glass::translate(*model_, config_.codec, read, options_of(a_));
    if (!a_.svg.empty()) draw(results);
    for (size_t i = 0, next = 0; i < texts.size(); ++i)
      if (next == places.size() || places[next] != i)
        fmt::print("\n");
      else
        for (const Translation& t : results[next++]) print(t, a_.attention);
    errno = 0;
    if (std::fflush(stdout) != 0) {
      const std::string reason = std::strerror(errno);
      fail_environment("standard output", "could not be written", reason);
    }
    done_ += static_cast<int64_t>(texts.size());
    unread_ += static_cast<int64_t>(texts.size() - places.size());
  }

  // By the one rule for bad UTF-8 (models/text/utf8.h).
  void repair(std::vector<std::string>& texts) {
    for (size_t i = 0; i < texts.size(); ++i) {
      RepairedText text = repair_utf8(texts[i]);
      if (text.replaced > 0) bad_.add(done_ + static_cast<int64_t>(i) + 1);
      texts[i] = std::move(text.text);
    }
  }

  bool readable(const std::string& text, int64_t number) try {
    if (trim(text).empty()) return true;
    const Source source = config_.codec.encode_source(text);
    if (source.picture) return true;
    if (text.find('\r') != std::string::npos)
      fail("translate", "a line must end with a line feed; this has a carriage return inside",
           shorten(clean_text(text), kLongestEcho));
    check_text_length("translate", "source", text, std::ssize(source.ids));
    check_source_length(*model_, text, std::ssize(source.ids));
    if (std::ranges::find(source.ids, Vocabulary::kUnk) != source.ids.end()) unknown_.add(number);
    return true;
  } catch (const Error& e) {
    fmt::print(stderr, "glass: not translated, text {}: {}\n", number, clean_text(e.what()));
    return false;
  }

  void draw(const std::vector<std::vector<Translation>>& results) const {
    if (results.empty() || results[0][0].tokens.empty())
      fail("translate", "--svg has nothing to draw", "the answer is empty");
    write_file_atomically(a_.svg, heat_map_svg(attention_map(results[0][0])));
  }

  const TranslateArguments& a_;
  RunConfig config_;
  std::unique_ptr<Translator> model_;
  LineWarning bad_{"texts: bad UTF-8, replaced by U+FFFD", 0, {}};
  LineWarning unknown_{"texts: with tokens that the model does not know, read as <unk>", 0, {}};
  int64_t done_ = 0, unread_ = 0;
};

int run_translate(TranslateArguments& a) {
  check(a);
  LineTranslator translator(a);
  if (!a.texts.empty() && a.texts != std::vector<std::string>{"-"}) {
    translator.translate(a.texts);
  } else {
    InputLines input(STDIN_FILENO, "translate", "standard input");
    std::vector<std::string> lines = input.next();
    if (!a.svg.empty() && (lines.size() != 1 || !input.next().empty()))
      fail("translate", "--svg draws one text", lines.empty() ? "none" : "more", " were given");
    for (; !lines.empty(); lines = input.next()) translator.translate(lines);
  }
  return translator.all_read() ? 0 : 1;
}

}  // namespace

void add_translate_command(CLI::App& app) {
  auto* command = app.add_subcommand(
      "translate",
      "Translate, or describe pictures, with a trained run: the arguments, or standard input line "
      "by line");
  auto a = std::make_shared<TranslateArguments>();
  command->add_option("--run", a->run, "Run folder")->transform(naming("a folder"))->required();
  command->add_option("text", a->texts,
                      "Texts to translate, or paths of pictures; none, or -: standard input");
  command->add_flag("--attention", a->attention, "Draw where the model looked");
  command->add_option("--svg", a->svg, "Write the attention of one text as an SVG picture")
      ->transform(naming("a file"));
  command->add_option("--beam", a->search.beam, "Beam width; 1: greedy")
      ->transform(within(kBeamRange))
      ->capture_default_str();
  command
      ->add_option("--n-best", a->search.n_best,
                   "Answers per text, best first; a blank text has one, the empty line")
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
    for (const char* option : {"--length-penalty", "--length-norm", "--coverage-penalty",
                               "--min-length", "--no-repeat-ngram", "--replace-unknown"})
      if (command->count(option) > 0) a->sequence_options.emplace_back(option);
    for (const char* option : {"--length-penalty", "--length-norm", "--coverage-penalty"})
      if (a->search.beam < 2 && command->count(option) > 0)
        usage_error(std::string(option) +
                    " needs --beam of at least 2: a greedy search has nothing to rank");
    if (run_translate(*a) != 0) throw CLI::RuntimeError(1);
  });
}

}  // namespace glass
