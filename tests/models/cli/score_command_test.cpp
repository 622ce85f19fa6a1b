#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/models/cli/program.h"
#include "tests/models/text/data.h"
#include "tests/skip.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

struct ScoreFiles {
  tests::TemporaryFile hypotheses{"hyp",
                                  "\xEF\xBB\xBFThe dog bit the man.\r\nIt wasn't surprising.\r\n"};
  tests::TemporaryFile references{"ref", "The dog bit the man.\nIt was not unexpected.\n"};
  tests::TemporaryFile longer{"longer", "1\n2\n3\n"};
  tests::TemporaryFile captions{"cap.tsv", "1\ta dog runs fast\ta dog runs fast\ta dog\n"};

  tests::Output score(std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {"score", "--hypotheses", hypotheses.path(), "--references", references.path()});
    return tests::program(words);
  }
};

nlohmann::json scores_of(const tests::Output& run) {
  INFO(run.err);
  REQUIRE(run.status == 0);
  return nlohmann::json::parse(run.out).at("scores");
}

}  // namespace

TEST_CASE("glass score prints a table, or JSON with the same values", "[cli]") {
  const ScoreFiles files;
  const tests::Output table = files.score({"--metric", "bleu,exact"});
  CHECK(table.status == 0);
  CHECK(table.err.empty());
  CHECK_THAT(table.out,
             ContainsSubstring("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:glass-"));
  CHECK_THAT(table.out, ContainsSubstring("\nexact             0.500000  nrefs:1|case:mixed"));
  const auto json = scores_of(files.score({"--metric", "bleu,exact", "--json"}));
  CHECK(json["exact"]["value"] == 0.5);
  CHECK(json["bleu"]["length"] == 10);
  CHECK(json["bleu"]["matches_1"] == 8);  // The dog bit the man . and It .
  CHECK(json["bleu"]["value"] > 0.4);
  CHECK(json["bleu"]["value"] < 1);
}

TEST_CASE("glass score passes warnings on", "[cli]") {
  const ScoreFiles files;
  const tests::Output run =
      tests::program({"score", "--metric", "cider", "--captions", files.captions.path(), "--json"});
  CHECK(run.status == 0);
  CHECK_THAT(run.err, ContainsSubstring("warning: CIDEr"));
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["scores"]["cider"]["value"] == 0.0);
  CHECK(json["warnings"].size() == 1);
  CHECK(json["lines"] == 1);
}

TEST_CASE("glass score refuses files that do not fit together", "[cli]") {
  const ScoreFiles files;
  const tests::Output run =
      tests::program({"score", "--metric", "bleu", "--hypotheses", files.hypotheses.path(),
                      "--references", files.references.path(), files.longer.path()});
  CHECK(run.status == 1);
  CHECK(run.out.empty());
  CHECK_THAT(run.err, ContainsSubstring("has 2, ") && ContainsSubstring("has 3"));
  CHECK(tests::program({"score", "--metric", "bleu", "--captions", "/no/such/file"}).status == 1);
}

TEST_CASE("glass score refuses options that contradict each other", "[cli]") {
  const ScoreFiles files;
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{}, "--metric is required"},
      {{"--metric", "belu"}, "got belu; did you mean bleu?"},
      {{"--metric", "bleu,chrf,bleu"}, "--metric names bleu twice"},
      {{"--metric", "bleu,aer"}, "ask for them apart"},
      {{"--metric", "chrf", "--smoothing", "exp"}, "--smoothing is for --metric bleu"},
      {{"--metric", "chrf", "--effective-order"}, "--effective-order is for --metric bleu"},
      {{"--metric", "bleu", "--smoothing-value", "1"}, "is for --smoothing floor and add-k"},
      {{"--metric", "bleu", "--smoothing", "floor", "--smoothing-value", "0"}, "above 0"},
      {{"--metric", "bleu", "--smoothing", "coco", "--effective-order"}, "--smoothing coco fills"},
      {{"--metric", "bleu", "--tokens", "intl"}, "--tokens must be none, space, 13a"},
      {{"--metric", "chrf,cer", "--tokens", "zh"},
       "--tokens changes nothing for --metric chrf,cer"},
      {{"--metric", "rouge", "--lower"}, "--lower changes nothing for --metric rouge"},
      {{"--metric", "bleu", "--captions", files.captions.path()}, "--captions holds both sides"},
      {{"--metric", "bleu", "--max-order", "0"}, "--max-order must be a whole number from 1"},
      {{"--metric", "bleu", "--nonsense"}, "there is no option --nonsense"},
  };
  for (const auto& [words, wanted] : bad) {
    const tests::Output run = files.score(words);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, ContainsSubstring("glass: score: ") && ContainsSubstring(wanted));
    CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    CHECK(run.err.size() < 250);
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"--hypotheses", "a"}, {"--references", "a"}}) {
    std::vector<std::string> all = {"score", "--metric", "bleu"};
    all.insert(all.end(), words.begin(), words.end());
    const tests::Output run = tests::program(all);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, ContainsSubstring("needs --"));
  }
}

TEST_CASE("glass score prints what the tools of the field print", "[cli]") {
  const auto caption_file = tests::data_file("coco-caption-ref/human1000.tsv");
  const auto hypotheses = tests::data_file("metric-refs/tf-nmt-de-en/hyp.en.gz");
  const auto references = tests::data_file("metric-refs/tf-nmt-de-en/ref.en.gz");
  if (!caption_file || !hypotheses || !references) return tests::skip("no data in GLASS_DATA");
  const auto captions = scores_of(
      tests::program({"score", "--metric", "bleu,rouge-l-caption,cider", "--captions",
                      *caption_file, "--tokens", "none", "--smoothing", "coco", "--json"}));
  CHECK(captions["bleu"]["value"].get<double>() == Approx(0.197478).margin(5e-7));
  CHECK(captions["rouge-l-caption"]["value"].get<double>() == Approx(0.472758).margin(5e-7));
  CHECK(captions["cider"]["value"].get<double>() == Approx(0.912991).margin(5e-7));
  const auto nmt = scores_of(tests::program(
      {"score", "--metric", "bleu,rouge-l-nmt", "--hypotheses", *hypotheses, "--references",
       *references, "--tokens", "space", "--smoothing", "none", "--json"}));
  CHECK(nmt["bleu"]["value"].get<double>() == Approx(0.225855084573).margin(5e-13));
  CHECK(nmt["rouge-l-nmt"]["value"].get<double>() == Approx(0.508429782599).margin(1e-12));
}
