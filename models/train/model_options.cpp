#include "models/train/model_options.h"

#include "models/json.h"

namespace glass {
namespace {

const char* kind_of(const Seq2SeqOptions&) { return "seq2seq"; }
const char* kind_of(const TransformerTranslatorOptions&) { return "transformer"; }
const char* kind_of(const ClassifierOptions&) { return "classifier"; }

std::unique_ptr<Translator> make(const Seq2SeqOptions& options, uint64_t seed) {
  return std::make_unique<Seq2Seq>(options, seed);
}
std::unique_ptr<Translator> make(const TransformerTranslatorOptions& options, uint64_t seed) {
  return std::make_unique<TransformerTranslator>(options, seed);
}
std::unique_ptr<Translator> make(const ClassifierOptions& options, uint64_t seed) {
  return std::make_unique<Classifier>(options, seed);
}

}  // namespace

Json to_json(const ModelOptions& options) {
  return std::visit(
      [](const auto& chosen) {
        Json json = to_json(chosen);
        json["kind"] = kind_of(chosen);
        return json;
      },
      options);
}

ModelOptions model_options(const Json& json) {
  if (!json.is_object() || !json.contains("kind")) return seq2seq_options(json);
  const auto kind = entry<std::string>(json, "kind", "model");
  Json rest = json;
  rest.erase("kind");
  if (kind == "seq2seq") return seq2seq_options(rest);
  if (kind == "transformer") return transformer_options(rest);
  if (kind == "classifier") return classifier_options(rest);
  fail_environment("model", "kind must be seq2seq, transformer or classifier", "got ", kind);
}

std::unique_ptr<Translator> make_translator(const ModelOptions& options, uint64_t seed) {
  return std::visit([&](const auto& chosen) { return make(chosen, seed); }, options);
}

}  // namespace glass
