#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "models/train/model_options.h"

namespace glass {

/// What the command line says of the model. Options that both kinds have are those of seq2seq until
/// settle_model.
struct ModelArguments {
  std::string kind = "seq2seq", cell = "lstm", place = "before", encoder = "recurrent",
              bridge = "dense";
  bool one_way = false, no_input_feeding = false;
  bool pictures = false;  ///< sources are pictures, read as picture says
  PictureEncoderOptions picture;
  std::string encoder_weights;
  Seq2SeqOptions seq2seq;
  TransformerTranslatorOptions transformer;
  ClassifierOptions classifier;
};

/// a must live as long as the command.
void add_model_options(CLI::App& command, ModelArguments& a);
/// After parsing: gives each kind its options. Ends the program for an option that another one
/// leaves without an effect, and for sizes that do not fit.
void settle_model(const CLI::App& command, ModelArguments& a);
ModelOptions model_of(const ModelArguments& a, int64_t source_vocabulary,
                      int64_t target_vocabulary);

}  // namespace glass
