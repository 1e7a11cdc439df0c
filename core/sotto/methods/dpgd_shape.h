#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "sotto/methods/dpgd.h"
#include "sotto/optim/secret_descent.h"
#include "sotto/privacy/joint_gaussian.h"

/// The numbers a run of dpgd is made of, all public; plan and run derive them from the same function.
namespace sotto {

struct DpgdShape {
  std::uint64_t rows = 0;      ///< m of the formulas
  std::uint64_t capacity = 0;  ///< the most rows a table may have
  std::uint64_t batch_rows = 0;
  std::uint64_t batches = 1;  ///< steps a pass
  std::uint32_t passes = 0;
  double step_size = 0;
  double clip = 0;  ///< of a row's gradient; infinite: the loss's own bound is smaller
  std::size_t weights = 0;
  std::uint64_t steps() const noexcept { return batches * passes; }
};
DpgdShape dpgd_shape(const Dpgd& options, const PlanInput& input);

/// The noise of one sum when every sum may leave.
Calibrated dpgd_composition(const Dpgd& options, const DpgdShape& shape, const PlanInput& input);

/// That noise for a sum at these weights, which are public: the event is the same, the sensitivity that of gradients at
/// weights of their norm (docs/notes/diameter.md).
Mechanism dpgd_noise_at(std::span<const double> weights, const PlannedNoise& noise, const DpgdShape& shape,
                        const PlanInput& input);

/// The least share of the sensitivity of a sum, at any weights, that is in proportion to D; the rest is rounding.
/// A row is clipped before it is weighted, so clipped gradients have such a share too.
double dpgd_weighted_share(const PlannedNoise& noise, const DpgdShape& shape, const PlanInput& input);

/// The noise of one step when the last weights alone leave, and the radius that bounds them.
struct HiddenPlan {
  JointCalibrated noise{};
  DescentStep step{};
  double contraction = 0;
  double rounding = 0;  ///< of one computed step, the grid excepted
  double hit = 0;       ///< the part of the sensitivity that is in proportion to D
};
/// Throws Error{unsupported} where the theorem does not apply, naming the field.
HiddenPlan dpgd_hidden(const Dpgd& options, const DpgdShape& shape, const PlanInput& input);

/// The bound of this plan: as asked, or the one with less noise. Empty: composition.
std::optional<HiddenPlan> dpgd_chosen(const Dpgd& options, const DpgdShape& shape, const PlanInput& input);

}  // namespace sotto
