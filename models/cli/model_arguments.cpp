#include "models/cli/model_arguments.h"

#include "models/cli/usage.h"
#include "models/names.h"

namespace glass {
namespace {

using Names = std::vector<std::string>;

const Names kSeq2SeqOnly = {"--cell",
                            "--one-way",
                            "--attention",
                            "--score",
                            "--scope",
                            "--normalizer",
                            "--dialect",
                            "--window",
                            "--strength",
                            "--coverage",
                            "--no-input-feeding",
                            "--sampling",
                            "--sampling-k",
                            "--bridge",
                            "--gate",
                            "--sentinel",
                            "--doubly-stochastic",
                            "--doubly-target",
                            "--doubly-reduction"};
const Names kNotOfTransformer = {"--encoder", "--embedding", "--hidden", "--attention-size"};
const Names kNotOfClassifier = {"--decoder-layers", "--tied"};
const Names kPicturesOnly = {"--channels", "--stages", "--blocks", "--freeze-encoder",
                             "--encoder-weights"};
const Names kTransformerOnly = {"--d-model", "--ffn", "--norm-first"};
const Names kClassifierOnly = {"--hops", "--hop-penalty"};

// Parts that cannot be put together.
void check_attention(const AttentionChoice& c, int64_t hidden) {
  const bool monotonic = c.normalizer == "monotonic" || c.normalizer == "mocha";
  const bool local = c.scope == "local-m" || c.scope == "local-p";
  if (monotonic && c.scope != "global")
    usage_error("--normalizer " + c.normalizer +
                " finds its own place; it needs --scope global, got " + c.scope);
  if (c.normalizer.starts_with("hard") && c.scope == "local-p")
    usage_error("--normalizer " + c.normalizer +
                " takes --scope global, local-m or a prior, got local-p");
  if (c.coverage && ((c.score != "additive" && c.score != "concat") || local || monotonic))
    usage_error(
        "--coverage needs --score additive or concat, --scope global or a prior, and --normalizer "
        "softmax or hard, got " +
        listed({c.score, c.scope, c.normalizer}, " and "));
  if (hidden % c.heads != 0)
    usage_error(text("--hidden must be a multiple of --heads, ", c.heads, ", got ", hidden));
}

// What must hold for a copy, all of it, and what was met.
void check_copy(const ModelArguments& a) {
  if (a.kind != "seq2seq" || a.bridge != "copy") return;
  const bool fits = !a.pictures && a.encoder == "recurrent" && a.one_way &&
                    a.seq2seq.layers == a.seq2seq.decoder_layers;
  if (fits) return;
  usage_error(text(
      "--bridge copy needs sources that are texts, --encoder recurrent, --one-way, and as many "
      "--layers as --decoder-layers, got ",
      a.pictures ? "pictures"
                 : text("--encoder ", a.encoder, a.one_way ? ", --one-way" : ", both ways", ", ",
                        a.seq2seq.layers, " and ", a.seq2seq.decoder_layers)));
}

// The same for a sentinel.
void check_sentinel(const ModelArguments& a) {
  const AttentionChoice& c = a.seq2seq.attention;
  const bool fits = a.place == "after" && a.cell == "lstm" && !needs_order(c) && !c.coverage &&
                    c.score != "location";
  if (!a.seq2seq.sentinel || fits) return;
  usage_error(text(
      "--sentinel needs --attention after, --cell lstm, --scope global, --normalizer softmax or "
      "hard, any --score but location, and no --coverage, got ",
      listed({a.place, a.cell, c.scope, c.normalizer, c.score}, ", "),
      c.coverage ? ", --coverage" : ""));
}

void check_contradictions(const CLI::App& command, const ModelArguments& a) {
  const auto without_effect = [&](bool idle, const std::string& why, const Names& options) {
    for (const std::string& option : options)
      if (idle && command.count(option) > 0) usage_error(option + " has no effect with " + why);
  };
  const AttentionChoice& c = a.seq2seq.attention;
  const bool transformer = a.kind == "transformer";
  check_copy(a);
  without_effect(!a.pictures, "sources that are texts", kPicturesOnly);
  without_effect(a.pictures, "sources that are pictures", {"--encoder", "--one-way"});
  without_effect(a.pictures && !transformer, "sources that are pictures", {"--layers"});
  if (a.pictures && a.picture.channels % (int64_t{1} << a.picture.stages) != 0)
    usage_error(text("--channels must be a multiple of ", int64_t{1} << a.picture.stages,
                     ", 2 to the --stages, got ", a.picture.channels));
  if (!a.pictures && command.count("--layers") > 0 && a.seq2seq.layers < 1)
    usage_error("--layers must be at least 1, got 0");
  if (a.kind == "classifier") {
    for (const Names& options : {kSeq2SeqOnly, kTransformerOnly, kNotOfClassifier})
      without_effect(true, "--model classifier", options);
    without_effect(a.encoder != "transformer", "--encoder " + a.encoder, {"--heads"});
    if (a.encoder == "convolutional")
      usage_error("--model classifier needs --encoder recurrent or transformer, got convolutional");
    return;
  }
  without_effect(true, "--model " + a.kind, kClassifierOnly);
  without_effect(transformer, "--model transformer", kSeq2SeqOnly);
  without_effect(transformer, "--model transformer", kNotOfTransformer);
  if (transformer) return;
  if (a.encoder == "transformer")
    usage_error("--model seq2seq needs --encoder recurrent or convolutional, got transformer");
  without_effect(true, "--model seq2seq", kTransformerOnly);
  without_effect(a.place == "none", "--attention none",
                 {"--score", "--scope", "--normalizer", "--dialect", "--attention-size", "--heads",
                  "--window", "--strength", "--coverage", "--gate", "--sentinel",
                  "--doubly-stochastic", "--doubly-target", "--doubly-reduction"});
  without_effect(a.place == "after", "--attention after", {"--gate"});
  without_effect(a.seq2seq.doubly.weight == 0, "--doubly-stochastic 0",
                 {"--doubly-target", "--doubly-reduction"});
  if (a.pictures && needs_order(c))
    usage_error("--scope " + c.scope + " and --normalizer " + c.normalizer +
                " follow the order of a text; the cells of a picture have none");
  check_sentinel(a);
  without_effect(a.place != "after", "--attention " + a.place, {"--no-input-feeding"});
  const bool local = c.scope == "local-m" || c.scope == "local-p";
  without_effect(!local && c.normalizer != "mocha",
                 "--scope " + c.scope + " and --normalizer " + c.normalizer, {"--window"});
  without_effect(local || c.scope == "global", "--scope " + c.scope, {"--strength"});
  without_effect(c.score != "additive" && c.score != "concat" && c.score != "location",
                 "--score " + c.score, {"--attention-size"});
  without_effect(a.seq2seq.sampling.schedule == "none", "--sampling none", {"--sampling-k"});
  without_effect(a.encoder == "convolutional", "--encoder convolutional", {"--one-way"});
  without_effect((c.score == "additive" && c.dialect == "popular") ||
                     (c.score == "concat" && c.dialect == "authors"),
                 "--score " + c.score + " --dialect " + c.dialect, {"--attention-size"});
  check_attention(c, a.seq2seq.hidden);
}

void add_recurrent_options(CLI::App& command, ModelArguments& a) {
  const char* group = "Seq2seq";
  command
      .add_option("--encoder", a.encoder, "recurrent or convolutional; classifier: or transformer")
      ->transform(one_of({"recurrent", "convolutional", "transformer"}))
      ->group(group);
  command.add_option("--cell", a.cell, "lstm, gru or rnn")
      ->transform(one_of({"lstm", "gru", "rnn"}))
      ->group(group);
  command.add_option("--embedding", a.seq2seq.embedding, "Size of token vectors")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_option("--hidden", a.seq2seq.hidden, "Size of recurrent states")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_flag("--one-way", a.one_way, "Encoder reads forward only")->group(group);
  command
      .add_option(
          "--bridge", a.bridge,
          "The decoder begins with: none (zeros), dense (a layer), copy (the encoder's states: "
          "needs texts, --encoder recurrent, --one-way, --layers equal to --decoder-layers)")
      ->transform(one_of({"none", "copy", "dense"}))
      ->group(group);
  command
      .add_option("--sampling", a.seq2seq.sampling.schedule,
                  "Scheduled sampling: none, linear, exponential or inverse-sigmoid")
      ->transform(one_of({"none", "linear", "exponential", "inverse-sigmoid"}))
      ->group(group);
  command
      .add_option("--sampling-k", a.seq2seq.sampling.k,
                  "Its k; linear: steps until it ends (exponential: 0.9999)")
      ->transform(within(kAmountRange))
      ->group(group);
}

void add_attention_options(CLI::App& command, ModelArguments& a) {
  const char* group = "Attention (docs/attention.md)";
  AttentionChoice& c = a.seq2seq.attention;
  command
      .add_option("--attention", a.place,
                  "none: one fixed context; before the decoder's step (Bahdanau); after it (Luong)")
      ->transform(one_of({"none", "before", "after"}))
      ->group(group);
  command
      .add_option("--score", c.score,
                  "dot, scaled-dot, general, concat, additive, cosine or location")
      ->transform(
          one_of({"dot", "scaled-dot", "general", "concat", "additive", "cosine", "location"}))
      ->group(group);
  command
      .add_option("--scope", c.scope,
                  "global; local-m, local-p: windows; laplace, gaussian, linear: priors")
      ->transform(one_of({"global", "local-m", "local-p", "laplace", "gaussian", "linear"}))
      ->group(group);
  command
      .add_option("--normalizer", c.normalizer,
                  "softmax; hard (REINFORCE), hard-straight-through, hard-gumbel; monotonic, mocha")
      ->transform(
          one_of({"softmax", "hard", "hard-straight-through", "hard-gumbel", "monotonic", "mocha"}))
      ->group(group);
  command.add_option("--dialect", c.dialect, "paper, authors or popular")
      ->transform(one_of({"paper", "authors", "popular"}))
      ->group(group);
  command
      .add_option("--attention-size", c.size,
                  "Inner size of additive and concat scores; places that location knows")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_option("--heads", c.heads, "Heads; more than one: with projections (transformer: 4)")
      ->transform(within(kSizeRange))
      ->group(group);
  command
      .add_option("--window", c.window,
                  "D of local scopes, keys on each side; keys of a MoChA chunk")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_option("--strength", c.strength, "Of a prior")
      ->transform(within(kAmountRange))
      ->group(group);
  command
      .add_flag("--coverage", c.coverage,
                "Scores (additive or concat) see how much a key was attended to")
      ->group(group);
  command.add_option("--gate", c.gate, "Of the context: none, scalar or vector")
      ->transform(one_of({"none", "scalar", "vector"}))
      ->group(group);
  command
      .add_flag("--sentinel", a.seq2seq.sentinel,
                "The model may look at what it knows instead (Lu 2017); needs --attention after, "
                "--cell lstm, --scope global, no --coverage")
      ->group(group);
  command
      .add_option("--doubly-stochastic", a.seq2seq.doubly.weight,
                  "Weight of the loss that asks each place to get as much as others (Xu 2015)")
      ->transform(within(kAmountRange))
      ->group(group);
  command.add_option("--doubly-target", a.seq2seq.doubly.target, "Its target: one, or share (T/S)")
      ->transform(one_of({"one", "share"}))
      ->group(group);
  command.add_option("--doubly-reduction", a.seq2seq.doubly.reduction, "paper, authors or popular")
      ->transform(one_of({"paper", "authors", "popular"}))
      ->group(group);
  command
      .add_flag("--no-input-feeding", a.no_input_feeding,
                "After the step: the last attentional state is no input")
      ->group(group);
}

void add_transformer_options(CLI::App& command, ModelArguments& a) {
  const char* group = "Transformer";
  command.add_option("--d-model", a.transformer.d_model, "Size of vectors, a multiple of --heads")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_option("--ffn", a.transformer.ffn, "Inner size of feed-forward layers")
      ->transform(within(kSizeRange))
      ->group(group);
  command
      .add_flag("--norm-first", a.transformer.norm_first,
                "x + f(norm(x)) instead of norm(x + f(x))")
      ->group(group);
}

void add_picture_options(CLI::App& command, ModelArguments& a) {
  const char* group = "Pictures";
  command.add_option("--channels", a.picture.channels, "Of the map that attention sees")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_option("--stages", a.picture.stages, "Of the encoder; each halves the sides")
      ->transform(within(kStagesRange))
      ->group(group);
  command.add_option("--blocks", a.picture.blocks, "Residual blocks of a stage")
      ->transform(within(kLayersRange))
      ->group(group);
  command
      .add_option("--encoder-weights", a.encoder_weights,
                  "Safetensors file that the encoder begins with: its own, or a run's model")
      ->transform(naming("a file"))
      ->group(group);
  command
      .add_flag("--freeze-encoder", a.picture.frozen,
                "The picture encoder's weights stay as they are")
      ->group(group);
}

void add_classifier_options(CLI::App& command, ModelArguments& a) {
  const char* group = "Classifier (and --encoder, --embedding, --hidden, --attention-size)";
  command.add_option("--hops", a.classifier.hops, "Weighted sums of the states")
      ->transform(within(kSizeRange))
      ->group(group);
  command.add_option("--hop-penalty", a.classifier.penalty, "Of hops that look at the same places")
      ->transform(within(kAmountRange))
      ->group(group);
}

}  // namespace

void add_model_options(CLI::App& command, ModelArguments& a) {
  const char* group = "Model";
  command.add_option("--model", a.kind, "seq2seq, transformer or classifier (of labels)")
      ->transform(one_of({"seq2seq", "transformer", "classifier"}))
      ->group(group);
  command
      .add_option("--layers", a.seq2seq.layers,
                  "Encoder layers, at least 1 for texts (transformer: 2; behind a picture's map 0)")
      ->transform(within(kLayersOrNoneRange))
      ->group(group);
  command
      .add_option("--decoder-layers", a.seq2seq.decoder_layers, "Decoder layers (transformer: 2)")
      ->transform(within(kLayersRange))
      ->group(group);
  command.add_option("--dropout", a.seq2seq.dropout, "Dropped part of vectors")
      ->transform(within(kDropoutRange))
      ->group(group);
  command
      .add_option("--label-smoothing", a.seq2seq.label_smoothing,
                  "Probability spread over all tokens")
      ->transform(within(kSmoothingRange))
      ->group(group);
  command.add_flag("--tied", a.seq2seq.tied, "Output layer shares the target embeddings")
      ->group(group);
  add_recurrent_options(command, a);
  add_attention_options(command, a);
  add_transformer_options(command, a);
  add_picture_options(command, a);
  add_classifier_options(command, a);
}

void settle_model(const CLI::App& command, ModelArguments& a) {
  check_contradictions(command, a);
  a.seq2seq.cell = cell_named(a.cell);
  a.seq2seq.bidirectional = !a.one_way;
  a.seq2seq.convolutional = a.encoder == "convolutional";
  a.seq2seq.place = place_named(a.place);
  a.seq2seq.input_feeding = !a.no_input_feeding;
  a.seq2seq.bridge = bridge_named(a.bridge);
  ScheduledSampling& sampling = a.seq2seq.sampling;
  if (sampling.schedule == "exponential" && command.count("--sampling-k") == 0)
    sampling.k = 0.9999;  // half of the tokens are the model's own after 6,931 steps
  TransformerTranslatorOptions& t = a.transformer;
  if (a.pictures) a.seq2seq.picture = t.picture = a.picture;
  if (a.pictures) t.layers = 0;
  if (command.count("--layers") > 0) t.layers = a.seq2seq.layers;
  if (command.count("--decoder-layers") > 0) t.decoder_layers = a.seq2seq.decoder_layers;
  if (command.count("--heads") > 0) t.heads = a.seq2seq.attention.heads;
  t.dropout = a.seq2seq.dropout;
  t.label_smoothing = a.seq2seq.label_smoothing;
  t.tied = a.seq2seq.tied;
  if (a.kind == "transformer" && t.d_model % t.heads != 0)
    usage_error(text("--d-model must be a multiple of --heads, ", t.heads, ", got ", t.d_model));
  ClassifierOptions& c = a.classifier;
  if (a.encoder == "transformer") c.encoder = a.encoder;
  if (command.count("--embedding") > 0) c.embedding = a.seq2seq.embedding;
  if (command.count("--hidden") > 0) c.hidden = a.seq2seq.hidden;
  if (command.count("--attention-size") > 0) c.attention_size = a.seq2seq.attention.size;
  if (command.count("--heads") > 0) c.heads = a.seq2seq.attention.heads;
  c.layers = a.seq2seq.layers;
  c.dropout = a.seq2seq.dropout;
  c.label_smoothing = a.seq2seq.label_smoothing;
  if (a.kind == "classifier" && c.encoder == "transformer" && c.embedding % c.heads != 0)
    usage_error(
        text("--embedding must be a multiple of --heads, ", c.heads, ", got ", c.embedding));
}

ModelOptions model_of(const ModelArguments& a, int64_t source_vocabulary,
                      int64_t target_vocabulary) {
  const auto sized = [&](auto options) -> ModelOptions {
    options.source_vocabulary = source_vocabulary;
    options.target_vocabulary = target_vocabulary;
    return options;
  };
  if (a.kind == "classifier") return sized(a.classifier);
  return a.kind == "transformer" ? sized(a.transformer) : sized(a.seq2seq);
}

}  // namespace glass
