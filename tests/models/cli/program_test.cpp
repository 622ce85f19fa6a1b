#include "models/cli/program.h"

#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "tests/models/cli/program.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using Words = std::vector<std::string>;

namespace {

// An error of the arguments: status 2, nothing on standard output, one line that is not too long.
std::string usage_error_of(const Words& arguments) {
  const tests::Output run = tests::program(arguments);
  INFO(run.err);
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  CHECK(run.err.size() < 250);
  return run.err;
}

int64_t longest_number(const std::string& text) {
  int64_t longest = 0, here = 0;
  for (char c : text) longest = std::max(longest, here = c >= '0' && c <= '9' ? here + 1 : 0);
  return longest;
}

}  // namespace

TEST_CASE("glass without a command prints its help and fails", "[cli]") {
  const tests::Output run = tests::program({});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  for (const char* name : {"demo", "train", "translate", "gradcheck", "info"})
    CHECK_THAT(run.err, ContainsSubstring(name));
}

TEST_CASE("a word that is no command is named, with what it may have meant", "[cli]") {
  CHECK_THAT(
      usage_error_of({"nonsense"}),
      ContainsSubstring("glass: there is no command nonsense; the commands are demo, train, ") &&
          ContainsSubstring(" and info; see glass --help\n"));
  CHECK_THAT(usage_error_of({"trian"}), ContainsSubstring("no command trian; did you mean train?"));
  CHECK_THAT(usage_error_of({"--nonsense"}), ContainsSubstring("no option --nonsense"));
  CHECK_THAT(usage_error_of({"--"}), ContainsSubstring("a command is missing"));
  CHECK_THAT(usage_error_of({"help", "trian"}), ContainsSubstring("did you mean train?"));
  CHECK_THAT(usage_error_of({"a\x1b[31mb"}), ContainsSubstring("a\uFFFD[31mb"));
}

TEST_CASE("a bad option is one line that names it, what it met and what would be right", "[cli]") {
  const tests::Scratch folder;
  const std::vector<std::pair<Words, std::string>> bad = {
      {{"--hidden", "0"}, "--hidden must be a whole number from 1 to 65536, got 0; see"},
      {{"--hidden", "9223372036854775807"},
       "--hidden must be a whole number from 1 to 65536, got 9223372036854775807;"},
      {{"--hidden", "99999999999999999999999"},
       "--hidden must be a whole number from 1 to 65536, got 99999999999999999999999;"},
      {{"--hidden", "many"}, "--hidden must be a whole number from 1 to 65536, got many;"},
      {{"--hidden", ""}, "--hidden must be a whole number from 1 to 65536, got an empty text;"},
      {{"--hidden"}, "--hidden needs a value;"},
      {{"--hidden", "3", "--hidden", "4"}, "--hidden is given more than once;"},
      {{"--hiden", "3"}, "there is no option --hiden; did you mean --hidden?;"},
      {{"--embedding", "65537"}, "--embedding must be a whole number from 1 to 65536"},
      {{"--attention-size", "-3"},
       "--attention-size must be a whole number from 1 to 65536, got -3"},
      {{"--attention", "none", "--score", "dot"}, "--score has no effect with --attention none"},
      {{"--no-input-feeding"}, "--no-input-feeding has no effect with --attention before"},
      {{"--window", "3"}, "--window has no effect with --scope global and --normalizer softmax"},
      {{"--score", "dot", "--attention-size", "3"}, "--attention-size has no effect with --score"},
      {{"--coverage", "--score", "dot"},
       "--coverage needs --score additive or concat, --scope global or a prior, and --normalizer "
       "softmax or hard, got dot, global and softmax"},
      {{"--scope", "local-m", "--normalizer", "monotonic"},
       "--normalizer monotonic finds its own place; it needs --scope global, got local-m"},
      {{"--scope", "local-p", "--normalizer", "hard"},
       "--normalizer hard takes --scope global, local-m or a prior, got local-p"},
      {{"--hidden", "8", "--heads", "3"}, "--hidden must be a multiple of --heads, 3, got 8"},
      {{"--dialect", "popular", "--attention-size", "8"},
       "--attention-size has no effect with --score additive --dialect popular"},
      {{"--sampling-k", "3"}, "--sampling-k has no effect with --sampling none"},
      {{"--bridge", "copy"},
       "--bridge copy needs sources that are texts, --encoder recurrent, --one-way, and as many "
       "--layers as --decoder-layers, got --encoder recurrent, both ways, 1 and 1;"},
      {{"--bridge", "copy", "--one-way", "--layers", "2"},
       "--bridge copy needs sources that are texts, --encoder recurrent, --one-way, and as many "
       "--layers as --decoder-layers, got --encoder recurrent, --one-way, 2 and 1;"},
      {{"--model", "transformer", "--bridge", "none"}, "--bridge has no effect with --model tran"},
      {{"--beta1", "1"}, "--beta1 must be a number from 0 to below 1, got 1"},
      {{"--eps", "-1"}, "--eps must be a number from 1e-20 to 1000000, got -1"},
      {{"--eps", "0", "--beta2", "0"}, "--eps must be a number from 1e-20 to 1000000, got 0"},
      {{"--ema", "1"}, "--ema must be a number from 0 to below 1, got 1"},
      {{"--matmul-precision", "high"}, "--matmul-precision must be highest or medium, got high"},
      {{"--task", "shortcut", "--beam", "3"}, "--beam has no effect with --task shortcut"},
      {{"--norm-first"}, "--norm-first has no effect with --model seq2seq"},
      {{"--d-model", "8"}, "--d-model has no effect with --model seq2seq"},
      {{"--model", "transformer", "--hidden", "8"}, "--hidden has no effect with --model transf"},
      {{"--model", "transformer", "--one-way"}, "--one-way has no effect with --model transformer"},
      {{"--model", "transformer", "--sampling", "linear"}, "--sampling has no effect with --model"},
      {{"--model", "transformer", "--d-model", "10"},
       "--d-model must be a multiple of --heads, 4, got 10"},
      {{"--model", "rnn"}, "--model must be seq2seq, transformer or classifier, got rnn"},
      {{"--layers", "65"}, "--layers must be a whole number from 0 to 64, got 65"},
      {{"--layers", "-1"}, "--layers must be a whole number from 0 to 64, got -1"},
      {{"--beam", "1001"}, "--beam must be a whole number from 1 to 1000, got 1001"},
      {{"--clip", "nan"}, "--clip must be a number from 0 to 1000000, got nan"},
      {{"--clip", "-1"}, "--clip must be a number from 0 to 1000000, got -1"},
      {{"--lr", "inf"}, "--lr must be a number above 0 and at most 1000, got inf"},
      {{"--lr", "0"}, "--lr must be a number above 0 and at most 1000, got 0"},
      {{"--dropout", "nan"}, "--dropout must be a number from 0 to below 1, got nan"},
      {{"--dropout", "1"}, "--dropout must be a number from 0 to below 1, got 1"},
      {{"--label-smoothing", "1"}, "--label-smoothing must be a number from 0 to 0.99, got 1"},
      {{"--max-minutes", "1e999"}, "--max-minutes must be a number from 0 to 1000000, got 1e999"},
      {{"--weight-decay", "1x"}, "--weight-decay must be a number from 0 to 1000000, got 1x"},
      {{"--seed", "-1"}, "--seed must be a whole number from 0 to 18446744073709551615, got -1"},
      {{"--steps", "1.5"}, "--steps must be a whole number from 1 to 1000000000, got 1.5"},
      {{"--min-count", "0"}, "--min-count must be a whole number from 1 to 1000000000, got 0"},
      {{"--cell", "mlp"}, "--cell must be lstm, gru or rnn, got mlp"},
      {{"--schedule", "sine"},
       "--schedule must be constant, linear, cosine or inverse-sqrt, got sine"},
      {{"--data", ""}, "--data must name a file, got an empty text"},
      {{"--data", "-"}, "--data must name a file; - is not standard input or output here"},
      {{"stray"}, "an argument too many: stray"},
      {{"--", "stray"}, "an argument too many: stray"},
      {{"--one-way=5"}, "--one-way takes no value;"},
      {{"--one-way=false"}, "--one-way takes no value;"},
      {{"--lower=3"}, "--lower takes no value;"},
      {{"--strip-stress=x"}, "--strip-stress takes no value;"},
      {{"--resume=maybe"}, "--resume takes no value;"},
      {{"--data", std::string(300, 'a')},
       "--data must name a file, got a name too long for this system: aaa"},
      {{"--resume", "--lr", "3"}, "--resume continues with the run's own options; --lr cannot be"},
      {{}, "--task pairs needs --data FILE, a TSV file: source, tab, target;"},
      {{"--task", "copie"},
       "--task must be dates, copy, reverse, stretch, sort, toy-mt, "
       "shapes, shortcut, pairs, captions or classify, got copie"},
      {{"--task", "copy", "--data", "x"}, "--task copy makes its own data; leave out --data, "},
      {{"--task", "copy", "--repeat", "2"}, "--repeat has no effect with --task copy"},
      {{"--task", "toy-mt", "--alphabet", "9"}, "--alphabet has no effect with --task toy-mt"},
      {{"--task", "dates", "--max-length", "9"}, "--max-length has no effect with --task dates"},
      {{"--task", "sort", "--source-tokens", "words"}, "--source-tokens has no effect with --task"},
      {{"--task", "sort", "--strip-stress"}, "--strip-stress has no effect with --task sort"},
      {{"--data", "x", "--train-size", "9"}, "--train-size has no effect with --task pairs"},
      {{"--task", "copy", "--min-length", "13"},
       "--min-length must be at most --max-length, 12, got 13"},
      {{"--task", "copy", "--alphabet", "63"},
       "--alphabet must be a whole number from 2 to 62, got 63"},
  };
  for (const auto& [words, wanted] : bad) {
    Words all = {"train", "--run", folder / "run"};
    all.insert(all.end(), words.begin(), words.end());
    const std::string line = usage_error_of(all);
    CHECK_THAT(line, ContainsSubstring("glass: train: " + wanted));
    CHECK_THAT(line, ContainsSubstring("; see glass train --help\n"));
    CHECK(folder.names().empty());
  }
  CHECK_THAT(usage_error_of({"train", "--run", ""}), ContainsSubstring("must name a folder"));
  for (const char* command : {"demo", "train", "translate"})
    CHECK_THAT(usage_error_of({command, "--run", std::string(300, 'a')}),
               ContainsSubstring("--run must name a folder, got a name too long for this system"));
  CHECK_THAT(usage_error_of({"verify", std::string(300, 'a')}),
             ContainsSubstring("path: must name"));
  CHECK_THAT(usage_error_of({"translate", "text"}), ContainsSubstring("--run is required"));
  const Words translate = {"translate", "--run", folder / "run"};
  const auto with = [&](Words words) {
    words.insert(words.begin(), translate.begin(), translate.end());
    return words;
  };
  CHECK_THAT(usage_error_of(with({"--svg", ""})), ContainsSubstring("--svg must name a file"));
  CHECK_THAT(usage_error_of(with({"--svg", std::string(300, 'a')})),
             ContainsSubstring("--svg must name a file, got a name too long"));
  CHECK_THAT(usage_error_of(with({"--attention=3", "text"})),
             ContainsSubstring("--attention takes no value;"));
  CHECK_THAT(usage_error_of(with({"--n-best", "3", "--beam", "2"})),
             ContainsSubstring("--n-best must be at most --beam, 2, got 3"));
  for (const char* option : {"--length-penalty", "--coverage-penalty", "--length-norm"})
    for (const Words& beam : {Words{}, Words{"--beam", "1"}}) {
      Words words = {option, option == std::string("--length-norm") ? "gnmt" : "0.2", "text"};
      words.insert(words.end(), beam.begin(), beam.end());
      CHECK_THAT(usage_error_of(with(words)),
                 ContainsSubstring(std::string(option) + " needs --beam of at least 2"));
    }
  CHECK_THAT(usage_error_of({"translate", "--runn", "x", "text"}),
             ContainsSubstring("there is no option --runn; did you mean --run?"));
  const auto attend = [&](Words words) {
    words.insert(words.begin(), {"attend", "--run", folder / "run", "text"});
    return usage_error_of(words);
  };
  CHECK_THAT(attend({"--list", "--json"}), ContainsSubstring("--json has no effect with --list"));
  for (const char* option : {"--svg", "--html", "--npy", "--layer", "--head"})
    CHECK_THAT(attend({"--list", option, "99"}),
               ContainsSubstring(std::string(option) + " has no effect with --list"));
  CHECK_THAT(attend({"--target", "x", "--beam", "3"}),
             ContainsSubstring("--beam has no effect with --target"));
  CHECK_THAT(usage_error_of(with({"--length-penalty", "nan"})),
             ContainsSubstring("--length-penalty must be a number from 0 to 100, got nan"));
}

TEST_CASE("the help of every command names sane numbers", "[cli]") {
  for (const char* name : {"demo", "train", "translate", "gradcheck", "info"}) {
    const tests::Output run = tests::program({name, "--help"});
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    CHECK(longest_number(run.out) < 8);
  }
}

TEST_CASE("help shows whole ranges, and which task reads an option", "[cli]") {
  const std::string help = tests::program({"train", "--help"}).out;
  for (const char* shown : {"1..1e9", "1e-20..1e6", "0..<1", "1..1e7", ">0..1000"})
    CHECK_THAT(help, ContainsSubstring(shown));
  // Nothing that a task of the group refuses is promised to it.
  for (const char* option :
       {"--valid", "--test", "--source-tokens", "--lower", "--normalize-numbers"}) {
    const size_t at = help.find(std::string("\n  ") + option + " ");
    REQUIRE(at != std::string::npos);
    CHECK_THAT(help.substr(at, help.find("\n  --", at + 1) - at),
               ContainsSubstring("not captions"));
  }
}

TEST_CASE("help of a command is its --help, and there is a version", "[cli]") {
  CHECK(tests::program({"help"}).out == tests::program({"--help"}).out);
  CHECK_THAT(tests::program({"help"}).out, ContainsSubstring("130 stopped by Ctrl-C"));
  const tests::Output train = tests::program({"help", "train"});
  CHECK(train.status == 0);
  CHECK(train.out == tests::program({"train", "--help"}).out);
  CHECK_THAT(train.out, ContainsSubstring("The checkpoint is written at\nevery validation"));
  const tests::Output version = tests::program({"--version"});
  CHECK(version.status == 0);
  CHECK_THAT(version.out, Catch::Matchers::StartsWith("glass ") && ContainsSubstring("."));
}

TEST_CASE("output that could not be written is an error of every command", "[cli]") {
  if (!std::filesystem::exists("/dev/full")) return;
  for (const Words& words : {Words{"info"}, Words{"gradcheck", "tanh"}, Words{"train", "--help"}}) {
    const tests::Output run = tests::program(words, "", "/dev/full");
    INFO(run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.err, ContainsSubstring("glass: standard output: could not be written"));
  }
  CHECK(tests::program({"info"}).status == 0);
}
