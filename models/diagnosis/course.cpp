#include "models/diagnosis/course.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "models/diagnosis/collector.h"
#include "models/train/interrupt.h"

namespace glass {
namespace {

namespace fs = std::filesystem;

// A folder for the trainer's files, which goes with them.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "glass-diagnose-XXXXXX").string()) {
    if (!mkdtemp(path_.data())) fail_environment("diagnose", "no temporary folder", path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Course run_course(Trainee& trainee, Batches batches, const TrainOptions& options) {
  const TemporaryFolder folder;
  FactCollector collector(trainee, options, {.every = 10});
  Trainer trainer(trainee, std::move(batches), options, folder.path());
  trainer.watch(&collector);
  Course course;
  try {
    if (trainer.run() == StopReason::interrupted) throw Interrupted("interrupted");
  } catch (const Error& error) {
    if (!collector.record().not_finite) throw;
    course.stopped = error.what();
  }
  collector.set_validations(trainer.history());
  course.record = collector.record();
  course.loss = trainer.history().empty() ? NAN : trainer.history().back().valid.loss;
  return course;
}

}  // namespace glass
