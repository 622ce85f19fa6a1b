#pragma once

#include <variant>

#include "models/classifier/classifier.h"
#include "models/seq2seq/seq2seq.h"
#include "models/transformer/translator.h"

namespace glass {

/// A model of any kind.
using ModelOptions = std::variant<Seq2SeqOptions, TransformerTranslatorOptions, ClassifierOptions>;

/// The entries of its options, and kind: seq2seq, transformer or classifier.
nlohmann::json to_json(const ModelOptions& options);
/// Throws Error naming a wrong entry. An object without kind, of older versions, is a seq2seq.
ModelOptions model_options(const nlohmann::json& json);

std::unique_ptr<Translator> make_translator(const ModelOptions& options, uint64_t seed);

}  // namespace glass
