#pragma once

#include "models/diagnosis/run_diagnosis.h"
#include "models/report/html.h"
#include "models/seq2seq/evaluate.h"
#include "models/train/run_folder.h"

namespace glass {

AttentionMap attention_map(const Translation& translation);

/// folder/report.html: figures, configuration, loss curves, samples, heat maps and alarms of a run,
/// and tables; of pictures with overlays, the first of them also as folder/attention.png.
void write_report(const std::string& folder, const RunConfig& config, const Corpus& corpus,
                  const Trainer& trainer, const Evaluation& test, Translator& model,
                  const RunDiagnosis& diagnosis, std::vector<ReportTable> tables = {});

}  // namespace glass
