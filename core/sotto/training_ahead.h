#pragma once
#include <cstdint>
#include <vector>

#include "sotto/methods/bounds_plan.h"
#include "sotto/train.h"

namespace sotto {

/// The training that bounds are found for. What it would refuse is refused before the bounds are paid for, and a norm
/// that it does not take is made one that it takes. Everything here is a function of the request, of public facts and
/// of released numbers.
class TrainingAhead {
 public:
  /// The norm that a training must take for any norm to be found for it.
  static constexpr double kSureNorm = 1;

  /// Without a ledger there is no price. Both must outlive it.
  explicit TrainingAhead(const TrainRequest& request, Ledger* ledger = nullptr) : request_(request), ledger_(ledger) {}

  /// Throws what the training would throw for any of these. Keeps the most that it may cost.
  void require(const std::vector<Facts>& possible);
  const Filter::Cost& most() const noexcept { return most_; }

  /// The norm to train with, after `require` for the same facts at kSureNorm: `found`, or else the one nearest to it,
  /// on the way to kSureNorm, that the training takes at no higher cost. Rows are clipped to it, so every norm is
  /// right. `constant`: a constant feature of that size is part of a row, but not of the norm that was found.
  double norm_for(double found, Facts facts, double constant = 0) const;

 private:
  Filter::Cost cost(const Facts& facts) const;
  bool takes(const Facts& facts) const;

  const TrainRequest& request_;
  Ledger* ledger_;
  Filter::Cost most_;
};

/// What may be public about the rows once the bounds of the plan are found: from the fewest features to the most.
std::vector<Facts> possible_facts(const BoundsPlan& plan, const BoundsRequest& request, std::uint64_t rows);

}  // namespace sotto
