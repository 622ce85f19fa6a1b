#include "autograd/node.h"

#include "autograd/engine.h"

namespace glass {

// Frees a node and all that only it kept alive. Destroying a node drops its edges; nodes that this
// frees join a list instead of the call stack, so a chain of any length needs no recursion.
void Node::destroy(Node* node) noexcept {
  thread_local Node* doomed = nullptr;
  thread_local bool draining = false;
  node->next_doomed_ = doomed;
  doomed = node;
  if (draining) return;
  draining = true;
  while (doomed) {
    Node* next = doomed;
    doomed = next->next_doomed_;
    delete next;
  }
  draining = false;
}

void Node::add_hook(uint32_t output, Hook hook) {
  if (!hooks_) hooks_ = std::make_unique<std::vector<std::pair<uint32_t, Hook>>>();
  hooks_->emplace_back(output, std::move(hook));
}

}  // namespace glass
