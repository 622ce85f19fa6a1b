#pragma once

namespace glass {

/// The glass program. Returns its exit status: 0, 1 for an error (also when standard output could
/// not be written), 2 for arguments that make no sense, 70 for a bug of Glass. An error is one line
/// on standard error.
int run_program(int argc, char** argv);

}  // namespace glass
