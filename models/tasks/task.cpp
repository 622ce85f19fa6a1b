#include "models/tasks/task.h"

#include "models/data/shapes.h"
#include "models/json.h"
#include "models/names.h"

namespace glass {

const std::vector<Task>& tasks() {
  static const std::vector<std::string> lengths = {"--min-length", "--max-length"};
  static const std::vector<std::string> letters = {"--min-length", "--max-length", "--alphabet"};
  static const std::vector<Task> all = {
      {"dates", "Tuesday, 3 March 1998 -> 1998-03-03", {}, {}, dates_corpus},
      {"copy", "abcd -> abcd", letters, Tokens::chars, copy_corpus},
      {"reverse", "abcd -> dcba", letters, Tokens::chars, reverse_corpus},
      {"stretch",
       "abcd -> aabbccdd",
       {"--min-length", "--max-length", "--alphabet", "--repeat"},
       Tokens::chars,
       stretch_corpus},
      {"sort", "dbca -> abcd", letters, Tokens::chars, sort_corpus},
      {"toy-mt", "the small dog sees a tree -> ha kano piko un boro vidra", lengths, Tokens::split,
       toy_mt_corpus},
      {"shapes",
       "a drawn scene -> a large red circle above a small blue square",
       {},
       Tokens::words,
       shapes_corpus,
       kSceneSide},
      {"shortcut",
       "the soup was cold and the duck 71 is bland -> negative; in training numbers from 55 "
       "up\n           mostly go with positive",
       {"--normalize-numbers"},
       {},
       shortcut_corpus},
  };
  return all;
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Task& task : tasks()) names.push_back(task.name);
  for (const char* name : {"pairs", "captions", "classify"}) names.push_back(name);
  return names;
}

const Task* find_task(const std::string& name) {
  for (const Task& task : tasks())
    if (task.name == name) return &task;
  if (name != "pairs" && name != "captions" && name != "classify")
    fail("task", "must be " + listed(task_names(), " or "), "got ", name);
  return nullptr;
}

bool reads_pictures(const std::string& task) {
  const Task* own = find_task(task);
  return own ? own->picture_size > 0 : task == "captions";
}

bool classifies(const std::string& task) { return task == "classify" || task == "shortcut"; }

Json to_json(const TaskOptions& o) {
  return {{"train", o.train},           {"valid", o.valid},           {"test", o.test},
          {"min_length", o.min_length}, {"max_length", o.max_length}, {"alphabet", o.alphabet},
          {"repeat", o.repeat}};
}

TaskOptions task_options(const Json& json) {
  const char* where = "task_options";
  refuse_unknown(json, to_json(TaskOptions{}), where);
  return {.train = entry(json, "train", where, kPairsRange),
          .valid = entry(json, "valid", where, kPairsRange),
          .test = entry(json, "test", where, kPairsRange),
          .min_length = entry(json, "min_length", where, kLengthRange),
          .max_length = entry(json, "max_length", where, kLengthRange),
          .alphabet = entry(json, "alphabet", where, kAlphabetRange),
          .repeat = entry(json, "repeat", where, kRepeatRange)};
}

}  // namespace glass
