#pragma once

#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/mutants.h"
#include "models/zoo/network.h"

// The bug zoo: a small network in which one backward is wrong, to be found.
namespace glass {

/// A kind of bug, for the one who has found it.
struct ZooKind {
  CauseKind kind = CauseKind::sign;
  std::string what;    ///< in a few words
  std::string arises;  ///< how such a bug comes about
  std::string shows;   ///< what one sees of it in training
};
/// In the order of CauseKind.
const std::vector<ZooKind>& zoo_kinds();
/// Throws Error for a name that is none, with what it may have meant.
const ZooKind& zoo_kind(const std::string& name);
size_t zoo_place(const std::string& name);

class Zoo {
 public:
  /// A bug drawn from the seed: every kind is as likely as another, then every place where it
  /// changes a gradient.
  explicit Zoo(uint64_t seed);

  /// The loss as a function of the parameters, in the order of kZooParameters. A new function with
  /// every call: what a bug keeps from call to call begins anew.
  Function loss() const;
  Vars parameters() const;

  /// The gradient check of all parameters, or of the arguments of one place.
  GradReport check_network(bool diagnose) const;
  GradReport check_place(size_t place, bool diagnose) const;
  /// The loss after 0, 20, 40 and 60 steps of gradient descent, with and without the bug.
  std::vector<double> training(bool with_bug) const;

  const std::string& place() const { return zoo_places()[place_].name; }
  const Mutation& bug() const { return bug_; }
  bool is_at(const std::string& place) const { return place == this->place(); }
  /// Also of another name for the same wrong gradient: a factor of -1 is a sign.
  bool is_of(CauseKind kind) const;

 private:
  struct Candidate {
    size_t place = 0;
    Mutation bug;
  };
  std::vector<Candidate> candidates(CauseKind kind) const;
  Function broken() const;
  bool is_seen() const;

  uint64_t seed_;
  NamedValues values_;
  size_t place_ = 0;
  Mutation bug_;
};

}  // namespace glass
