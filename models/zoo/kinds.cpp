#include "models/zoo/zoo.h"

namespace glass {

const std::vector<ZooKind>& zoo_kinds() {
  static const std::vector<ZooKind> kinds = {
      {CauseKind::nan, "one element of a gradient is not a number",
       "A derivative divides by zero, or takes the logarithm of it, where the value itself is "
       "harmless: √x at 0, x/|x|, where() over a branch that is not finite.",
       "The loss is NaN from the second step on, and so is every weight."},
      {CauseKind::nondeterministic, "another gradient at every call",
       "Backward draws its random numbers anew instead of those of forward, reads memory that "
       "nobody has set, or lets threads add up in no fixed order.",
       "Training works, a little worse; two runs with one seed differ."},
      {CauseKind::twice, "accumulated on top of what an earlier call left",
       "A buffer for gradients lives longer than a call and is added to instead of set; the same "
       "happens to a training loop without zero_grad().",
       "Steps grow longer and longer: the loss falls well at first, then it oscillates and "
       "bursts."},
      {CauseKind::overwritten, "what backward reads was changed after forward",
       "An operation in place, or a workspace that all calls share, replaces what was saved.",
       "Right in a test that calls the layer once, wrong where it is used twice, as in every "
       "recurrent network."},
      {CauseKind::stale, "what backward reads is that of the first call",
       "Something is computed once and kept, as a cache would, although it depends on the input.",
       "The first step is right. Then the gradient points where the weights once were."},
      {CauseKind::missing, "an input gets no gradient",
       "A detach() too many, a value taken through plain numbers, a forgotten line in backward.",
       "The parameters behind it keep their first values; the others learn around them."},
      {CauseKind::sign, "the gradient points the other way",
       "A minus lost in a derivation, or (a - b) for (b - a).",
       "The loss climbs, or stays high while other parameters make up for it."},
      {CauseKind::factor, "the gradient is a constant times too long",
       "Mean for sum or sum for mean, a 2 forgotten in the derivative of a square.",
       "It learns, at another rate than the one you set; with Adam you see nothing at all."},
      {CauseKind::transposed, "rows and columns are exchanged",
       "dW = dyᵀ·x for xᵀ·dy. With square matrices the shapes do not tell.",
       "The loss falls slowly and stops high: some of each step is right by chance."},
      {CauseKind::permuted, "the axes of a gradient stand in another order",
       "Heads, time and batch are put back in another order than they were taken apart.",
       "The model learns as if its examples were shuffled among each other: a little, then no "
       "more."},
      {CauseKind::swapped, "two inputs have each other's gradients",
       "Backward returns its results in another order than forward takes its arguments.",
       "Both move in useless directions; with inputs of different shapes it would not even run."},
      {CauseKind::upstream_ignored, "what comes from above is not used",
       "Backward returns the derivative instead of its product with the upstream gradient; right "
       "where the op is the last one and its result is summed.",
       "The loss wanders: every example pulls equally, whether its error is large or small."},
      {CauseKind::wrong_axis, "summed or read along another axis",
       "sum over axis 1 for axis 0 where both have one size, or an upstream gradient read row by "
       "row that was written column by column.",
       "As with transposed: progress by chance, a high plateau."},
      {CauseKind::not_reduced, "a broadcast is not summed back",
       "What was used for every example gets the gradient of the first one alone.",
       "It learns the first example of each batch; larger batches do not help."},
      {CauseKind::dropped, "an element or a slice gets no gradient",
       "A loop that ends one too early, a slice [:-1], a tail that does not fill a block.",
       "Nearly nothing: one row stays as it was. Only a check finds it."},
      {CauseKind::mask_ignored, "a gradient where a mask allows none",
       "Forward masks, backward does not: dropout, padding, relu.",
       "Padding and dropped units pull at the weights; results depend on the length of the batch."},
  };
  return kinds;
}

}  // namespace glass
