// What: Renyi divergence of order a between the pairs of spec 6.2, r the likelihood ratio.
// Formula: ln(1 + E_Q[r^a - 1 - a (r - 1)]) / (a - 1): the integrand is never negative, so nothing cancels.
//   Poisson, add_remove, whole a: E = sum_{k>=2} C(a,k) (1-q)^(a-k) q^k (exp((k^2-k)/(2 s^2)) - 1).
// Conditions: a > 1. The order (mixture against base) is the dearer one. Integrals of too many panels, sooner at high
//   orders, fall back to the divergence without sampling, which is larger.
// Reference: [Mironov19].
// Fails if wrong: AccountantRdp.*, AccountantVectors.*
#include "sotto/privacy/accountant/sampled_rdp.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "sotto/base/stop.h"

namespace sotto {
namespace {

constexpr double kUp = 1 + 1e-11;  // far above the rounding of the sums, far below any order's resolution
constexpr double kHighOrder = 256;
constexpr double kMaxPanels = 4000;
constexpr double kMaxPanelsHigh = 1000;  // of an integral of a high order: there are many, and few are of use

/// Sum of exponentials of logarithms that may overflow.
class LogSum {
 public:
  void add(double log_term) {
    if (log_term == -std::numeric_limits<double>::infinity()) return;
    if (log_term > top_) {
      sum_ = sum_ * std::exp(top_ - log_term) + 1;
      top_ = log_term;
    } else {
      sum_ += std::exp(log_term - top_);
    }
  }
  /// Not a number if a term was none.
  double log() const { return sum_ == 0 ? -std::numeric_limits<double>::infinity() : top_ + std::log(sum_); }

 private:
  double top_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0;
};

double from_log_excess(double log_excess, double order) {
  const double log_moment = log_excess > 30 ? log_excess : std::log1p(std::exp(log_excess));
  return log_moment / (order - 1) * kUp;
}

/// ln(1 - q + q e^t).
double log_mix(double rate, double t) {
  if (t > 30) return std::log(rate) + t + std::log1p((1 - rate) / rate * std::exp(-t));
  return std::log1p(rate * std::expm1(t));
}

/// ln(r^a - 1 - a (r - 1)) for ln r = l.
double log_excess_of(double l, double order) {
  const double u = std::expm1(l);
  if (std::fabs(order * u) < 1e-3) {
    if (u == 0) return -std::numeric_limits<double>::infinity();
    const double series = 1 + (order - 2) * u / 3 * (1 + (order - 3) * u / 4);
    return std::log(order * (order - 1) / 2) + 2 * std::log(std::fabs(u)) + std::log(series);
  }
  // As powers of r: u itself overflows.
  if (order * l > 40) {
    return order * l + std::log1p((order - 1) * std::exp(-order * l) - order * std::exp((1 - order) * l));
  }
  return std::log(std::expm1(order * l) - order * u);
}

/// Where and how finely an integral is taken.
struct Range {
  double low, high, panel, most_panels;
};

double most_panels(double order) { return order > kHighOrder ? kMaxPanelsHigh : kMaxPanels; }

/// ln of the integral of exp(log_density) over the range in panels of Gauss points.
/// Not a number where that takes too many panels: a coarser bound must do.
template <class F>
double log_integral(const Range& range, const F& log_integrand) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  check_stop();
  const double width = range.high - range.low;
  if (!(width / range.panel < range.most_panels)) return std::numeric_limits<double>::quiet_NaN();
  const int panels = std::max(1, static_cast<int>(std::ceil(width / range.panel)));
  const double half = width / panels / 2;
  LogSum sum;
  for (int i = 0; i < panels; ++i) {
    const double middle = range.low + (2 * i + 1) * half;
    for (std::size_t j = 0; j < Rule::abscissa().size(); ++j) {
      const double weight = std::log(Rule::weights()[j] * half);
      sum.add(weight + log_integrand(middle + Rule::abscissa()[j] * half));
      sum.add(weight + log_integrand(middle - Rule::abscissa()[j] * half));
    }
  }
  return sum.log();
}

double log_normal(double x, double noise) {
  constexpr double kLogRootTwoPi = 0.9189385332046727;
  return -x * x / (2 * noise * noise) - std::log(noise) - kLogRootTwoPi;
}

double panel_of(double noise) { return std::min(noise, noise * noise) / 2; }
constexpr double kReach = 14;  // standard deviations; what lies beyond is below 1e-40 of the integral

double binomial(double rate, double noise, int order) {
  LogSum sum;
  const double a = order, log_with = std::log(rate), log_without = std::log1p(-rate);
  double log_choose = std::log(a);  // ln C(a, 1)
  for (int k = 2; k <= order; ++k) {
    log_choose += std::log((a - k + 1) / k);
    const double e = (static_cast<double>(k) * k - k) / (2 * noise * noise);
    sum.add(log_choose + (a - k) * log_without + k * log_with + (e > 30 ? e : std::log(std::expm1(e))));
  }
  return from_log_excess(sum.log(), a);
}

}  // namespace

double poisson_rdp_add_remove(double rate, double noise, double order) {
  const double unsampled = order / (2 * noise * noise) * kUp;
  if (rate == 1) return unsampled;
  const double whole = std::floor(order);
  if (order == whole) return std::min(unsampled, binomial(rate, noise, static_cast<int>(order)));
  if (order > kHighOrder) return std::min(unsampled, binomial(rate, noise, static_cast<int>(whole) + 1));
  const auto integrand = [&](double x) {
    return log_normal(x, noise) + log_excess_of(log_mix(rate, (2 * x - 1) / (2 * noise * noise)), order);
  };
  const double log_excess =
      log_integral({-kReach * noise, order + kReach * noise, panel_of(noise), most_panels(order)}, integrand);
  if (std::isnan(log_excess)) return std::min(unsampled, binomial(rate, noise, static_cast<int>(whole) + 1));
  return std::min(unsampled, from_log_excess(log_excess, order));
}

double poisson_rdp_replace_one(double rate, double noise, double order) {
  const double unsampled = 2 * order / (noise * noise) * kUp;
  if (rate == 1) return unsampled;
  const double v = noise * noise;
  const auto integrand = [&](double x) {
    const double log_up = log_mix(rate, (2 * x - 1) / (2 * v));
    const double log_down = log_mix(rate, (-2 * x - 1) / (2 * v));
    return log_normal(x, noise) + log_down + log_excess_of(log_up - log_down, order);
  };
  const double reach = 2 * order + kReach * noise;
  const double log_excess = log_integral({-reach, reach, panel_of(noise), most_panels(order)}, integrand);
  return std::isnan(log_excess) ? unsampled : std::min(unsampled, from_log_excess(log_excess, order));
}

double fixed_size_rdp(double rate, double noise, double order) {
  const double shift = 2 / noise;
  const double unsampled = order * shift * shift / 2 * kUp;
  if (rate == 1) return unsampled;
  // Losses above 0 of the pair ((1-q) N(0,1) + q N(shift,1), N(0,1)), and their mirror images.
  const auto integrand = [&](double x) {
    const double log_ratio = log_mix(rate, shift * x - shift * shift / 2);
    LogSum both;
    both.add(log_excess_of(log_ratio, order));
    both.add(log_ratio + log_excess_of(-log_ratio, order));
    return log_normal(x, 1) + both.log();
  };
  const double panel = std::min(1.0, 1 / shift) / 2;
  const double log_excess = log_integral({shift / 2, order * shift + kReach, panel, most_panels(order)}, integrand);
  return std::isnan(log_excess) ? unsampled : std::min(unsampled, from_log_excess(log_excess, order));
}

}  // namespace sotto
