#include <fmt/core.h>

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app{"Glass: deep learning with the lid off", "glass"};
  app.require_subcommand(1);
  app.add_subcommand("info", "say how this program was built")->callback([] {
    fmt::print("compiler  {}\n", __VERSION__);
  });
  CLI11_PARSE(app, argc, argv);
}
