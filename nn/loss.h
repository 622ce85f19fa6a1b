#pragma once

#include "autograd/ops/distance.h"
#include "autograd/ops/divergence.h"
#include "autograd/ops/loss.h"
#include "nn/module.h"

// The losses of autograd/ops as layers that keep their options. They have no parameters; weights of
// classes and elements are buffers.
namespace glass {

/// cross_entropy() with its options, as a layer. The class weights are a buffer.
class CrossEntropyLoss : public Module {
 public:
  explicit CrossEntropyLoss(const CrossEntropyOptions& options = {}) : options_(options) {}
  void visit(Visitor& v) override { v("weight", options_.weight); }
  Var operator()(In input, const Var& target) const {
    return cross_entropy(input, target, options_);
  }
  const CrossEntropyOptions& options() const { return options_; }

 private:
  CrossEntropyOptions options_;
};

/// nll_loss() of logarithms of probabilities.
class NLLLoss : public Module {
 public:
  explicit NLLLoss(const CrossEntropyOptions& options = {}) : options_(options) {}
  void visit(Visitor& v) override { v("weight", options_.weight); }
  Var operator()(In log_probs, const Var& target) const {
    return nll_loss(log_probs, target, options_);
  }

 private:
  CrossEntropyOptions options_;
};

class MSELoss : public Module {
 public:
  explicit MSELoss(LossReduction reduction = LossReduction::mean) : reduction_(reduction) {}
  void visit(Visitor&) override {}
  Var operator()(In input, In target) const { return mse_loss(input, target, reduction_); }

 private:
  LossReduction reduction_;
};

class L1Loss : public Module {
 public:
  explicit L1Loss(LossReduction reduction = LossReduction::mean) : reduction_(reduction) {}
  void visit(Visitor&) override {}
  Var operator()(In input, In target) const { return l1_loss(input, target, reduction_); }

 private:
  LossReduction reduction_;
};

class SmoothL1Loss : public Module {
 public:
  explicit SmoothL1Loss(LossReduction reduction = LossReduction::mean, double beta = 1)
      : reduction_(reduction), beta_(beta) {}
  void visit(Visitor&) override {}
  Var operator()(In input, In target) const {
    return smooth_l1_loss(input, target, reduction_, beta_);
  }

 private:
  LossReduction reduction_;
  double beta_;
};

class HuberLoss : public Module {
 public:
  explicit HuberLoss(LossReduction reduction = LossReduction::mean, double delta = 1)
      : reduction_(reduction), delta_(delta) {}
  void visit(Visitor&) override {}
  Var operator()(In input, In target) const {
    return huber_loss(input, target, reduction_, delta_);
  }

 private:
  LossReduction reduction_;
  double delta_;
};

/// Of probabilities; weight, which broadcasts to the input, is a buffer.
class BCELoss : public Module {
 public:
  explicit BCELoss(LossReduction reduction = LossReduction::mean, Tensor weight = {})
      : reduction_(reduction), weight_(std::move(weight)) {}
  void visit(Visitor& v) override { v("weight", weight_); }
  Var operator()(In input, In target) const {
    return binary_cross_entropy(input, target, reduction_, weight_);
  }

 private:
  LossReduction reduction_;
  Tensor weight_;
};

/// Of logits; both weights are buffers.
class BCEWithLogitsLoss : public Module {
 public:
  explicit BCEWithLogitsLoss(const BceOptions& options = {}) : options_(options) {}
  void visit(Visitor& v) override {
    v("weight", options_.weight);
    v("pos_weight", options_.pos_weight);
  }
  Var operator()(In input, In target) const {
    return binary_cross_entropy_with_logits(input, target, options_);
  }

 private:
  BceOptions options_;
};

class KLDivLoss : public Module {
 public:
  explicit KLDivLoss(const KlOptions& options = {}) : options_(options) {}
  void visit(Visitor&) override {}
  Var operator()(In input, In target) const { return kl_div(input, target, options_); }

 private:
  KlOptions options_;
};

class MarginRankingLoss : public Module {
 public:
  explicit MarginRankingLoss(double margin = 0, LossReduction reduction = LossReduction::mean)
      : margin_(margin), reduction_(reduction) {}
  void visit(Visitor&) override {}
  Var operator()(In input1, In input2, const Var& target) const {
    return margin_ranking_loss(input1, input2, target, margin_, reduction_);
  }

 private:
  double margin_;
  LossReduction reduction_;
};

class CosineEmbeddingLoss : public Module {
 public:
  explicit CosineEmbeddingLoss(double margin = 0, LossReduction reduction = LossReduction::mean)
      : margin_(margin), reduction_(reduction) {}
  void visit(Visitor&) override {}
  Var operator()(In input1, In input2, const Var& target) const {
    return cosine_embedding_loss(input1, input2, target, margin_, reduction_);
  }

 private:
  double margin_;
  LossReduction reduction_;
};

class TripletMarginLoss : public Module {
 public:
  explicit TripletMarginLoss(const TripletOptions& options = {}) : options_(options) {}
  void visit(Visitor&) override {}
  Var operator()(In anchor, In positive, In negative) const {
    return triplet_margin_loss(anchor, positive, negative, options_);
  }

 private:
  TripletOptions options_;
};

}  // namespace glass
