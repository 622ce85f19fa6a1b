#include "models/report/html.h"

#include <fmt/format.h>

#include "models/report/fonts.h"
#include "models/report/label.h"
#include "models/report/page.h"
#include "models/report/picture_html.h"
#include "models/report/svg.h"

namespace glass {
namespace {

std::string section(const std::string& name, const std::string& content) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", escape_xml(name), content);
}

std::string figures(const std::vector<NamedText>& all) {
  std::string out = "<dl class=\"figures\">\n";
  for (const auto& figure : all) {
    out += fmt::format("<div class=\"card\"><dt>{}</dt><dd>{}</dd></div>\n",
                       escape_xml(figure.name), escape_xml(figure.text));
  }
  return out + "</dl>\n";
}

std::string plots(const std::vector<LinePlot>& all) {
  std::string out = "<div class=\"plots\">\n";
  for (const auto& plot : all) out += "<div class=\"card\">" + line_plot_svg(plot) + "</div>\n";
  return section("Training", out + "</div>\n");
}

std::string references(const ReportSample& sample) {
  std::string out;
  for (const auto& reference : sample.references) {
    out += (out.empty() ? "" : "<br>") + escape_xml(reference);
  }
  return out;
}

std::string source_of(const ReportSample& sample) {
  if (sample.picture.empty()) return escape_xml(sample.source);
  return fmt::format("<img class=\"thumb\" src=\"{}\" alt=\"{}\">", data_uri(sample.picture),
                     escape_xml(sample.source));
}

std::string samples(const std::vector<ReportSample>& all) {
  std::string out =
      "<div class=\"card scroll\"><table>\n<thead><tr><th>Source</th><th>Prediction</th>"
      "<th>Reference</th><th></th></tr></thead>\n<tbody>\n";
  for (const auto& sample : all) {
    out +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"verdict {}\">{}</td></tr>\n",
                    source_of(sample), escape_xml(sample.prediction), references(sample),
                    sample.right ? "right" : "wrong", sample.right ? "✓ right" : "✗ wrong");
  }
  return section("Samples", out + "</tbody>\n</table></div>\n");
}

std::string maps(const std::vector<AttentionMap>& all) {
  std::string out = "<div class=\"maps\">\n";
  for (const auto& map : all) {
    out += "<figure class=\"card\">" + heat_map_svg(map, {.standalone = false}) + "</figure>\n";
  }
  return section("Where the model looked", out + "</div>\n");
}

std::string pictures(const std::vector<PictureAttention>& all) {
  std::string out =
      "<p class=\"subtitle\">Point at a word to see what it looked at.</p>\n"
      "<div class=\"maps\">\n";
  for (const auto& each : all) out += picture_figure(each);
  return section("Where the model looked", out + "</div>\n");
}

std::string diagnosis(const std::vector<ReportRule>& all) {
  std::string out =
      "<div class=\"card scroll\"><table>\n<thead><tr><th>Rule</th><th>Largest</th>"
      "<th>Alarm above</th><th></th></tr></thead>\n<tbody>\n";
  for (const auto& rule : all) {
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                       escape_xml(rule.name), escape_xml(rule.measured), escape_xml(rule.limit),
                       rule.alarm.empty() ? "right" : "wrong",
                       rule.alarm.empty() ? "✓ no alarm" : "✗ " + escape_xml(rule.alarm));
  }
  return section("Diagnosis", out + "</tbody>\n</table></div>\n");
}

std::string table(const ReportTable& table) {
  const auto row = [](const std::vector<std::string>& cells, const char* tag) {
    std::string out = "<tr>";
    for (const auto& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, escape_xml(cell));
    return out + "</tr>\n";
  };
  std::string out =
      fmt::format("<p>{}</p>\n<div class=\"card scroll\"><table>\n<thead>{}</thead>\n",
                  escape_xml(table.about), row(table.head, "th"));
  out += "<tbody>\n";
  for (const auto& cells : table.rows) out += row(cells, "td");
  return section(table.title, out + "</tbody>\n</table></div>\n");
}

std::string config(const std::vector<NamedText>& all) {
  std::string out = "<dl class=\"card config\">\n";
  for (const auto& entry : all) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_xml(entry.name),
                       escape_xml(entry.text));
  }
  return section("Configuration", out + "</dl>\n");
}

}  // namespace

std::string report_html(const ReportData& data) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>body{{font-family:{}}}{}{}{}{}</style>\n</head>\n<body>\n<main>\n"
      "<h1>{}</h1>\n",
      escape_xml(data.title), kSansFonts, kPageCss, line_plot_css(), heat_map_css(),
      data.pictures.empty() ? "" : kPictureCss, escape_xml(data.title));
  if (!data.subtitle.empty()) {
    out += "<p class=\"subtitle\">" + escape_xml(data.subtitle) + "</p>\n";
  }
  if (!data.figures.empty()) out += figures(data.figures);
  if (!data.plots.empty()) out += plots(data.plots);
  if (!data.maps.empty()) out += maps(data.maps);
  if (!data.pictures.empty()) out += pictures(data.pictures);
  for (const auto& each : data.tables) out += table(each);
  if (!data.samples.empty()) out += samples(data.samples);
  if (!data.rules.empty()) out += diagnosis(data.rules);
  if (!data.config.empty()) out += config(data.config);
  return out + "</main>\n<div id=\"tip\"></div>\n<script>" + kPageScript +
         "</script>\n</body>\n</html>\n";
}

}  // namespace glass
