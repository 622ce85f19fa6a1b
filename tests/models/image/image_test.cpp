#include "models/image/image.h"

#include <filesystem>

#include "models/image/formats.h"
#include "models/image/orientation.h"
#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/models/image/files.h"

using namespace glass;
using tests::decoded;
using tests::png_chunk;
using tests::png_file;
using tests::reds;
using Bytes = std::vector<uint8_t>;

TEST_CASE("PNG: every colour type and depth becomes 8-bit RGB", "[image]") {
  CHECK(decoded(png_file(1, 1, 8, 0, {"\xc8"})).rgb == Bytes{200, 200, 200});
  CHECK(decoded(png_file(1, 1, 8, 2, {"\x01\x02\x03"})).rgb == Bytes{1, 2, 3});
  const std::string palette = png_chunk("PLTE", {9, 8, 7, '\xc8', 100, 50});
  CHECK(decoded(png_file(2, 1, 8, 3, {std::string{1, 0}}, palette)).rgb ==
        Bytes{200, 100, 50, 9, 8, 7});
  CHECK(decoded(png_file(2, 1, 1, 3, {std::string{'\x80'}}, palette)).rgb ==
        Bytes{200, 100, 50, 9, 8, 7});
  CHECK(reds(decoded(png_file(2, 1, 16, 0, {"\x12\x34\xab\xcd"}))) == std::vector<int>{18, 171});
  CHECK(decoded(png_file(1, 1, 16, 2, {"\x12\x34\xab\xcd\xff\xff"})).rgb == Bytes{18, 171, 255});
  CHECK(reds(decoded(png_file(10, 1, 1, 0, {std::string{'\xaa', '\x80'}}))) ==
        std::vector<int>{255, 0, 255, 0, 255, 0, 255, 0, 255, 0});
  CHECK(reds(decoded(png_file(1, 1, 2, 0, {"\x80"}))) == std::vector<int>{170});
  CHECK(reds(decoded(png_file(1, 1, 4, 0, {"\x90"}))) == std::vector<int>{153});
}

TEST_CASE("PNG: transparency is laid on white", "[image]") {
  CHECK(decoded(png_file(1, 1, 8, 4, {"\x14\x01"})).rgb == Bytes{254, 254, 254});  // 254.08
  CHECK(decoded(png_file(1, 1, 8, 4, {"\x14\xff"})).rgb == Bytes{20, 20, 20});
  CHECK(decoded(png_file(1, 1, 8, 6, {std::string("\x0a\x64\xc8\x00", 4)})).rgb ==
        Bytes{255, 255, 255});
  CHECK(decoded(png_file(1, 1, 8, 6, {"\x0a\x64\xc8\x80"})).rgb == Bytes{132, 177, 227});
  CHECK(reds(decoded(png_file(1, 1, 16, 4, {"\x80\x80\xff\xff"}))) == std::vector<int>{128});
  // A palette with transparency, and a grey that stands for it.
  const std::string palette = png_chunk("PLTE", {9, 8, 7, '\xc8', 100, 50});
  CHECK(reds(decoded(png_file(2, 1, 8, 3, {std::string{1, 0}},
                              palette + png_chunk("tRNS", std::string{0})))) ==
        std::vector<int>{200, 255});
  CHECK(reds(decoded(png_file(2, 1, 8, 0, {"\x07\x08"}, png_chunk("tRNS", {0, 7})))) ==
        std::vector<int>{255, 8});
}

TEST_CASE("PNG: interlaced is plain, and rows are not columns", "[image]") {
  std::vector<std::vector<uint8_t>> grey(9, std::vector<uint8_t>(11));
  std::vector<std::string> rows(9);
  for (size_t y = 0; y < 9; ++y)
    for (size_t x = 0; x < 11; ++x) {
      grey[y][x] = static_cast<uint8_t>(20 * y + x);
      rows[y] += static_cast<char>(grey[y][x]);
    }
  CHECK(decoded(tests::interlaced_png(grey)) == decoded(png_file(11, 9, 8, 0, rows)));
  const Image image = decoded(png_file(2, 3, 8, 0, {"\x01\x02", "\x03\x04", "\x05\x06"}));
  CHECK(image.height == 3);
  CHECK(image.width == 2);
  CHECK(reds(image) == std::vector<int>{1, 2, 3, 4, 5, 6});
  CHECK(*image.at(1, 1) == 4);
}

TEST_CASE("EXIF orientation turns pictures of both formats", "[image]") {
  const std::vector<std::string> rows = {std::string("\x00\x0a\x14\x1e", 4), "\x28\x32\x3c\x46"};
  const auto with = [&](int orientation, bool little) {
    return decoded(
        png_file(4, 2, 8, 0, rows, png_chunk("eXIf", tests::exif_data(orientation, little))));
  };
  const std::vector<std::vector<int>> expected = {
      {0, 10, 20, 30, 40, 50, 60, 70}, {30, 20, 10, 0, 70, 60, 50, 40},
      {70, 60, 50, 40, 30, 20, 10, 0}, {40, 50, 60, 70, 0, 10, 20, 30},
      {0, 40, 10, 50, 20, 60, 30, 70}, {40, 0, 50, 10, 60, 20, 70, 30},
      {70, 30, 60, 20, 50, 10, 40, 0}, {30, 70, 20, 60, 10, 50, 0, 40}};
  for (int orientation = 1; orientation <= 8; ++orientation)
    for (const bool little : {true, false}) {
      const Image image = with(orientation, little);
      INFO("orientation " << orientation);
      CHECK(reds(image) == expected[static_cast<size_t>(orientation - 1)]);
      CHECK(image.width == (orientation < 5 ? 4 : 2));
    }
  CHECK(reds(with(9, true)) == expected[0]);  // no such orientation
  Bytes data(16 * 8, 20);
  for (size_t i = 0; i < 8; ++i) data[16 * i] = 220;  // a bright left edge
  const Image turned_right = decoded(tests::jpeg_file(16, 8, 1, data, 6));
  CHECK(turned_right.height == 16);
  CHECK(turned_right.width == 8);
  CHECK(std::abs(*turned_right.at(0, 4) - 220) < 6);
  CHECK(std::abs(*turned_right.at(15, 4) - 20) < 6);
  CHECK(exif_orientation({}) == 1);
  const std::string exif = tests::exif_data(6, false);
  for (size_t n = 0; n < exif.size(); ++n)  // cut anywhere: no crash
    CHECK(exif_orientation(std::as_bytes(std::span(exif.data(), n))) >= 1);
}

TEST_CASE("JPEG: grey, colour, four inks, progressive", "[image]") {
  const Image grey = decoded(tests::jpeg_file(8, 8, 1, Bytes(64, 90)));
  CHECK(grey.rgb == Bytes(192, 90));
  Bytes data;
  for (int i = 0; i < 16 * 8; ++i) data.insert(data.end(), {200, 30, 60});
  for (const bool progressive : {false, true}) {
    const Image colour = decoded(tests::jpeg_file(16, 8, 3, data, 0, progressive));
    CHECK(colour.width == 16);
    CHECK(colour.height == 8);
    for (size_t i = 0; i < colour.rgb.size(); ++i)
      CHECK(std::abs(int{colour.rgb[i]} - int{data[i]}) <= 2);
  }
  // 51, 102 and 204 of 255 parts of light pass the inks, half of it the black.
  Bytes inks;
  for (int i = 0; i < 64; ++i) inks.insert(inks.end(), {51, 102, 204, 128});
  const std::string adobe = tests::jpeg_file(8, 8, 4, inks);
  const Image printed = decoded(adobe);
  for (size_t c = 0; c < 3; ++c)
    CHECK(std::abs(int{printed.rgb[c]} - int{Bytes{26, 51, 102}[c]}) <= 2);
}

TEST_CASE("Damaged and absurd pictures are refused whole", "[image]") {
  const auto refused = [](const std::string& bytes) {
    try {
      decoded(bytes);
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::environment);
      CHECK(std::string(e.what()).find("test.png") != std::string::npos);
      return std::string(e.relation());
    }
    return std::string("taken");
  };
  std::vector<std::string> rows;
  for (int y = 0; y < 20; ++y) {
    rows.emplace_back();
    for (int x = 0; x < 20; ++x) rows.back() += static_cast<char>(x * y);
  }
  const std::string good = png_file(20, 20, 8, 0, rows);
  REQUIRE(refused(good) == "taken");
  for (size_t n = 0; n < good.size(); ++n) CHECK(refused(good.substr(0, n)) != "taken");
  for (size_t at = 8; at < good.size(); ++at) {  // one bit wrong anywhere behind the signature
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 16);
    INFO("byte " << at);
    CHECK(refused(bad) != "taken");
  }
  Bytes data;
  for (int i = 0; i < 24 * 24; ++i) data.push_back(static_cast<uint8_t>(i * 7));
  const std::string jpeg = tests::jpeg_file(24, 24, 1, data);
  REQUIRE(refused(jpeg) == "taken");
  for (size_t n = 0; n < jpeg.size(); ++n) CHECK(refused(jpeg.substr(0, n)) != "taken");
  CHECK(refused("") == "the file is empty");
  CHECK(refused("just text") == "the file is neither PNG nor JPEG");
  CHECK(refused(png_file(0x7fffffff, 0x7fffffff, 8, 2, {"\x01\x02\x03"})) != "taken");
  CHECK(refused(png_file(30000, 30000, 8, 0, {"\x01"})) == "the size is absurd for this file");
  CHECK(refused(png_file(8000, 8000, 8, 0, {"\x01"})) == "the size is absurd for this file");
  CHECK(refused(png_file(0, 1, 8, 0, {"\x01"})) != "taken");
  CHECK(refused(png_file(2, 2, 8, 0, {"\x01\x02"})) != "taken");         // a row is missing
  CHECK(refused(png_file(2, 1, 8, 3, {std::string{1, 0}})) != "taken");  // no palette
  CHECK_THROWS_AS(read_image("/no/such/file.png"), Error);
}

TEST_CASE("PNG written is PNG read", "[image]") {
  Image image(3, 5, 0);
  for (size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<uint8_t>(i * 17);
  CHECK(decoded(encode_png(image)) == image);
  const std::string path = std::filesystem::temp_directory_path() / "glass_image_test.png";
  write_png(path, image);
  CHECK(read_image(path) == image);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(encode_png(Image()), Error);
}

TEST_CASE("Pictures as tensors", "[image]") {
  Image image(1, 2, 0);
  image.rgb = {0, 51, 255, 102, 153, 204};
  const Tensor x = to_tensor(image);
  CHECK(x.shape() == Shape{3, 1, 2});
  CHECK(x.at({0, 0, 1}) == Approx(0.4));
  CHECK(x.at({1, 0, 0}) == Approx(0.2));
  CHECK(to_image(x) == image);
  CHECK(to_image(Tensor::full({3, 1, 1}, 1.7)).rgb == Bytes{255, 255, 255});
  const Tensor batch = image_batch({&image, &image});
  CHECK(batch.shape() == Shape{2, 3, 1, 2});
  CHECK(batch.at({1, 2, 0, 0}) == Approx(1));
  CHECK(batch.at({0, 0, 0, 0}) == Approx(-1));
  const Image other(2, 1, 0);
  CHECK_THROWS_AS(image_batch({&image, &other}), Error);
  CHECK_THROWS_AS(image_batch({}), Error);
  CHECK_THROWS_AS(Image(0, 4, 0), Error);
  CHECK_THROWS_AS(Image(int64_t{1} << 40, int64_t{1} << 40, 0), Error);
}
