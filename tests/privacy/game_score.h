#pragma once
// The score of a distinguishing game: bounds on the privacy loss with Clopper-Pearson intervals at 99.9 percent.
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace sotto::test {

inline constexpr double kAlpha = 0.0005;  // one side; two intervals together 99.9 percent

inline double lower(double hits, double games) {
  return hits == 0 ? 0.0 : quantile(boost::math::beta_distribution<>(hits, games - hits + 1), kAlpha);
}
inline double upper(double hits, double games) {
  return hits == games ? 1.0 : quantile(boost::math::beta_distribution<>(hits + 1, games - hits), 1 - kAlpha);
}

/// How often the event "told" happened on either table.
struct Score {
  double games = 0, on_first = 0, on_second = 0;

  /// A lower bound on epsilon that holds with 99.9 percent confidence.
  double epsilon(double delta = 0) const {
    const double told = lower(on_first, games) - delta;
    return told <= 0 ? 0.0 : std::log(told / upper(on_second, games));
  }
  /// The same for mu of Gaussian differential privacy.
  double mu() const {
    const boost::math::normal_distribution<> normal;
    return quantile(normal, lower(on_first, games)) - quantile(normal, upper(on_second, games));
  }
};

}  // namespace sotto::test
