#pragma once

#include <string>
#include <vector>

#include "models/report/attention_map.h"
#include "models/report/overlay.h"
#include "models/report/plot.h"

namespace glass {

struct NamedText {
  std::string name, text;
};

/// One output of a model beside what was wanted; right: as its metric counts it.
struct ReportSample {
  std::string source, prediction;
  std::vector<std::string> references;
  bool right = false;
  Image picture = {};  ///< shown in place of source, where there is one
};

/// What a rule of diagnosis says of a run.
struct ReportRule {
  std::string name, measured, limit;
  std::string alarm;  ///< empty: there was none
};

/// Rows of as many cells as head has.
struct ReportTable {
  std::string title, about;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

/// All that a report shows; empty parts are left out.
struct ReportData {
  std::string title, subtitle;
  std::vector<NamedText> figures;  ///< the last metrics, most important first
  std::vector<NamedText> config;   ///< what the run was started with
  std::vector<LinePlot> plots;     ///< e.g. train and validation loss over steps
  std::vector<ReportSample> samples;
  std::vector<AttentionMap> maps;
  std::vector<PictureAttention> pictures = {};
  std::vector<ReportRule> rules = {};
  std::vector<ReportTable> tables = {};
};

/// One page that needs no other file and no network: figures, plots, heat maps, tables, samples,
/// configuration. Readable without JavaScript, in light, in dark, and in print. Throws Error when
/// the sizes of a map or of a curve do not fit together.
std::string report_html(const ReportData& data);

}  // namespace glass
