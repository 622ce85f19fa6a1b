// The code that docs/add_a_layer.md shows, compiled and run.
#include <sstream>

#include "autograd/gradcheck.h"
#include "models/cli/gradcheck_command.h"
#include "nn/linear.h"
#include "nn/samples.h"
#include "tests/catch.h"

// DOC: the layer
namespace glass {

/// Srivastava, Greff and Schmidhuber 2015, equation 3, with C = 1 - T:
///   y = T(x)·H(x) + (1 - T(x))·x,  H = tanh(W·x + b),  T = σ(V·x + c)
class Highway : public Module {
 public:
  Highway(int64_t size, Generator& generator)
      : transform(size, size, true, generator), gate(size, size, true, generator) {
    gate.bias.value().fill_(-1);  // lets the input through at first
  }
  void visit(Visitor& v) override {
    v("transform", transform);
    v("gate", gate);
  }
  Var operator()(const Var& x) const {
    const Var t = sigmoid(gate(x));
    return t * tanh(transform(x)) + (1.0 - t) * x;
  }

  Linear transform, gate;
};

}  // namespace glass
// DOC: end

// DOC: the entry
namespace glass {

static std::vector<Entry> highway_entries() {
  Generator g;
  Highway shaped(3, g);
  Sample sample{};
  sample.label = "batch";
  sample.inputs = {{{4, 3}}};
  for (Input& input : parameter_inputs(shaped)) sample.inputs.push_back(std::move(input));
  sample.f = [](const Vars& in) {
    Generator unused;
    Highway layer(3, unused);
    bind_parameters(layer, in, 1);
    return Vars{layer(in[0])};
  };
  return {{.name = "Highway",
           .kind = EntryKind::layer,
           .formula = "y = σ(V·x + c)·tanh(W·x + b) + (1 - σ(V·x + c))·x",
           .gradient = "as Linear, sigmoid, tanh",
           .samples = {std::move(sample)}}};
}

}  // namespace glass
// DOC: end

using namespace glass;

TEST_CASE("the new layer of the documentation passes its gradient check", "[docs]") {
  std::ostringstream out;
  INFO(out.str());
  CHECK(run_gradcheck(highway_entries(), {"Highway"}, out) == 0);
  Generator g;
  Highway layer(3, g);
  CHECK(layer.named_parameters().size() == 4);
  CHECK(layer.named_parameters()[0].first == "transform.weight");
}
