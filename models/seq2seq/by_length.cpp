#include "models/seq2seq/by_length.h"

#include <map>

#include "tensor/error.h"

namespace glass {

std::vector<LengthGroup> length_groups(const std::vector<int64_t>& lengths, size_t most) {
  if (most < 1) fail("length_groups", "need at least one group", most);
  std::map<int64_t, std::vector<size_t>> rows;
  for (size_t i = 0; i < lengths.size(); ++i) rows[lengths[i]].push_back(i);
  std::vector<LengthGroup> groups;
  for (const auto& [length, of_length] : rows) {
    if (groups.empty() || groups.back().rows.size() * most >= lengths.size())
      groups.push_back({.shortest = length});
    LengthGroup& group = groups.back();
    group.longest = length;
    group.rows.insert(group.rows.end(), of_length.begin(), of_length.end());
  }
  // A rest of less than half a group says little.
  if (groups.size() > 1 && 2 * groups.back().rows.size() * most < lengths.size()) {
    LengthGroup& last = *(groups.end() - 2);
    last.longest = groups.back().longest;
    last.rows.insert(last.rows.end(), groups.back().rows.begin(), groups.back().rows.end());
    groups.pop_back();
  }
  for (LengthGroup& group : groups) {
    for (const size_t row : group.rows) group.mean += static_cast<double>(lengths[row]);
    group.mean /= static_cast<double>(group.rows.size());
  }
  return groups;
}

std::vector<LengthGroup> length_groups(const TextCodec& codec,
                                       const std::vector<References>& data) {
  std::vector<int64_t> lengths;
  for (const References& r : data) lengths.push_back(std::ssize(codec.source_tokens(r.source)));
  return length_groups(lengths);
}

ScoresByLength scores_by_length(const TextCodec& codec, const std::vector<References>& data,
                                const std::vector<Translation>& translations,
                                std::vector<LengthGroup> groups) {
  if (data.size() != translations.size())
    fail("scores_by_length", "need a translation of each source", translations.size(), " and ",
         data.size());
  ScoresByLength out{std::move(groups), {}};
  for (const LengthGroup& group : out.groups) {
    std::vector<TokenList> answers;
    std::vector<std::vector<TokenList>> targets;
    for (const size_t row : group.rows) {
      answers.push_back(translations[row].tokens);
      targets.emplace_back();
      for (const std::string& target : data[row].targets)
        targets.back().push_back(codec.target_tokens(target));
    }
    out.scores.push_back(
        answer_scores(std::move(answers), std::move(targets), codec.options.target));
  }
  return out;
}

LinePlot length_plot(const std::vector<std::string>& names,
                     const std::vector<ScoresByLength>& runs) {
  LinePlot plot;
  plot.title = "BLEU by length of the source";
  plot.x_name = "tokens of the source";
  for (size_t i = 0; i < runs.size(); ++i) {
    Curve curve{names.at(i), {}, {}};
    for (size_t g = 0; g < runs[i].groups.size(); ++g) {
      curve.x.push_back(runs[i].groups[g].mean);
      curve.y.push_back(runs[i].scores[g].bleu.value);
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

}  // namespace glass
