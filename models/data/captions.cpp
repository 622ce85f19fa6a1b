#include "models/data/captions.h"

#include <algorithm>
#include <filesystem>

#include "models/names.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kSplitColumnless = -1;

std::vector<std::string> fields_of(std::string_view line, char mark) {
  std::vector<std::string> fields;
  do {
    const size_t end = line.find(mark);
    fields.push_back(repair_utf8(trim(line.substr(0, end))).text);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    if (end == std::string_view::npos) break;
  } while (true);
  return fields;
}

// Which columns mean what.
struct Columns {
  std::vector<size_t> captions;  // empty: all behind the first
  int64_t split = kSplitColumnless;
};

Columns columns_of(const std::vector<std::string>& header, const CorpusFiles& files) {
  Columns columns;
  const auto place = [&](const std::string& name) {
    return std::find(header.begin(), header.end(), name) - header.begin();
  };
  if (place("split") < std::ssize(header)) columns.split = place("split");
  if (!files.captions.empty()) {
    for (const std::string& name : fields_of(files.captions, ',')) {
      if (place(name) == std::ssize(header))
        fail("captions", "the file has no column of this name", name, "; there are ",
             listed(header, " and "));
      columns.captions.push_back(static_cast<size_t>(place(name)));
    }
    return columns;
  }
  for (size_t i = 1; i < header.size(); ++i)
    if (static_cast<int64_t>(i) != columns.split) columns.captions.push_back(i);
  return columns;
}

std::string picture_path(const std::string& file, const std::string& name, int64_t line) {
  const fs::path folder = fs::path(file).parent_path();
  for (const fs::path& path : {folder / name, folder / "images" / name}) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return fs::absolute(path).lexically_normal().string();
  }
  fail_environment("captions", "no such picture", name, " beside ", file, ", line ", line);
}

struct Parts {
  std::vector<Pair> train, valid, test;
};

std::vector<Pair>& part_named(Parts& parts, const std::string& name, const std::string& file,
                              int64_t line) {
  if (name == "train") return parts.train;
  if (name == "val" || name == "valid") return parts.valid;
  if (name == "test") return parts.test;
  fail_environment("captions", "split must be train, val or test", "got ", name, ", ", file,
                   ", line ", line);
}

// Valid and test are read long after the training began: whether they can be is found out now.
void check_pictures(const std::vector<References>& part) {
  for (const References& each : part) read_image(each.source);
}

}  // namespace

Corpus captions_corpus(const CorpusFiles& files) {
  const std::string bytes = read_text_file(files.data);
  std::string_view text = utf8_body(bytes, "captions", files.data);
  Corpus corpus;
  corpus.stamps["data"] = stamp_of(bytes);
  Columns columns;
  bool has_header = false;
  Parts parts;
  std::vector<Pair> unsplit;
  std::vector<std::string> names;  // of the pictures of unsplit, as the file has them
  for (int64_t line = 1; !text.empty(); ++line) {
    const std::vector<std::string> fields = fields_of(take_until(text, '\n'), '\t');
    if (line == 1 && fields[0] == "image") {
      columns = columns_of(fields, files);
      has_header = true;
      continue;
    }
    if (fields.size() == 1 && fields[0].empty()) continue;
    const std::string path = picture_path(files.data, fields[0], line);
    std::vector<Pair> pairs;
    for (size_t i = 1; i < fields.size(); ++i) {
      const bool chosen = !has_header || std::find(columns.captions.begin(), columns.captions.end(),
                                                   i) != columns.captions.end();
      if (chosen && !fields[i].empty()) pairs.push_back({path, fields[i]});
    }
    if (pairs.empty())
      fail_environment("captions", "a picture without a caption", fields[0], ", ", files.data,
                       ", line ", line);
    std::vector<Pair>* part = &unsplit;
    if (columns.split != kSplitColumnless) {
      const auto at = static_cast<size_t>(columns.split);
      part = &part_named(parts, at < fields.size() ? fields[at] : "", files.data, line);
    }
    part->insert(part->end(), pairs.begin(), pairs.end());
    if (part == &unsplit) names.insert(names.end(), pairs.size(), fields[0]);
  }
  if (!has_header && !files.captions.empty())
    fail("captions", "columns can be named only where the file has a header", files.data);
  for (size_t i = 0; i < unsplit.size(); ++i) {
    const PairSplit one = split_pairs({{names[i], unsplit[i].target}}, kSplitOff, kSplitOff);
    (!one.test.empty()    ? parts.test
     : !one.valid.empty() ? parts.valid
                          : parts.train)
        .push_back(unsplit[i]);
  }
  if (parts.train.empty() || parts.valid.empty() || parts.test.empty())
    fail_environment("captions", "training, validation and test need pictures each", files.data,
                     " has ", parts.train.size(), ", ", parts.valid.size(), " and ",
                     parts.test.size(), " captions for them");
  corpus.train = std::move(parts.train);
  corpus.valid = references(parts.valid);
  corpus.test = references(parts.test);
  check_pictures(corpus.valid);
  check_pictures(corpus.test);
  return corpus;
}

}  // namespace glass
