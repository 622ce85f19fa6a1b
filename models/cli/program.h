#pragma once

namespace glass {

/// The glass program. Returns its exit status: 0, 1 for an error, 70 for a bug of Glass.
int run_program(int argc, char** argv);

}  // namespace glass
