// PictureEncoderOptions as JSON.
#include "models/captioner/picture_encoder.h"
#include "models/json.h"

namespace glass {

Json to_json(const PictureEncoderOptions& o) {
  return {
      {"channels", o.channels}, {"stages", o.stages}, {"blocks", o.blocks}, {"frozen", o.frozen}};
}

PictureEncoderOptions picture_encoder_options(const Json& json) {
  const char* where = "model, picture";
  refuse_unknown(json, to_json(PictureEncoderOptions{}), where);
  PictureEncoderOptions o;
  o.channels = entry(json, "channels", where, kSizeRange);
  o.stages = entry(json, "stages", where, kStagesRange);
  o.blocks = entry(json, "blocks", where, kLayersRange);
  if (o.channels % (int64_t{1} << o.stages) != 0)
    fail_environment(where, "channels must be a multiple of 2 to the stages", o.channels, " and ",
                     o.stages, " stages");
  o.frozen = entry<bool>(json, "frozen", where);
  return o;
}

}  // namespace glass
