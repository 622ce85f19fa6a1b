#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "autograd/registry.h"

namespace glass {

struct GradcheckChoices {
  int64_t gear = 1, columns = 0;  ///< as in CheckOptions
  bool json = false;              ///< everything found, as JSON instead of lines
};

/// Checks the gradients of all samples of the named entries (none named: all). A line per entry,
/// the full report of each sample that fails, and a last line "gradcheck: N passed, N failed". An
/// entry passes when every sample's verdict is the one its row expects. Returns the exit status: 0
/// when nothing failed, else 1. Throws Error for an unknown name, before anything is checked.
int run_gradcheck(const std::vector<Entry>& entries, const std::vector<std::string>& names,
                  std::ostream& out, const GradcheckChoices& choices = {});

/// Checks the gradient of the loss of complete models by every parameter (those whose name contains
/// one of names; none: all). A line per parameter, the full report of a model that fails, and a
/// last line "models: N passed, N failed". Returns the exit status; throws Error for an unknown
/// name.
int run_model_checks(const std::vector<std::string>& names, std::ostream& out);

/// The names of those models, a line each; throws Error for an unknown name.
void list_models(const std::vector<std::string>& names, std::ostream& out);

/// Plants every mistake of autograd/mutants.h in the backward of the named entries (none named:
/// all) and checks them. A line per entry: mistakes planted, killed (not passed), named correctly,
/// and equivalent ones, which change no gradient; those that were not killed or not named are
/// listed below it. Last line "mutants: P planted, K killed, N named correctly". Returns 1 when one
/// survives or fewer than 95 % are named, else 0. Throws Error for an unknown name.
int run_mutants(const std::vector<Entry>& entries, const std::vector<std::string>& names,
                std::ostream& out);

/// The entries of these names and of their families (none named: all); throws Error for a name
/// that nothing has.
std::vector<const Entry*> entries_named(const std::vector<Entry>& entries,
                                        const std::vector<std::string>& names);

}  // namespace glass
