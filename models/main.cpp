#include "models/cli/program.h"

int main(int argc, char** argv) { return glass::run_program(argc, argv); }
