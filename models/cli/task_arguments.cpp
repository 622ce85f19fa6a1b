#include "models/cli/task_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/cli/usage.h"
#include "models/names.h"
#include "models/report/label.h"

namespace glass {
namespace {

using Names = std::vector<std::string>;

const Names kSizes = {"--train-size", "--valid-size", "--test-size"};
const Names kKinds = {"--min-length", "--max-length", "--alphabet", "--repeat",
                      "--normalize-numbers"};
const Names kPictures = {"--captions", "--picture-size"};
const Names kTokens = {"--source-tokens", "--target-tokens", "--lower", "--min-count"};

std::string labels_of(const TextCodec& codec) {
  std::vector<std::string> known;
  for (int64_t id = Vocabulary::kEos + 1; id < codec.target.size(); ++id)
    known.push_back(codec.target.token(id));
  return listed(known, " and ");
}

void add_file_options(CLI::App& command, TaskArguments& a) {
  const char* group = "Data of --task pairs, captions and classify";
  command
      .add_option("--data", a.files.data,
                  "TSV, plain or .gz: source and target (also .jsonl); a picture's path and its "
                  "captions; label and text (.jsonl: target and source)")
      ->transform(naming("a file"))
      ->group(group);
  command
      .add_option("--valid", a.files.valid,
                  "The same for validation (default: split off; not captions)")
      ->transform(naming("a file"))
      ->group(group);
  command
      .add_option("--test", a.files.test,
                  "The same for the final test (default: split off; not captions)")
      ->transform(naming("a file"))
      ->group(group);
  command
      .add_option(
          "--captions", a.files.captions,
          "captions: columns of captions, as the header names them: en,zh (default: all but image "
          "and split)")
      ->group(group);
  command
      .add_option("--picture-size", a.text.picture_size,
                  "captions: side of the squares that pictures are fitted to")
      ->transform(within(kSizeRange))
      ->default_str("64")
      ->group(group);
  command
      .add_flag("--strip-stress", a.files.strip_stress,
                "pairs: drop stress marks from phones (AA1 -> AA)")
      ->group(group);
  const auto kinds = one_of({"chars", "words", "split"});
  command
      .add_option("--source-tokens", a.source_tokens,
                  "chars, words (classify), or split (at white space); not captions")
      ->transform(kinds)
      ->group(group);
  command
      .add_option("--target-tokens", a.target_tokens,
                  "The same for targets (captions: words); not classify")
      ->transform(kinds)
      ->group(group);
  command
      .add_flag("--normalize-numbers", a.text.normalize_numbers,
                "Every number of a source is the same token; not captions")
      ->group(group);
  command.add_flag("--lower", a.text.lower_source, "Lower-case the sources; not captions")
      ->group(group);
  command.add_option("--min-count", a.text.min_count, "Rarer tokens become <unk>")
      ->transform(within(kCountRange))
      ->group(group);
}

void add_synthetic_options(CLI::App& command, TaskArguments& a) {
  const char* group = "Data that other tasks make, by --seed";
  const auto add = [&](const std::string& name, int64_t& value, const WholeRange& range,
                       const char* help) {
    command.add_option(name, value, help)->transform(within(range))->group(group);
  };
  add("--train-size", a.data.train, kPairsRange, "Training pairs");
  add("--valid-size", a.data.valid, kPairsRange, "Validation sources, which training lacks");
  add("--test-size", a.data.test, kPairsRange, "Test sources, which training lacks");
  add("--min-length", a.data.min_length, kLengthRange, "Shortest source, in letters or words");
  add("--max-length", a.data.max_length, kLengthRange, "Longest source");
  add("--alphabet", a.data.alphabet, kAlphabetRange, "Different letters");
  add("--repeat", a.data.repeat, kRepeatRange, "How often stretch writes a letter");
}

}  // namespace

std::string task_list() {
  std::string list = fmt::format(
      "  {:<8} --data FILE, of lines: source, tab, target; or .jsonl, of objects with source and\n "
      "          target, each a text or a list (parts of one source, several targets)\n",
      "pairs");
  list += fmt::format(
      "  {:<8} --data FILE, of lines: a picture's path, tab, captions. The first line is a header\n"
      "           when its first column is called image: then --captions chooses columns, and a\n"
      "           column split says train, val or test\n",
      "captions");
  list += fmt::format("  {:<8} --data FILE, of lines: label, tab, text\n", "classify");
  for (const Task& task : tasks()) list += fmt::format("  {:<8} {}\n", task.name, task.about);
  return list;
}

void add_task_options(CLI::App& command, TaskArguments& a) {
  command.add_option("--task", a.task, "What to learn: see below")->transform(one_of(task_names()));
  add_file_options(command, a);
  add_synthetic_options(command, a);
}

void settle_task(const CLI::App& command, TaskArguments& a) {
  const Task* task = find_task(a.task);
  const auto refuse = [&](const Names& options, const Names& but) {
    for (const std::string& option : options)
      if (command.count(option) > 0 && std::find(but.begin(), but.end(), option) == but.end())
        usage_error(option + " has no effect with --task " + a.task);
  };
  if (!task) {
    refuse(kSizes, {});
    if (a.task == "captions") {
      refuse(kKinds, {});
      refuse({"--source-tokens", "--lower", "--strip-stress", "--valid", "--test"}, {});
      if (a.files.data.empty())
        usage_error("--task captions needs --data FILE, a TSV file: picture, tab, captions");
      if (command.count("--captions") > 0 && a.files.captions.empty())
        usage_error("--captions must name columns of the header, got an empty text");
      if (command.count("--target-tokens") == 0) a.target_tokens = "words";
      if (a.text.picture_size == 0) a.text.picture_size = 64;
    } else {
      refuse(kPictures, {});
      refuse(kKinds, {"--normalize-numbers"});
    }
    if (a.files.data.empty())
      usage_error("--task " + a.task + " needs --data FILE, a TSV file: " +
                  (a.task == "classify" ? "label, tab, text" : "source, tab, target"));
  } else {
    if (!(a.files.data + a.files.valid + a.files.test).empty())
      usage_error("--task " + a.task + " makes its own data; leave out --data, --valid and --test");
    refuse({"--strip-stress"}, {});
    refuse(kPictures, {});
    a.text.picture_size = task->picture_size;
    refuse(kKinds, task->options);
    if (a.data.min_length > a.data.max_length)
      usage_error(fmt::format("--min-length must be at most --max-length, {}, got {}",
                              a.data.max_length, a.data.min_length));
    if (task->tokens) {
      refuse(kTokens, {});
      a.source_tokens = a.target_tokens = std::string(name(*task->tokens));
    }
  }
  if (classifies(a.task)) {
    refuse({"--target-tokens", "--strip-stress"}, {});
    a.target_tokens = name(Tokens::whole);
    if (command.count("--source-tokens") == 0) a.source_tokens = name(Tokens::words);
  }
  if (a.text.normalize_numbers && a.source_tokens == name(Tokens::chars))
    usage_error("--normalize-numbers needs --source-tokens words or split, got chars");
  a.text.source = tokens_named(a.source_tokens);
  a.text.target = tokens_named(a.target_tokens);
  a.text.strip_stress = a.files.strip_stress;
}

std::vector<References> references_for(const RunConfig& config, const std::string& path) {
  const bool labels = classifies(config.task);
  std::vector<References> data = read_references(path, config.files.strip_stress, labels);
  if (!labels) return data;
  for (const References& text : data)
    for (const std::string& label : text.targets)
      if (config.codec.target.contains(label)) return data;
  fail_environment(path, "no line begins with a label that the run knows",
                   "lines are label, tab, text, and the labels are ", labels_of(config.codec));
}

void check_label(const std::string& argument, const TextCodec& codec, const std::string& label) {
  if (codec.target.contains(label)) return;
  usage_error(argument + " must be a label that the run knows (" + labels_of(codec) + "), got " +
              shorten(clean_text(label), 40));
}

}  // namespace glass
