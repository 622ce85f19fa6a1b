#include "models/data/captions.h"

#include <sys/stat.h>

#include <filesystem>

#include "models/data/shapes.h"
#include "models/image/formats.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Folder : tests::Scratch {
  Folder() {
    std::filesystem::create_directory(*this / "images");
    for (const char* name : {"a.png", "b.png", "images/c.png", "images/d.png"})
      write_png(*this / name, Image(3, 2, 77));
  }
  Corpus read(const std::string& text, const std::string& columns = "") const {
    write_file_atomically(*this / "data.tsv", text);
    CorpusFiles files;
    files.data = *this / "data.tsv";
    files.captions = columns;
    return captions_corpus(files);
  }
};

const std::string kTable =
    "image\tsplit\ten\tzh\n"
    "a.png\ttrain\tgrinning face\t嘿嘿\n"
    "b.png\tval\tred heart\t\n"
    "c.png\ttrain\tblack cat\t黑猫\r\n"
    "d.png\ttest\tdog\t狗\n";

}  // namespace

TEST_CASE("Captions: a header names the columns and the split", "[captions]") {
  const Folder folder;
  const Corpus all = folder.read(kTable);
  const std::string a = folder / "a.png", c = folder / "images/c.png";
  CHECK(all.train ==
        std::vector<Pair>{{a, "grinning face"}, {a, "嘿嘿"}, {c, "black cat"}, {c, "黑猫"}});
  REQUIRE(all.valid.size() == 1);
  CHECK(all.valid[0].targets == std::vector<std::string>{"red heart"});  // the empty one is none
  REQUIRE(all.test.size() == 1);
  CHECK(all.test[0].targets == std::vector<std::string>{"dog", "狗"});
  const Corpus english = folder.read(kTable, "en");
  CHECK(english.train == std::vector<Pair>{{a, "grinning face"}, {c, "black cat"}});
  CHECK_THROWS_WITH(
      folder.read(kTable, "fr"),
      ContainsSubstring("no column of this name: fr; there are image, split, en and"));
  CHECK_THROWS_WITH(folder.read(kTable, "zh"), ContainsSubstring("b.png") &&
                                                   ContainsSubstring("without a caption") &&
                                                   ContainsSubstring("line 3"));
}

TEST_CASE("Captions: without a header pictures are split by their path", "[captions]") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "p" + std::to_string(i) + ".png";
    write_png(folder / name, Image(1, 1, 0));
    text += name + "\tone\ttwo\n";
  }
  const Corpus corpus = folder.read(text);
  CHECK(corpus.train.size() > 300);
  CHECK(corpus.valid.size() + corpus.test.size() + corpus.train.size() / 2 == 200);
  CHECK(corpus.test[0].targets == std::vector<std::string>{"one", "two"});
  const Folder elsewhere;  // the part of a picture does not depend on the folder
  for (int i = 0; i < 200; ++i)
    write_png(elsewhere / ("p" + std::to_string(i) + ".png"), Image(1, 1, 0));
  const Corpus again = elsewhere.read(text);
  REQUIRE(again.test.size() == corpus.test.size());
  CHECK(std::filesystem::path(again.test[0].source).filename() ==
        std::filesystem::path(corpus.test[0].source).filename());
}

TEST_CASE("Captions: what cannot be read is named before a training begins", "[captions]") {
  const Folder folder;
  CHECK_THROWS_WITH(folder.read("x.png\tno such file\n"),
                    ContainsSubstring("no such picture: x.png") && ContainsSubstring("line 1"));
  CHECK_THROWS_WITH(folder.read("a.png\n"), ContainsSubstring("without a caption"));
  CHECK_THROWS_WITH(folder.read("a.png\tone\n", "en"), ContainsSubstring("has a header"));
  CHECK_THROWS_WITH(folder.read("a.png\tone\n"), ContainsSubstring("need pictures each"));
  CHECK_THROWS_WITH(folder.read("image\tsplit\ten\na.png\tdev\tone\n"),
                    ContainsSubstring("split must be train, val or test: got dev"));
  write_file_atomically(folder / "images/d.png", "no picture");
  CHECK_THROWS_WITH(folder.read(kTable), ContainsSubstring("neither PNG nor JPEG"));
}

TEST_CASE("Captions: a header is known by its first column, and messages say so", "[captions]") {
  const Folder folder;
  const std::string rule = "the first line is a header only when its first column is called image";
  CHECK_THROWS_WITH(folder.read("picture\tsplit\ten\na.png\ttrain\tone\n"),
                    ContainsSubstring("no such picture: picture") && ContainsSubstring(rule));
  CHECK_THROWS_WITH(folder.read("a.png\tone\nx.png\ttwo\n"),
                    ContainsSubstring("line 2") && !ContainsSubstring(rule));
  CHECK_THROWS_WITH(folder.read("image\ten\ten\na.png\tone\ttwo\n"),
                    ContainsSubstring("the header has a column twice: en"));
  CHECK_THROWS_WITH(folder.read("image\tSplit\ten\na.png\ttrain\tone\n"),
                    ContainsSubstring("must be called split: got Split"));
  CHECK_THROWS_WITH(folder.read(kTable + "c.png\ttrain\tone\ttwo\tthree\n"),
                    ContainsSubstring("more columns than the header") &&
                        ContainsSubstring("line 6: 5, the header has 4"));
}

TEST_CASE("Captions: only columns of captions can be chosen, each once", "[captions]") {
  const Folder folder;
  for (const char* columns : {"split", "en,image"})
    CHECK_THROWS_WITH(
        folder.read(kTable, columns),
        ContainsSubstring("image and split hold no captions: got " + std::string(columns)));
  CHECK_THROWS_WITH(folder.read(kTable, "en, en"), ContainsSubstring("named twice: en in en, en"));
  CHECK_THROWS_WITH(folder.read(kTable, "en,"), ContainsSubstring("column is empty: en,"));
}

TEST_CASE("Captions: what stands in a picture's place is told", "[captions]") {
  namespace fs = std::filesystem;
  const Folder folder;
  fs::create_directory(folder / "f.png");
  REQUIRE(mkfifo((folder / "p.png").c_str(), 0600) == 0);
  fs::create_symlink("l.png", folder / "l.png");
  fs::create_symlink("nowhere.png", folder / "n.png");
  const auto refused = [&](const std::string& line, const std::string& part) {
    CHECK_THROWS_WITH(folder.read("a.png\tone\n" + line + "\n"),
                      ContainsSubstring(part) && ContainsSubstring("data.tsv, line 2"));
  };
  refused("f.png\ttwo", "a picture must be a file: f.png: is a folder");
  refused("p.png\ttwo", "p.png: is a pipe");
  refused("l.png\ttwo", "l.png: is a link that leads to itself");
  refused("n.png\ttwo", "n.png: is a link to nothing");
  refused("\ttwo", "the first column must name a picture, and is empty");
}

TEST_CASE("Captions: a file without a picture is called empty", "[captions]") {
  const Folder folder;
  CHECK_THROWS_WITH(folder.read(""), ContainsSubstring("captions: the file is empty"));
  CHECK_THROWS_WITH(folder.read("\n\n"), ContainsSubstring("captions: the file is empty"));
  CHECK_THROWS_WITH(folder.read("image\tsplit\ten\n"), ContainsSubstring("nothing but a header") &&
                                                           ContainsSubstring("tab, captions"));
}

TEST_CASE("Captions: bad UTF-8 is replaced with a warning", "[captions]") {
  const Folder folder;
  CHECK(folder.read(kTable).warnings ==
        std::vector<std::string>{
            "the best model is chosen on 1 source of validation: that is chance"});
  const Corpus corpus = folder.read(kTable + "c.png\ttrain\tca\xFFt\t\n");
  CHECK(corpus.train.back().target == "ca\uFFFDt");
  REQUIRE(corpus.warnings.size() == 2);
  CHECK_THAT(corpus.warnings[0], ContainsSubstring("bad UTF-8, replaced by U+FFFD: 1 line (6)"));
}

TEST_CASE("Captions: a picture that stands in two parts is told", "[captions]") {
  const Folder folder;
  const Corpus corpus = folder.read(kTable + "a.png\ttest\tgrinning face\t嘿嘿\n");
  REQUIRE_FALSE(corpus.warnings.empty());
  CHECK(corpus.warnings[0] ==
        "1 of 2 sources of the test occur in training, too: its scores are too good");
}

TEST_CASE("A codec of pictures reads paths and scenes", "[captions]") {
  const Folder folder;
  const TextCodec codec({.target = Tokens::words, .picture_size = kSceneSide}, {{"x", "a dog"}});
  CHECK(codec.reads_pictures());
  const Source file = codec.encode_source(folder / "a.png");
  REQUIRE(file.picture);
  CHECK(file.picture->width == kSceneSide);
  CHECK(file.size() == 0);
  CHECK(*codec.encode_source("scene 3").picture == draw(make_scene(3)));
  CHECK_THROWS_AS(codec.encode_source("nothing.png"), Error);
  for (const char* scene : {"scene -1", "scene x", "scene 18446744073709551616"})
    CHECK_THROWS_WITH(codec.encode_source(scene),
                      ContainsSubstring("a scene's number is a whole number from 0 to ") &&
                          ContainsSubstring("got " + std::string(scene)));
  CHECK(codec.source_tokens("scene 3").empty());
}
