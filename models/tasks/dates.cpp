#include "models/text/dates.h"

#include "models/tasks/task.h"

namespace glass {

Corpus dates_corpus(const TaskOptions& o, uint64_t seed) {
  DateSets sets = make_dates(o.train, o.valid, o.test, seed);
  return {std::move(sets.train), references(sets.valid), references(sets.test)};
}

}  // namespace glass
