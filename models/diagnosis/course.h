#pragma once

#include "models/diagnosis/rule.h"

namespace glass {

/// Trains as options say, looking every 10 steps, and returns what was seen. Nothing is left
/// behind. Throws Interrupted after Ctrl-C.
Course run_course(Trainee& trainee, Batches batches, const TrainOptions& options);

}  // namespace glass
