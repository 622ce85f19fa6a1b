#include "models/report/picture_html.h"

#include <fmt/format.h>

#include "models/image/formats.h"
#include "models/image/resize.h"
#include "models/report/label.h"

namespace glass {
namespace {

constexpr int64_t kSide = 160;  // pixels of an overlay's longer side, before the page enlarges it

Image enlarged(const Image& picture) {
  const int64_t longer = std::max(picture.height, picture.width);
  if (longer >= kSide) return picture;
  const auto scaled = [&](int64_t size) { return std::max<int64_t>(1, size * kSide / longer); };
  return resize(picture, scaled(picture.height), scaled(picture.width), Resample::area);
}

// RFC 4648, section 4.
std::string base64(const std::string& bytes) {
  constexpr char kSigns[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : kSigns[three >> (18 - 6 * k) & 63];
  }
  return out;
}

}  // namespace

std::string data_uri(const Image& image) {
  return "data:image/png;base64," + base64(encode_png(image));
}

std::string picture_figure(const PictureAttention& a) {
  check_sizes("picture_figure", a);
  const Image picture = enlarged(a.picture);
  const auto shown = [&](const Tensor& map, const char* kind, const std::string& text) {
    return fmt::format("<img class=\"{}\" src=\"{}\" alt=\"{}\">", kind,
                       data_uri(overlay(picture, map)), escape_xml(text));
  };
  std::string out = fmt::format(
      "<figure class=\"card look\">\n<img class=\"base\" src=\"{}\" alt=\"{}\">\n<figcaption>"
      "<p class=\"title\">{}</p>\n<p class=\"words\">",
      data_uri(a.picture), escape_xml(a.text), escape_xml(a.name));
  const std::vector<Tensor> first = main_maps(a);
  const bool named = !a.map_names.empty();
  for (size_t i = 0; i < a.words.size(); ++i) {
    out +=
        fmt::format("<span class=\"word\" tabindex=\"0\">{}", escape_xml(label_text(a.words[i])));
    out += fmt::format("<small>max {}</small>", number_text(highest(first[i]), 2));
    if (!a.gates.empty())
      out += fmt::format("<small>{} {:.2f}</small>", escape_xml(a.gate_name), a.gates[i]);
    out += "<span class=\"shown\">" + shown(first[i], "mean", a.words[i]);
    for (size_t head = named ? 1 : 0; a.maps.size() > 1 && head < a.maps.size(); ++head) {
      const std::string name = named ? a.map_names[head] : fmt::format("head {}", head);
      out += fmt::format("<span class=\"part\">{}<small>{}</small><small>max {}</small></span>",
                         shown(a.maps[head][i], "head", name), escape_xml(name),
                         number_text(highest(a.maps[head][i]), 2));
    }
    out += "</span></span>\n";
  }
  return out + "</p></figcaption></figure>\n";
}

const char* const kPictureCss = R"css(
.look{position:relative;width:272px}
.look .base,.look .mean{width:240px;height:auto;display:block;border-radius:6px}
.look .base{image-rendering:pixelated}
.look .title{margin:8px 0 0;color:var(--faint);font-size:14px;overflow-wrap:anywhere}
.look .words{margin:6px 0 0;line-height:2}
.look .word{cursor:default;padding:3px 5px;border-radius:6px;white-space:pre-wrap}
.look .word:hover,.look .word:focus{background:var(--ink);color:var(--page);outline:none}
.look .word small{opacity:.65;font-size:11px;margin-left:3px;font-variant-numeric:tabular-nums;
white-space:nowrap}
.look .shown{display:none;position:absolute;left:16px;top:16px;z-index:1;pointer-events:none}
.look .word:hover .shown,.look .word:focus .shown{display:flex;gap:6px;align-items:flex-start}
.look .part{background:var(--ink);border-radius:6px;padding:3px;line-height:1.3}
.look .part small{display:block;text-align:center}
.look .head{width:117px;height:auto;border-radius:4px;display:block}
.thumb{width:48px;height:48px;object-fit:contain;border-radius:4px;display:block}
)css";

}  // namespace glass
