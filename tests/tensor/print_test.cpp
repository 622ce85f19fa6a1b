// The expected texts are those of NumPy 1.24's array2string (precision 4, separator ", ").
#include <cmath>
#include <locale>
#include <sstream>

#include "tensor/tensor.h"
#include "tests/catch.h"

using namespace glass;

namespace {

std::string floats(std::initializer_list<float> values) {
  return to_string(Tensor::from<float>(values));
}

}  // namespace

TEST_CASE("columns are aligned at the point, zeros at the end dropped", "[print]") {
  CHECK(to_string(Tensor::from<float>({1, 2.5, -3.25, 100}, {2, 2})) ==
        "[[  1.  ,   2.5 ],\n"
        " [ -3.25, 100.  ]]");
  CHECK(floats({1 / 3.f, 2 / 3.f, 1}) == "[0.3333, 0.6667, 1.    ]");
  CHECK(floats({1, 2, -3}) == "[ 1.,  2., -3.]");
  CHECK(floats({-0.0f, 0}) == "[-0.,  0.]");
  CHECK(to_string(Tensor::from<double>({9.99999, 1.5})) == "[10. ,  1.5] float64");
}

TEST_CASE("numbers that plain digits would hide get an exponent", "[print]") {
  CHECK(floats({1e-10f, 2.25f, 1}) == "[1.00e-10, 2.25e+00, 1.00e+00]");
  CHECK(floats({1e8f, 1e8f}) == "[1.e+08, 1.e+08]");
  CHECK(floats({99999999e-2f, 1e5f}) == "[1000000.,  100000.]");
  CHECK(floats({1000, 1}) == "[1000.,    1.]");
  CHECK(floats({1001, 1}) == "[1.001e+03, 1.000e+00]");
  CHECK(floats({0.00009f, 0}) == "[9.e-05, 0.e+00]");
  CHECK(to_string(Tensor::from<double>({9.99999e10, 1.5})) == "[1.0e+11, 1.5e+00] float64");
  CHECK(to_string(Tensor::from<double>({1.7976931348623157e308, 5e-324})) ==
        "[1.7977e+308, 4.9407e-324] float64");
}

TEST_CASE("nan and inf stand in the column", "[print]") {
  CHECK(floats({NAN, 1.25, INFINITY, -INFINITY}) == "[ nan, 1.25,  inf, -inf]");
  CHECK(floats({NAN, INFINITY}) == "[nan, inf]");
  CHECK(floats({NAN, 1e10, -INFINITY}) == "[   nan, 1.e+10,   -inf]");
}

TEST_CASE("types other than float32 are named", "[print]") {
  CHECK(to_string(Tensor::from<int64_t>({1, -20, 300, 4}, {2, 2})) ==
        "[[  1, -20],\n"
        " [300,   4]] int64");
  CHECK(to_string(Tensor::from<int64_t>({INT64_MIN, INT64_MAX})) ==
        "[-9223372036854775808,  9223372036854775807] int64");
  CHECK(to_string(Tensor::from<bool>({true, false, false, false}, {2, 2})) ==
        "[[ True, False],\n"
        " [False, False]] bool");
  CHECK(to_string(Tensor::from<bool>({true, true})) == "[True, True] bool");
  CHECK(to_string(Tensor::from<double>({M_PI, 10 * M_E})) == "[ 3.1416, 27.1828] float64");
}

TEST_CASE("each dimension has its brackets, and matrices an empty line between them", "[print]") {
  CHECK(to_string(Tensor::arange(0, 8).reshape({2, 2, 2})) ==
        "[[[0, 1],\n"
        "  [2, 3]],\n"
        "\n"
        " [[4, 5],\n"
        "  [6, 7]]] int64");
  CHECK(to_string(Tensor::arange(0, 4, 1, kFloat32).reshape({2, 1, 2, 1})) ==
        "[[[[0.],\n"
        "   [1.]]],\n"
        "\n"
        "\n"
        " [[[2.],\n"
        "   [3.]]]]");
  CHECK(to_string(Tensor::full({1, 1, 1, 1, 1, 1, 1, 1}, 7)) == "[[[[[[[[7.]]]]]]]]");
}

TEST_CASE("0-d, empty and undefined tensors print as well", "[print]") {
  CHECK(to_string(Tensor::scalar(2.5)) == "2.5");
  CHECK(to_string(Tensor::scalar(3)) == "3.");
  CHECK(to_string(Tensor::scalar(NAN, kFloat64)) == "nan float64");
  CHECK(to_string(Tensor::scalar(M_PI)) == "3.1416");
  CHECK(to_string(Tensor::scalar(1, kBool)) == "True bool");
  CHECK(to_string(Tensor::empty({0})) == "[]");
  CHECK(to_string(Tensor::empty({0, 3})) == "[] shape [0, 3]");
  CHECK(to_string(Tensor::empty({2, 0}, kInt64)) == "[] shape [2, 0] int64");
  CHECK(to_string(Tensor()) == "undefined");
}

TEST_CASE("long rows are wrapped below their first element", "[print]") {
  CHECK(to_string(Tensor::arange(0, 40)) ==
        "[ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        " 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,\n"
        " 36, 37, 38, 39] int64");
  CHECK(to_string(Tensor::arange(0, 60000, 1000).reshape({2, 30})) ==
        "[[    0,  1000,  2000,  3000,  4000,  5000,  6000,  7000,  8000,  9000,\n"
        "  10000, 11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000,\n"
        "  20000, 21000, 22000, 23000, 24000, 25000, 26000, 27000, 28000, 29000],\n"
        " [30000, 31000, 32000, 33000, 34000, 35000, 36000, 37000, 38000, 39000,\n"
        "  40000, 41000, 42000, 43000, 44000, 45000, 46000, 47000, 48000, 49000,\n"
        "  50000, 51000, 52000, 53000, 54000, 55000, 56000, 57000, 58000, 59000]] int64");
}

TEST_CASE("more than 1000 elements are shown by the ends of each axis", "[print]") {
  CHECK(to_string(Tensor::arange(0, 1001)) == "[   0,    1,    2, ...,  998,  999, 1000] int64");
  CHECK(to_string(Tensor::arange(0, 1000)).find("...") == std::string::npos);
  const std::string table =
      "[[   0,    1,    2, ...,   37,   38,   39],\n"
      " [  40,   41,   42, ...,   77,   78,   79],\n"
      " [  80,   81,   82, ...,  117,  118,  119],\n"
      " ...,\n"
      " [1480, 1481, 1482, ..., 1517, 1518, 1519],\n"
      " [1520, 1521, 1522, ..., 1557, 1558, 1559],\n"
      " [1560, 1561, 1562, ..., 1597, 1598, 1599]] int64";
  CHECK(to_string(Tensor::arange(0, 1600).reshape({40, 40})) == table);
  // An axis of up to six is shown whole.
  const std::string cube = to_string(Tensor::arange(0, 1200).reshape({6, 10, 20}));
  CHECK(cube.find("\n\n ...") == std::string::npos);
  CHECK(cube.find("1000, 1001, 1002, ..., 1017, 1018, 1019") != std::string::npos);
  // Quick for any size, and only what is shown decides the format.
  CHECK(to_string(Tensor::zeros({1}).expand({1 << 20, 1 << 20})).size() < 500);
}

TEST_CASE("a view prints what it shows", "[print]") {
  const Tensor m = Tensor::arange(0, 6).reshape({2, 3});
  CHECK(to_string(m.transpose(0, 1)) ==
        "[[0, 3],\n"
        " [1, 4],\n"
        " [2, 5]] int64");
  CHECK(to_string(m.slice(1, 0, kEnd, 2).select(0, 1)) == "[3, 5] int64");
  CHECK(to_string(Tensor::scalar(7).expand({2, 2})) ==
        "[[7., 7.],\n"
        " [7., 7.]]");
}

TEST_CASE("the stream's and the program's locale do not matter", "[print]") {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale german(std::locale::classic(), new Comma);
  const std::locale before = std::locale::global(german);
  std::ostringstream out;
  out.imbue(german);
  out << Tensor::from<double>({1234.5, 2}) << Tensor::empty({0, 12345})
      << Tensor::scalar(1234567, kInt64);
  std::locale::global(before);
  CHECK(out.str() == "[1234.5,    2. ] float64[] shape [0, 12345]1234567 int64");
}
