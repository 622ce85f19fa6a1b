#include <random>

#include "tensor/file.h"
#include "tensor/safetensors.h"
#include "tests/catch.h"
#include "tests/tensor/safetensors_sample.h"
#include "tests/tensor/scratch.h"

using namespace glass;
using glass::tests::put;
using glass::tests::sample;
using glass::tests::Scratch;

TEST_CASE("damaged files are refused or read, whatever the damage", "[safetensors][fuzz]") {
  const Scratch folder;
  save_safetensors(folder / "t", sample());
  const std::string good = read_file(folder / "t");
  int loaded = 0, refused = 0;
  auto attempt = [&](const std::string& bytes) {
    put(folder / "x", bytes);
    try {
      load_safetensors(folder / "x");
      ++loaded;
    } catch (const Error& e) {
      ++refused;
      REQUIRE(e.kind() == ErrorKind::environment);
    }
  };
  for (size_t length = 0; length < good.size(); ++length) attempt(good.substr(0, length));
  CHECK(loaded == 0);
  const unsigned seed = 20240607;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const size_t header =
      8 + static_cast<unsigned char>(good[0]) + 256u * static_cast<unsigned char>(good[1]);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    // Mostly in the header, where it hurts.
    const size_t reach = round % 4 ? header : bytes.size();
    for (unsigned n = random() % 3; n < 3; ++n) {
      const size_t place = random() % reach;
      switch (random() % 4) {
        case 0:
          bytes[place] = static_cast<char>(bytes[place] ^ (1 << random() % 8));
          break;
        case 1:
          bytes[place] = "0123456789-[]{},:\"eE.\\ \0\xff"[random() % 25];
          break;
        case 2:
          bytes.erase(place, 1 + random() % 4);
          break;
        default:
          bytes.insert(place, bytes.substr(random() % bytes.size(), random() % 16));
      }
    }
    attempt(bytes);
  }
  // Flips in the data load: the test must be able to see both ends.
  CHECK(loaded > 50);
  CHECK(refused > 1000);
}
