#pragma once
#include <limits>
#include <string_view>
#include <tuple>

#include "sotto/losses/constants.h"

namespace sotto {

/// Hinge loss phi(m) = max(0, 1 - m). Not smooth: no step contracts, so only methods whose proof needs no smoothness
/// take it (spec 2.1). Fails if wrong: LossLaws.
struct Hinge {
  static constexpr std::string_view kName = "hinge";
  static constexpr std::string_view kSummary =
      "max(0, 1 - margin); not smooth, so only for methods that need no smoothness";
  static constexpr auto fields() { return std::tuple{}; }

  double value(double margin) const noexcept { return margin < 1 ? 1 - margin : 0; }
  double slope(double margin) const noexcept { return margin < 1 ? -1 : 0; }
  LossConstants constants(double data_norm) const {
    return {data_norm, 2 * data_norm, data_norm, std::numeric_limits<double>::infinity()};
  }
  void check() const {}
};

}  // namespace sotto
