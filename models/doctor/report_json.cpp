#include "models/doctor/report_json.h"

#include <nlohmann/json.hpp>

#include "models/json.h"

namespace glass {
namespace {

Json sizes_of(const Shape& shape) {
  Json sizes = Json::array();
  for (int64_t size : shape) sizes.push_back(size);
  return sizes;
}

Json causes_of(const std::vector<Cause>& causes) {
  Json all = Json::array();
  for (const Cause& c : causes)
    all.push_back({{"kind", name_of(c.kind)}, {"text", c.text}, {"residual", c.residual}});
  return all;
}

Json block_json(const GradBlock& b) {
  Json j = {{"output", b.output},
            {"input", b.input},
            {"number", b.input_number},
            {"shape", sizes_of(b.shape)},
            {"verdict", word_of(b.verdict)},
            {"difference", b.precision},
            {"gradient", b.size}};
  if (b.verdict != Verdict::fail) return j;
  j["index"] = b.index;
  j["analytic"] = b.analytic;
  j["numeric"] = b.numeric;
  j["wrong"] = b.wrong;
  j["compared"] = b.compared;
  j["place"] = b.place;
  j["ratio"] = {{"count", b.ratio.count},
                {"low", b.ratio.low},
                {"high", b.ratio.high},
                {"mean", b.ratio.mean},
                {"deviation", b.ratio.deviation}};
  j["causes"] = causes_of(b.causes);
  j["runners_up"] = causes_of(b.runners_up);
  return j;
}

Json order_json(const OrderReport& r) {
  Json blocks = Json::array(), sweep = Json::array();
  for (const auto* list : {&r.mismatches, &r.others})
    for (const GradBlock& b : *list) blocks.push_back(block_json(b));
  for (const StepError& e : r.sweep)
    sweep.push_back({{"step", e.step}, {"difference", e.difference}, {"sides", e.sides}});
  Json j = {{"verdict", word_of(r.verdict)},
            {"cause", r.cause},
            {"upstreams", r.upstreams},
            {"directions", r.directions},
            {"difference", r.precision},
            {"smallest_gradient", r.smallest_gradient},
            {"idle", r.idle},
            {"missed", r.missed},
            {"blocks", blocks},
            {"sweep", sweep},
            {"steps", r.sweep_text}};
  if (r.where)
    j["where"] = {{"op", r.where->op},      {"file", r.where->file},
                  {"line", r.where->line},  {"number", r.where->number},
                  {"of", r.where->of},      {"difference", r.where->difference},
                  {"cause", r.where->cause}};
  return j;
}

}  // namespace

std::string word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::kink:
      return "kink";
    default:
      return "vacuous";
  }
}

Json to_json(const GradReport& report) {
  Json j = {{"name", report.name}, {"verdict", word_of(report.verdict)}, {"moved", report.moved}};
  if (report.first.checked) j["first"] = order_json(report.first);
  if (report.second.checked) j["second"] = order_json(report.second);
  return j;
}

}  // namespace glass
