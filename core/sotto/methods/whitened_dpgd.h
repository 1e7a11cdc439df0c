#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "sotto/methods/plan.h"

namespace sotto {

/// Noisy gradient descent in coordinates in which the rows' second moments, released first with a share of the budget,
/// are even (docs/notes/whitening.md). The weights that are released are those of the features themselves.
struct WhitenedDpgd {
  static constexpr std::string_view kName = "whitened_dpgd";
  static constexpr std::string_view kSummary = "noisy second moments first, then dpgd on rows whitened by them";
  static constexpr std::string_view kReference = "docs/notes/whitening.md; [Dong22, Corollary 3.3]";
  std::uint32_t passes = 0;
  double step_size = 0;
  double momentum = 0;
  double clip = 0;
  double share = 0.1;
  std::uint64_t declared_rows = 0;

  static constexpr auto fields() {
    return std::tuple{
        field("passes", &WhitenedDpgd::passes, "steps, a pass each; 0 = from rows, step and budget, at most 200"),
        field("step_size", &WhitenedDpgd::step_size,
              "the step, shortened on rows of many directions; 0 = 1/(beta + lambda)"),
        field("momentum", &WhitenedDpgd::momentum, "share of the last step that is kept (heavy ball), below 1"),
        field("clip", &WhitenedDpgd::clip, "a row's gradient is scaled to at most this norm; 0 = the loss's own bound"),
        field("share", &WhitenedDpgd::share, "of mu^2, spent on the second moments; between 0.01 and 0.5"),
        field("declared_rows", &WhitenedDpgd::declared_rows,
              "add_remove only: the public constant used for the number of rows")};
  }

  Plan plan(const PlanInput& input) const;
};

/// More features than this are refused: the moments are a matrix of that order, in memory and decomposed.
inline constexpr std::uint32_t kMaxWhitenedFeatures = 256;

/// The standard deviation of the noise of the moments as a share of what all rows could add to one: the root of the
/// noise's largest eigenvalue's scale, sigma sqrt(2 d)/(m X^2). Small: the moments say something. Public.
double whitening_noise(const WhitenedDpgd& method, const PlanInput& input);

}  // namespace sotto
