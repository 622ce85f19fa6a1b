#include "models/data/captions.h"

#include <algorithm>
#include <filesystem>

#include "models/names.h"
#include "models/text/utf8.h"

namespace glass {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kSplitColumnless = -1;

struct Fields {
  std::vector<std::string> texts;
  int64_t replaced = 0;  // bad UTF-8
};

Fields fields_of(std::string_view line, char mark) {
  Fields fields;
  do {
    const size_t end = line.find(mark);
    RepairedText field = repair_utf8(trim(line.substr(0, end)));
    fields.texts.push_back(std::move(field.text));
    fields.replaced += field.replaced;
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    if (end == std::string_view::npos) break;
  } while (true);
  return fields;
}

// Which columns mean what.
struct CaptionColumns {
  std::vector<size_t> captions;  // empty: all behind the first
  int64_t split = kSplitColumnless;
};

void check_header(const std::vector<std::string>& header, const std::string& file) {
  for (size_t i = 0; i < header.size(); ++i)
    if (!header[i].empty() && std::count(header.begin(), header.end(), header[i]) > 1)
      fail_environment("captions", "the header has a column twice", header[i], ", ", file);
}

CaptionColumns columns_of(const std::vector<std::string>& header, const CorpusFiles& files) {
  check_header(header, files.data);
  CaptionColumns columns;
  const auto place = [&](const std::string& name) {
    return std::find(header.begin(), header.end(), name) - header.begin();
  };
  for (const std::string& name : header)
    if (name == "Split" || name == "SPLIT")
      fail_environment("captions", "the header's column must be called split", "got ", name, ", ",
                       files.data);
  if (place("split") < std::ssize(header)) columns.split = place("split");
  if (!files.captions.empty()) {
    for (const std::string& name : fields_of(files.captions, ',').texts) {
      if (name.empty()) fail("captions", "the name of a column is empty", files.captions);
      if (name == "image" || name == "split")
        fail("captions", "the columns image and split hold no captions", "got ", files.captions);
      if (place(name) == std::ssize(header))
        fail("captions", "the file has no column of this name", name, "; there are ",
             listed(header, " and "));
      const auto column = static_cast<size_t>(place(name));
      if (std::count(columns.captions.begin(), columns.captions.end(), column) > 0)
        fail("captions", "a column is named twice", name, " in ", files.captions);
      columns.captions.push_back(column);
    }
    return columns;
  }
  for (size_t i = 1; i < header.size(); ++i)
    if (static_cast<int64_t>(i) != columns.split) columns.captions.push_back(i);
  return columns;
}

// What stands at a path where a picture should; empty: nothing.
std::string obstacle(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return "is a folder";
  if (fs::is_fifo(status)) return "is a pipe";
  if (fs::exists(status)) return "is no ordinary file";
  if (error == std::errc::too_many_symbolic_link_levels) return "is a link that leads to itself";
  if (error && error != std::errc::no_such_file_or_directory) return error.message();
  return fs::is_symlink(fs::symlink_status(path, error)) ? "is a link to nothing" : "";
}

std::string picture_path(const std::string& file, const std::string& name, int64_t line) {
  const fs::path folder = fs::path(file).parent_path();
  std::string met;
  for (const fs::path& path : {folder / name, folder / "images" / name}) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return fs::absolute(path).lexically_normal().string();
    if (met.empty()) met = obstacle(path);
  }
  if (!met.empty())
    fail_environment("captions", "a picture must be a file", name, ": ", met, ", ", file, ", line ",
                     line);
  fail_environment("captions", "no such picture", name, " beside ", file, ", line ", line,
                   line == 1 ? "; the first line is a header only when its first column is called "
                               "image"
                             : "");
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
  CaptionColumns columns;
  bool has_header = false;
  Parts parts;
  std::vector<Pair> unsplit;
  std::vector<std::string> names;  // of the pictures of unsplit, as the file has them
  LineWarning bad{files.data + ": bad UTF-8, replaced by U+FFFD", 0, {}};
  size_t most_fields = SIZE_MAX;
  for (int64_t line = 1; !text.empty(); ++line) {
    const auto [fields, replaced] = fields_of(take_until(text, '\n'), '\t');
    if (replaced > 0) bad.add(line);
    if (line == 1 && fields[0] == "image") {
      columns = columns_of(fields, files);
      has_header = true;
      most_fields = fields.size();
      continue;
    }
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields[0].empty())
      fail_environment("captions", "the first column must name a picture, and is empty", files.data,
                       ", line ", line);
    if (fields.size() > most_fields)
      fail_environment("captions", "a line has more columns than the header", files.data, ", line ",
                       line, ": ", fields.size(), ", the header has ", most_fields);
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
    fail("captions",
         "columns can be named only where the file has a header, whose first column is called "
         "image",
         files.data);
  if (names.empty() && parts.train.empty() && parts.valid.empty() && parts.test.empty())
    fail_environment("captions", has_header ? "there is nothing but a header" : "the file is empty",
                     files.data, "; a line is a picture's path, tab, captions");
  if (bad.count > 0) corpus.warnings.push_back(bad.text());
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
  warn_of_parts(corpus);
  check_pictures(corpus.valid);
  check_pictures(corpus.test);
  return corpus;
}

}  // namespace glass
