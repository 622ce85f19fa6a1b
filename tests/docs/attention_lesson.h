#pragma once

#include <string>
#include <vector>

#include "nn/attention/attention.h"

// What docs/attention.md shows, in parts: the code stands in attention_*_test.cpp.
namespace glass::attention_lesson {

/// The numbers of x in one line.
std::string show(const Var& x, int digits = 4);

extern const std::vector<std::string> kSource, kTarget;
struct Member {
  std::string name;
  AttentionScope scope;
  AttentionNormalizer normalizer;
};
/// Eight members of the family that read the same scores.
std::vector<Member> eight_members();
AttentionOutput look(const Member& member);
/// Weights [5, 5] of a decoder that asks five times for the same.
Var asked_again(bool coverage);

/// The printed blocks of the document.
std::vector<std::string> slot_outputs();
std::vector<std::string> trap_outputs();

}  // namespace glass::attention_lesson
