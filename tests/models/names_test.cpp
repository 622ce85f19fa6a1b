#include "models/names.h"

#include "tests/catch.h"

using namespace glass;

TEST_CASE("a list reads as one says it", "[names]") {
  CHECK(listed({}, " or ").empty());
  CHECK(listed({"a"}, " or ") == "a");
  CHECK(listed({"a", "b"}, " or ") == "a or b");
  CHECK(listed({"a", "b", "c"}, " and ") == "a, b and c");
}

TEST_CASE("a count is one thing or several", "[names]") {
  CHECK(counted(1, "head") == "1 head");
  CHECK(counted(2, "head") == "2 heads");
  CHECK(counted(0, "head") == "0 heads");
}

TEST_CASE("the names nearest to what was typed, capital or small", "[names]") {
  const std::vector<std::string> names = {"LSTM",    "LSTMCell",    "tanh",
                                          "softmax", "log_softmax", "lt"};
  CHECK(did_you_mean(names, "lstm") == "; did you mean LSTM or LSTMCell?");
  CHECK(did_you_mean(names, "TANH") == "; did you mean tanh?");
  CHECK(did_you_mean(names, "tnah") == "; did you mean tanh?");
  CHECK(did_you_mean(names, "SoftMax") == "; did you mean softmax or log_softmax?");
  CHECK(did_you_mean(names, "convolution").empty());
  CHECK(did_you_mean({"eq", "ge"}, "").empty());
}
