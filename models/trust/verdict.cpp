#include "models/trust/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/json.h"
#include "models/names.h"

namespace glass {
namespace {

constexpr double kTogether = 0.5;  // ρ of ranks that go together
constexpr double kSilent = 0.01;   // of log p
constexpr double kFlat = 1.1;      // times the mean: less is no preference

std::string quoted(const std::string& token) { return "\"" + token + "\""; }

std::string number(const std::optional<double>& x) { return x ? fmt::format("{:.2f}", *x) : "–"; }

// Places as a sentence speaks of them: tokens are quoted, cells are not.
struct Names {
  const std::vector<std::string>& source;
  bool cells;

  // A token that stands in several places, with its place.
  std::string operator()(size_t place) const {
    if (cells) return source[place];
    const bool alone = std::count(source.begin(), source.end(), source[place]) == 1;
    return quoted(source[place]) + (alone ? "" : fmt::format(" (place {})", place + 1));
  }
  // "without "March" log p falls by 2.31", "with row 1, column 2 covered log p falls by 2.31"
  std::string effect(const TokenTrust& token, size_t place) const {
    const double change = token.erasure[place];
    return fmt::format("{} {}{} log p {} by {:.2f}", cells ? "with" : "without", (*this)(place),
                       cells ? " covered" : "", change >= 0 ? "falls" : "rises", std::abs(change));
  }
};

bool same_place(size_t a, size_t b, int64_t columns) {
  if (columns == 0) return a == b;
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return std::abs(x / columns - y / columns) <= 1 && std::abs(x % columns - y % columns) <= 1;
}

// The place of the largest effect; of equal ones, as of two equal neighbours, that with most
// weight.
size_t place_of_effect(const TokenTrust& token) {
  const std::vector<double> effects = sizes(token.erasure);
  size_t place = largest(effects);
  const double most = effects[place];
  for (size_t s = 0; s < effects.size(); ++s)
    if (effects[s] >= most * (1 - 1e-9) && token.weights[s] > token.weights[place]) place = s;
  return place;
}

// No weight stands out.
bool is_flat(const TokenTrust& token) {
  const auto count = static_cast<double>(token.weights.size());
  return token.weights[largest(token.weights)] * count < kFlat;
}

std::string percent(double fraction) { return fmt::format("{:.0f} %", 100 * fraction); }

}  // namespace

std::string_view name(TrustVerdict verdict) {
  switch (verdict) {
    case TrustVerdict::agree:
      return "agree";
    case TrustVerdict::disagree:
      return "disagree";
    case TrustVerdict::silent:
      return "silent";
    default:
      return "single";
  }
}

TrustVerdict verdict(const TokenTrust& token, int64_t columns) {
  if (token.weights.size() < 2) return TrustVerdict::single;
  const std::vector<double> effects = sizes(token.erasure);
  const size_t place = place_of_effect(token);
  if (effects[place] < kSilent) return TrustVerdict::silent;
  const double most = token.weights[largest(token.weights)];
  double there = 0;  // the most weight where the effect is
  for (size_t s = 0; s < effects.size(); ++s)
    if (same_place(s, place, columns)) there = std::max(there, token.weights[s]);
  const bool alike = token.rho_erasure && *token.rho_erasure >= kTogether;
  const bool together = there == most || (alike && there >= most / 2);
  return together && !is_flat(token) ? TrustVerdict::agree : TrustVerdict::disagree;
}

std::string sentence(const TokenTrust& token, const std::vector<std::string>& source,
                     int64_t columns) {
  const Names name{source, columns > 0};
  const size_t looked = largest(token.weights), felt = place_of_effect(token);
  const std::string rank = token.rho_erasure ? fmt::format(" (ρ {:.2f})", *token.rho_erasure) : "";
  std::string y = quoted(token.token) + ": ";
  switch (verdict(token, columns)) {
    case TrustVerdict::single:
      return y + "one place, nothing to compare";
    case TrustVerdict::silent:
      y += fmt::format("weights here explain nothing: no place alone changes log p by {}", kSilent);
      break;
    case TrustVerdict::agree:
      y += "weights here agree with effect" + rank;
      if (token.weights[felt] == token.weights[looked])
        y += fmt::format(": most of both is on {} (weight {:.2f}), {}", name(felt),
                         token.weights[felt], name.effect(token, felt));
      else
        y += fmt::format(": most weight ({:.2f}) is on {}, and {}", token.weights[looked],
                         name(looked), name.effect(token, felt));
      break;
    default:
      y += "weights here do not agree with effect" + rank;
      y += is_flat(token) ? fmt::format(": none is {} times the mean", kFlat)
                          : fmt::format(": most weight ({:.2f}) is on {}", token.weights[looked],
                                        name(looked));
      y += ", but " + name.effect(token, felt);
  }
  if (token.shuffled_changed)
    y += *token.shuffled_changed == 0
             ? "; shuffled weights never change it"
             : "; shuffled weights change it in " + percent(*token.shuffled_changed);
  return y;
}

std::string summary(const TrustReport& report) {
  const auto count = [&](TrustVerdict wanted) {
    return std::count_if(report.tokens.begin(), report.tokens.end(), [&](const TokenTrust& token) {
      return verdict(token, report.columns) == wanted;
    });
  };
  return fmt::format("weights agree with effect in {} of {}{}", count(TrustVerdict::agree),
                     counted(std::ssize(report.tokens), "token"),
                     count(TrustVerdict::silent) > 0
                         ? fmt::format(", {} without any effect", count(TrustVerdict::silent))
                         : "");
}

std::vector<AttentionMap> trust_maps(const TrustReport& report) {
  AttentionMap weights{report.source, {}, {}, "attention weights"};
  AttentionMap gradient{report.source, {}, {}, "|gradient|, share of a row"};
  AttentionMap product{report.source, {}, {}, "|input × gradient|, share of a row"};
  AttentionMap erasure{report.source, {}, {}, "|erasure|, share of a row"};
  const auto add = [](AttentionMap& map, const std::string& token, std::vector<double> row) {
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    if (total > 0)
      for (double& x : row) x /= total;
    map.target.push_back(token);
    map.weights.push_back(std::move(row));
  };
  for (const TokenTrust& token : report.tokens) {
    weights.target.push_back(token.token);
    weights.weights.push_back(token.weights);
    add(gradient, token.token, token.gradient);
    add(product, token.token, sizes(token.input_gradient));
    add(erasure, token.token, sizes(token.erasure));
  }
  return {weights, gradient, product, erasure};
}

PictureAttention trust_look(const TrustReport& report, PictureAttention looked) {
  const auto columns = report.columns;
  if (columns < 1) fail("trust", "the report is of a text, not of a picture", report.layer);
  looked.maps.clear();
  for (const AttentionMap& map : trust_maps(report)) {
    looked.maps.emplace_back();
    for (const std::vector<double>& row : map.weights)
      looked.maps.back().push_back(
          Tensor::from(row, {static_cast<int64_t>(row.size()) / columns, columns}));
  }
  looked.map_names = {"attention", "gradient", "input*grad", "covered"};
  return looked;
}

ReportTable trust_table(const TrustReport& report) {
  ReportTable table{
      "May the weights be believed?",
      std::string("ρ: Spearman's correlation of the weights with the gradient, with input × "
                  "gradient, and with what ") +
          (report.columns > 0 ? "covering a cell with the picture's mean colour"
                              : "erasing a place") +
          " does to log p. Shuffled: the weights of all tokens were dealt out among the places at "
          "random; how far the distribution moved (0 … 1), and how often another token won.",
      {"token", "ρ gradient", "ρ input × gradient", "ρ erasure", "shuffled", "in words"},
      {}};
  for (const TokenTrust& t : report.tokens)
    table.rows.push_back(
        {t.token, number(t.rho_gradient), number(t.rho_input_gradient), number(t.rho_erasure),
         t.shuffled_distance
             ? number(t.shuffled_distance) + ", " + percent(t.shuffled_changed.value_or(0))
             : "–",
         sentence(t, report.source, report.columns)});
  return table;
}

Json to_json(const TrustReport& report) {
  const auto value = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  Json tokens = Json::array();
  for (const TokenTrust& t : report.tokens)
    tokens.push_back({{"token", t.token},
                      {"log_probability", t.log_probability},
                      {"weights", t.weights},
                      {"gradient", t.gradient},
                      {"input_gradient", t.input_gradient},
                      {"erasure", t.erasure},
                      {"rho",
                       {{"gradient", value(t.rho_gradient)},
                        {"input_gradient", value(t.rho_input_gradient)},
                        {"erasure", value(t.rho_erasure)}}},
                      {"shuffled_distance", value(t.shuffled_distance)},
                      {"shuffled_changed", value(t.shuffled_changed)},
                      {"verdict", std::string(name(verdict(t, report.columns)))},
                      {"sentence", sentence(t, report.source, report.columns)}});
  return {{"layer", report.layer}, {"summary", summary(report)}, {"tokens", tokens}};
}

}  // namespace glass
