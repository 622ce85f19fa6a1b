#include "tensor/safetensors.h"

#include <bit>
#include <clocale>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>

#include "tensor/file.h"
#include "tests/catch.h"
#include "tests/skip.h"
#include "tests/tensor/safetensors_sample.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using Catch::Matchers::ContainsSubstring;
using glass::tests::put;
using glass::tests::sample;
using glass::tests::Scratch;

namespace {

// A file with the given header (not padded) and data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string out(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(out.data(), &length, 8);
  return out + header + data;
}

// The message that refuses a file of these bytes.
std::string refusal(const Scratch& folder, const std::string& bytes) {
  put(folder / "bad", bytes);
  try {
    load_safetensors(folder / "bad");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::environment);
    CHECK(e.op() == "load_safetensors");
    CHECK_THAT(e.what(), ContainsSubstring(folder / "bad"));
    return e.what();
  }
  return "loaded";
}

std::string refusal(const Scratch& folder, const std::string& header, size_t data_bytes) {
  return refusal(folder, file_of(header, std::string(data_bytes, '\0')));
}

// A header with one tensor "a".
std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

template <class T>
std::vector<uint64_t> bits(const Tensor& t) {
  std::vector<uint64_t> out;
  for (T x : t.to_vector<T>()) {
    uint64_t word = 0;
    std::memcpy(&word, &x, sizeof x);
    out.push_back(word);
  }
  return out;
}

// Decimal comma, thousands grouping.
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("the bytes of a file are those of the format", "[safetensors]") {
  const Scratch folder;
  NamedTensors content;
  content.metadata = {{"k", "v"}};
  content.add("b", Tensor::from<bool>({true, false, true}));
  content.add("x", Tensor::from<float>({1, -2}, {2, 1}));
  save_safetensors(folder / "t", content);
  // Worked out by hand: the wide type lies first, the header is padded to a multiple of 8.
  const std::string header =
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]},)"
      R"("x":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  REQUIRE(header.size() == 136);
  const std::string data("\x00\x00\x80\x3f\x00\x00\x00\xc0\x01\x00\x01", 11);
  CHECK(read_file(folder / "t") == std::string("\x88\0\0\0\0\0\0\0", 8) + header + data);

  content.metadata = {};
  save_safetensors(folder / "t", content);
  const std::string bytes = read_file(folder / "t");
  CHECK(bytes.substr(0, 8) == std::string("\x70\0\0\0\0\0\0\0", 8));
  CHECK(bytes.substr(8 + 110, 2) == "} ");
  CHECK(bytes.substr(8 + 112) == data);
}

TEST_CASE("everything comes back, in order", "[safetensors]") {
  const Scratch folder;
  const NamedTensors content = sample();
  save_safetensors(folder / "t", content);
  const NamedTensors back = load_safetensors(folder / "t");
  CHECK(back.metadata == content.metadata);
  REQUIRE(back.tensors.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(back.tensors[i].first == content.tensors[i].first);
    CHECK(back.tensors[i].second.dtype() == content.tensors[i].second.dtype());
    CHECK(back.tensors[i].second.shape() == content.tensors[i].second.shape());
  }
  CHECK(back.at("layers.0.weight").to_vector<float>() == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(back.at("mask").to_vector<bool>() == std::vector<bool>{true, false, true});
  CHECK(back.at("ids").to_vector<int64_t>() == std::vector<int64_t>{INT64_MIN, -1, INT64_MAX});
  CHECK(back.at("scale").item() == 0.1);
  CHECK(back.find("other") == nullptr);
  CHECK_THROWS_WITH(back.at("other"),
                    ContainsSubstring("other; there are: layers.0.weight, mask, ids, scale"));
}

TEST_CASE("views are saved as what they show", "[safetensors]") {
  const Scratch folder;
  const Tensor m = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  NamedTensors content;
  content.add("transpose", m.transpose(0, 1));
  content.add("columns", m.slice(1, 1));
  content.add("expanded", Tensor::scalar(7).expand({3}));
  content.add("every second", Tensor::arange(0, 7).slice(0, 0, kEnd, 2));
  content.add("row", m.select(0, 1));
  save_safetensors(folder / "t", content);
  const NamedTensors back = load_safetensors(folder / "t");
  CHECK(back.at("transpose").shape() == Shape{3, 2});
  CHECK(back.at("transpose").to_vector<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(back.at("columns").to_vector<float>() == std::vector<float>{2, 3, 5, 6});
  CHECK(back.at("expanded").to_vector<float>() == std::vector<float>{7, 7, 7});
  CHECK(back.at("every second").to_vector<int64_t>() == std::vector<int64_t>{0, 2, 4, 6});
  CHECK(back.at("row").to_vector<float>() == std::vector<float>{4, 5, 6});
}

TEST_CASE("odd shapes and odd values come back bit for bit", "[safetensors]") {
  const Scratch folder;
  using Limits = std::numeric_limits<float>;
  const float nan_with_payload = std::bit_cast<float>(0x7fc01234);
  const Tensor f32 = Tensor::from<float>({Limits::quiet_NaN(), nan_with_payload, Limits::infinity(),
                                          -Limits::infinity(), -0.0f, Limits::denorm_min(), 1e-40f,
                                          Limits::max()});
  const Tensor f64 = Tensor::from<double>({-0.0, 5e-324, NAN, -INFINITY, 0.1});
  NamedTensors content;
  content.add("empty", Tensor::empty({0, 3}));
  content.add("0d", Tensor::scalar(2));
  content.add("one", Tensor::ones({1}));
  content.add("f32", f32);
  content.add("f64", f64);
  content.add("8d", Tensor::ones({1, 2, 1, 1, 2, 1, 1, 1}));
  content.add("", Tensor::empty({0}, kBool));
  save_safetensors(folder / "t", content);
  const NamedTensors back = load_safetensors(folder / "t");
  CHECK(back.at("empty").shape() == Shape{0, 3});
  CHECK(back.at("0d").shape() == Shape{});
  CHECK(back.at("0d").item() == 2);
  CHECK(back.at("one").shape() == Shape{1});
  CHECK(bits<float>(back.at("f32")) == bits<float>(f32));
  CHECK(bits<double>(back.at("f64")) == bits<double>(f64));
  CHECK(back.at("8d").shape() == Shape{1, 2, 1, 1, 2, 1, 1, 1});
  CHECK(back.at("").dtype() == kBool);

  save_safetensors(folder / "none", {});
  CHECK(load_safetensors(folder / "none").tensors.empty());
}

TEST_CASE("saving twice gives identical bytes, in any locale", "[safetensors]") {
  const Scratch folder;
  NamedTensors content = sample();
  content.add("large", Tensor::zeros({1234, 1000}));
  save_safetensors(folder / "a", content);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  save_safetensors(folder / "b", content);
  const NamedTensors back = load_safetensors(folder / "b");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  CHECK(read_file(folder / "a") == read_file(folder / "b"));
  CHECK_THAT(read_file(folder / "b"), ContainsSubstring("\"shape\":[1234,1000]"));
  CHECK(back.at("scale").item() == 0.1);
  CHECK(back.at("large").shape() == Shape{1234, 1000});
}

TEST_CASE("what cannot be saved is refused and the old file stays", "[safetensors]") {
  const Scratch folder;
  save_safetensors(folder / "t", sample());
  const std::string old = read_file(folder / "t");
  auto refuse = [&](const std::string& name, const Tensor& tensor) {
    NamedTensors content = sample();
    content.add(name, tensor);
    try {
      save_safetensors(folder / "t", content);
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::caller);
      return std::string(e.what());
    }
    return std::string("saved");
  };
  const Tensor x = Tensor::ones({1});
  CHECK_THAT(refuse("mask", x), ContainsSubstring("a name occurs twice: mask"));
  CHECK_THAT(refuse("__metadata__", x), ContainsSubstring("__metadata__"));
  CHECK_THAT(refuse("none", Tensor()), ContainsSubstring("undefined tensor: none"));
  CHECK_THAT(refuse("\xff", x), ContainsSubstring("not UTF-8"));
  NamedTensors bad = sample();
  bad.metadata["x"] = "\xc3";
  CHECK_THROWS_WITH(save_safetensors(folder / "t", bad), ContainsSubstring("not UTF-8"));
  CHECK(read_file(folder / "t") == old);
  CHECK(folder.names() == std::vector<std::string>{"t"});
}

TEST_CASE("a header that lies about lengths is refused", "[safetensors]") {
  const Scratch folder;
  CHECK_THAT(refusal(folder, ""), ContainsSubstring("shorter than the length of a header"));
  CHECK_THAT(refusal(folder, "1234567"), ContainsSubstring("7 bytes"));
  CHECK_THAT(refusal(folder, std::string("\x0b\0\0\0\0\0\0\0{}", 10)),
             ContainsSubstring("header longer than the file"));
  CHECK_THAT(refusal(folder, std::string(16, '\xff')), ContainsSubstring("header too long"));
  CHECK_THAT(refusal(folder, std::string("\0\xe1\xf5\x05\0\0\0\0{}", 10)),  // 100 000 000
             ContainsSubstring("header longer than the file"));
  CHECK_THAT(refusal(folder, std::string("\1\xe1\xf5\x05\0\0\0\0{}", 10)),
             ContainsSubstring("header too long"));
  CHECK_THAT(refusal(folder, "", 0), ContainsSubstring("does not begin with {"));
  CHECK_THAT(refusal(folder, " {}", 0), ContainsSubstring("does not begin with {"));
  CHECK(refusal(folder, "{}   ", 0) == "loaded");
  CHECK_THAT(refusal(folder, "{}", 3), ContainsSubstring("bytes beyond the last tensor"));
}

TEST_CASE("a header that is no JSON of this form is refused", "[safetensors]") {
  const Scratch folder;
  for (const std::string header : {"{", "{]", "{}{}", "{'a':1}", "{\"a\":}", "{\"a\xff\":{}}",
                                   "{\"\\ud800\":{}}", "{\"a\" {}}", "{}x", "{\"a\":nul}"}) {
    INFO(header);
    CHECK_THAT(refusal(folder, header, 0), ContainsSubstring("not JSON"));
  }
  CHECK_THAT(refusal(folder, std::string("{}\0\0", 4), 0), ContainsSubstring("not JSON"));
  for (const std::string value : {"1", "-1", "1.5", "null", "true", "\"x\"", "[]", "[1]"}) {
    INFO(value);
    CHECK_THAT(refusal(folder, "{\"a\":" + value + "}", 0),
               ContainsSubstring("load_safetensors: "));
    CHECK(refusal(folder, "{\"__metadata__\":" + value + "}", 0) != "loaded");
    if (value[0] != '[') CHECK(refusal(folder, entry("F32", value, "[0,4]"), 4) != "loaded");
    if (value[0] != '"')
      CHECK_THAT(refusal(folder, "{\"__metadata__\":{\"k\":" + value + "}}", 0),
                 ContainsSubstring("load_safetensors: "));
    CHECK(refusal(folder, R"({"a":{"dtype":)" + value + R"(,"shape":[],"data_offsets":[0,4]}})",
                  4) != "loaded");
    CHECK(refusal(folder, entry("F32", "[]", value), 4) != "loaded");
  }
  CHECK_THAT(
      refusal(folder, R"({"a":{"dtype":"F32","shape":[1]}})", 4),
      ContainsSubstring("a field is missing: " + (folder / "bad") + ": \"a\" has no data_offsets"));
  CHECK_THAT(refusal(folder, R"({"a":{}})", 0), ContainsSubstring("\"a\" has no dtype"));
  CHECK_THAT(
      refusal(folder, R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":"1"}})", 4),
      ContainsSubstring("unknown field"));
}

TEST_CASE("a name that occurs twice is refused", "[safetensors]") {
  const Scratch folder;
  const std::string a = R"("a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]})";
  CHECK_THAT(refusal(folder, "{" + a + "," + a + "}", 1),
             ContainsSubstring("a name occurs twice: " + (folder / "bad") + ": \"a\""));
  CHECK_THAT(refusal(folder, R"({"__metadata__":{},"__metadata__":{}})", 0),
             ContainsSubstring("a name occurs twice"));
  CHECK_THAT(refusal(folder, R"({"__metadata__":{"k":"1","k":"2"}})", 0),
             ContainsSubstring("a name occurs twice"));
  CHECK_THAT(
      refusal(folder, R"({"a":{"dtype":"BOOL","dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})",
              1),
      ContainsSubstring("a name occurs twice"));
}

TEST_CASE("types that Glass has not are named", "[safetensors]") {
  const Scratch folder;
  for (const std::string type : {"F16", "BF16", "U8", "I32", "f32", ""}) {
    CHECK_THAT(
        refusal(folder, entry(type, "[1]", "[0,4]"), 4),
        ContainsSubstring("unknown type: " + (folder / "bad") + ": \"a\" is \"" + type + "\""));
  }
}

TEST_CASE("shapes that are negative, too large or too long are refused", "[safetensors]") {
  const Scratch folder;
  struct Row {
    std::string shape, offsets, message;
  };
  for (const auto& [shape, offsets, message] : {
           Row{"[-1]", "[0,4]", "negative number"},
           Row{"[1.0]", "[0,4]", "not a whole one"},
           Row{"[1e0]", "[0,4]", "not a whole one"},
           Row{"[18446744073709551616]", "[0,4]", "not a whole one"},
           Row{"[9223372036854775808]", "[0,4]", "number too large"},
           Row{"[9223372036854775807]", "[0,4]", "shape too large"},
           Row{"[4294967296,4294967296]", "[0,0]", "shape too large"},
           Row{"[4294967296,1073741824]", "[0,0]", "shape too large"},  // 2^62 elements, 2^64 bytes
           Row{"[0,4294967296,4294967296]", "[0,0]", "shape too large"},
           Row{"[1000000000]", "[0,4]", "do not fit the shape"},
           Row{"[1,1,1,1,1,1,1,1,1]", "[0,4]", "list too long"},
           Row{"[[1]]", "[0,4]", "a list at"},
       }) {
    INFO(shape);
    CHECK_THAT(refusal(folder, entry("F32", shape, offsets), 4), ContainsSubstring(message));
  }
}

TEST_CASE("offsets that are out of range, overlap or leave gaps are refused", "[safetensors]") {
  const Scratch folder;
  for (const std::string offsets :
       {"[0,8]", "[4,0]", "[4,8]", "[0,9223372036854775807]", "[9223372036854775807,0]"}) {
    INFO(offsets);
    CHECK_THAT(refusal(folder, entry("F32", "[1]", offsets), 4), ContainsSubstring("out of range"));
  }
  for (const std::string offsets : {"[0]", "[]", "[0,4,4]"})
    CHECK_THAT(refusal(folder, entry("F32", "[1]", offsets), 4), ContainsSubstring("two numbers"));
  CHECK_THAT(refusal(folder, entry("F32", "[1]", "[-4,0]"), 4),
             ContainsSubstring("negative number"));
  CHECK_THAT(refusal(folder, entry("F32", "[1]", "[0,3]"), 4),
             ContainsSubstring("\"a\" [1] of float32 takes 4 bytes, not 3"));
  auto two = [&](const std::string& first, const std::string& second, size_t bytes) {
    return refusal(folder,
                   R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)" + first +
                       R"(},"b":{"dtype":"F32","shape":[1],"data_offsets":)" + second + "}}",
                   bytes);
  };
  CHECK(two("[4,8]", "[0,4]", 8) == "loaded");
  CHECK_THAT(two("[0,4]", "[0,4]", 4), ContainsSubstring("data overlap"));
  CHECK_THAT(two("[0,4]", "[2,6]", 8), ContainsSubstring("\"b\" begins at 2, should be at 4"));
  CHECK_THAT(two("[0,4]", "[6,10]", 10), ContainsSubstring("gap in the data"));
  CHECK_THAT(two("[1,5]", "[5,9]", 9), ContainsSubstring("gap in the data"));
  CHECK_THAT(two("[0,4]", "[4,8]", 9), ContainsSubstring("bytes beyond the last tensor"));
  CHECK_THAT(two("[0,4]", "[4,8]", 7), ContainsSubstring("out of range"));
}

TEST_CASE("a BOOL byte other than 0 and 1 is refused", "[safetensors]") {
  const Scratch folder;
  const std::string header = entry("BOOL", "[2]", "[0,2]");
  CHECK(refusal(folder, file_of(header, std::string("\1\0", 2))) == "loaded");
  CHECK_THAT(refusal(folder, file_of(header, "\1\2")), ContainsSubstring("holds 2"));
}

TEST_CASE("deep nesting and long names neither crash nor flood the message", "[safetensors]") {
  const Scratch folder;
  const std::string open(1000000, '['), brace = "{\"a\":";
  CHECK_THAT(refusal(folder, brace + open, 0), ContainsSubstring("a list at"));
  CHECK_THAT(refusal(folder, entry("F32", open, "[0,4]"), 4), ContainsSubstring("a list at"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += brace;
  CHECK_THAT(refusal(folder, objects, 0), ContainsSubstring("unknown field"));
  CHECK_THAT(refusal(folder, "{\"__metadata__\":" + objects, 0), ContainsSubstring("an object at"));
  const std::string name(1000000, 'n');
  CHECK(refusal(folder, "{\"" + name + "\":1}", 0).size() < 400);
  CHECK_THAT(refusal(folder, "{\"\\u001b[31m\":1}", 0), ContainsSubstring("\\u001b[31m"));
  // A shape of fifty million numbers ends at the ninth.
  std::string ones = "[1";
  for (int i = 0; i < 1000000; ++i) ones += ",1";
  CHECK_THAT(refusal(folder, entry("F32", ones + "]", "[0,4]"), 4),
             ContainsSubstring("list too long"));
}

TEST_CASE("missing files and folders are errors of the environment", "[safetensors]") {
  const Scratch folder;
  CHECK_THROWS_WITH(load_safetensors(folder / "none"),
                    "load_safetensors: cannot open the file: " + (folder / "none") +
                        " (No such file or directory)");
  CHECK_THROWS_WITH(load_safetensors(folder.path()), ContainsSubstring("Is a directory"));
}

TEST_CASE("the reference cases load", "[safetensors][reference]") {
  const char* given = std::getenv("GLASS_REFERENCE");
  const std::string path = given ? given : std::string(GLASS_SOURCE_DIR) + "/tests/reference";
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    if (file.path().extension() != ".safetensors") continue;
    const NamedTensors content = load_safetensors(file.path().string());
    INFO(file.path().string());
    CHECK(content.metadata.count("op") == 1);
    CHECK(!content.tensors.empty());
    ++files;
  }
  CHECK(files > 0);
}
