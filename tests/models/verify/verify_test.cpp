#include "models/verify/verify.h"

#include <cstdlib>
#include <filesystem>

#include "models/registry.h"
#include "tests/values.h"

using namespace glass;
using namespace glass::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string reference_folder() {
  const char* given = std::getenv("GLASS_REFERENCE");
  return given ? given : text(GLASS_SOURCE_DIR, "/tests/reference");
}

Recorded recorded(const char* name) {
  return read_recorded(text(GLASS_SOURCE_DIR, "/tests/reference/", name, ".safetensors"));
}

// The tensor of that name, as its own copy, to change.
Tensor own(Recorded& r, const std::string& name) {
  for (auto& [key, tensor] : r.file.tensors)
    if (key == name) return tensor = tensor.clone();
  FAIL("no tensor " << name);
  return {};
}

void check_message(const Recorded& r, Coverage coverage, const std::string& piece) {
  const Verified result = verify(r, all_entries());
  CHECK(result.coverage == coverage);
  CHECK_THAT(result.message, ContainsSubstring(piece));
}

}  // namespace

TEST_CASE("nothing that is covered differs from PyTorch", "[verify][reference]") {
  for (const std::string& path : recorded_files({reference_folder()})) {
    const Recorded r = read_recorded(path);
    const Verified result = verify(r, all_entries());
    INFO(r.path << ": " << result.message);
    CHECK((result.coverage == Coverage::passed ||
           (result.coverage == Coverage::not_covered && r.tagged("extra"))));
    if (r.file.metadata.at("dtype") == "float64" && r.rtol <= 1e-9) CHECK(result.worst <= 1e-9);
  }
}

TEST_CASE("verify names the tensor, the index and both values", "[verify]") {
  for (const char* name : {"out.0", "grad.input", "ggrad.input"}) {
    Recorded r = recorded("sigmoid__00");
    const Tensor changed = own(r, name);
    const double before = changed.data<double>()[1];
    changed.data<double>()[1] = before * (1 + 1e-4) + 1e-4;
    check_message(r, Coverage::failed, text(name, '['));
    check_message(r, Coverage::failed, ": is ");
    check_message(r, Coverage::failed, ", recorded ");
  }
}

TEST_CASE("verify sees outputs, shapes and types that differ", "[verify]") {
  Recorded shape = recorded("sigmoid__00");
  for (auto& [name, tensor] : shape.file.tensors)
    if (name == "out.0") tensor = tensor.unsqueeze(0);
  check_message(shape, Coverage::failed, "out.0: shape is ");
  Recorded type = recorded("sigmoid__00");
  for (auto& [name, tensor] : type.file.tensors)
    if (name == "out.0") tensor = tensor.to(kFloat32);
  check_message(type, Coverage::failed, "out.0: type is float64, recorded float32");
  Recorded more = recorded("sigmoid__00");
  more.file.add("out.1", Tensor::zeros({2}));
  check_message(more, Coverage::failed, "out.1: is missing");
  Recorded fewer = recorded("sigmoid__00");
  std::erase_if(fewer.file.tensors, [](const auto& named) { return named.first == "out.0"; });
  check_message(fewer, Coverage::failed, "gives 1 outputs, recorded are 0");
}

TEST_CASE("verify takes no argument for covered that nobody read", "[verify]") {
  Recorded r = recorded("sigmoid__00");
  r.arguments["slope"] = {2.0};
  check_message(r, Coverage::not_covered, "argument slope");
  r.arguments["slope"] = {};  // None: as if absent
  CHECK(verify(r, all_entries()).coverage == Coverage::passed);
  r.op = "hyperbolic";
  check_message(r, Coverage::not_covered, "not covered");
  Recorded missing = recorded("sigmoid__00");
  std::erase_if(missing.file.tensors, [](const auto& named) { return named.first == "in.input"; });
  check_message(missing, Coverage::failed, "no input of this name: input");
}

TEST_CASE("verify passes over nothing that is recorded", "[verify]") {
  for (const char* name : {"out.5", "ggrad.foo", "param.foo", "post.foo", "grad.foo", "banana"}) {
    Recorded r = recorded("sigmoid__00");
    r.file.add(name, Tensor::zeros({2}));
    check_message(r, Coverage::failed, name);
  }
}

TEST_CASE("verify notices an optimiser that steps wrongly", "[verify]") {
  for (const char* name : {"optim.Adam__00", "optim.RMSprop__00", "optim.Adagrad__00",
                           "optim.Adadelta__00", "lr_scheduler.OneCycleLR__00"}) {
    Recorded r = recorded(name);
    CHECK(verify(r, all_entries()).coverage == Coverage::passed);
    const bool schedule = r.file.find("out.lr_used") != nullptr;
    const std::string output = schedule ? "out.lr_used" : "out.param";
    own(r, output).data<double>()[3] *= 1.001;
    check_message(r, Coverage::failed, output);
  }
}

TEST_CASE("equal infinities and two NaN are equal", "[verify]") {
  const double inf = INFINITY, nan = NAN;
  const auto says = [](std::vector<double> got, std::vector<double> want) {
    double worst = 0;
    const Shape shape{static_cast<int64_t>(got.size())};
    return difference("x", Tensor::from(got, shape), Tensor::from(want, shape), 1e-6, 1e-9, worst);
  };
  CHECK(says({inf, -inf, nan, 1}, {inf, -inf, nan, 1 + 1e-8}).empty());
  CHECK_THAT(says({inf}, {-inf}), ContainsSubstring("x[0]: is inf, recorded -inf"));
  CHECK_THAT(says({1, nan}, {1, 2}), ContainsSubstring("x[1]: is nan, recorded 2"));
  CHECK_THAT(says({1, 2}, {1, nan}), ContainsSubstring("x[1]"));
  CHECK_THAT(says({1, 2.5}, {1, inf}), ContainsSubstring("x[1]"));
}

TEST_CASE("verify refuses files that are no recorded calls", "[verify]") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "glass_verify_test.safetensors").string();
  NamedTensors plain;
  plain.add("out.0", Tensor::zeros({2}));
  save_safetensors(path, plain);
  CHECK_THROWS_WITH(read_recorded(path),
                    ContainsSubstring("no metadata of this name") && ContainsSubstring("op"));
  plain.metadata = {{"op", "tanh"}, {"rtol", "1e-9"}, {"atol", "0"}, {"kwargs", "{\"a\": "}};
  save_safetensors(path, plain);
  CHECK_THROWS_WITH(read_recorded(path), ContainsSubstring("kwargs: is not JSON"));
  plain.metadata["kwargs"] = "{}";
  plain.metadata["rtol"] = "-1";
  save_safetensors(path, plain);
  CHECK_THROWS_WITH(read_recorded(path),
                    ContainsSubstring("rtol must be a number of at least 0: got -1"));
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(recorded_files({"/nowhere"}), ContainsSubstring("/nowhere"));
  CHECK_THROWS_WITH(recorded_files({text(GLASS_SOURCE_DIR, "/docs")}),
                    ContainsSubstring("no *.safetensors"));
}
