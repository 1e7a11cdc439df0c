// What: an independent accountant; nothing of the library is included.
// Formula: sums of epsilon and delta, rho, mu^2; delta_G; zCDP: min over a of exp((a-1)(a rho - e)) (1-1/a)^a / (a-1);
//   sampled: the law of the loss of one step on a grid, rounded down, convolved step by step.
// Conditions: pure epsilon is epsilon^2/2 in rho, a choice epsilon^2/8, Gaussian noise mu^2/2.
// Reference: [Canonne20], [Balle18], spec 6.
// Fails if wrong: TinyAccountant.* (against the library's accountants).
#include "sotto/audit/tiny_accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto::audit::tiny {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Splits at commas outside parentheses.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

double Line::number(const std::string& key, double missing) const {
  for (const auto& [name_of_it, value] : numbers) {
    if (name_of_it == key) return value;
  }
  return missing;
}

std::vector<Line> read(const std::string& text) {
  const std::size_t cross = text.find(" x ");
  const std::size_t open = text.find('(');
  if (cross != std::string::npos && cross < open) {
    std::vector<Line> lines = read(text.substr(cross + 3));
    for (Line& line : lines) line.times *= std::stod(text.substr(0, cross));
    return lines;
  }
  if (open == std::string::npos || text.back() != ')') return {};
  const std::string inner = text.substr(open + 1, text.size() - open - 2);
  std::vector<Line> lines;
  if (text.substr(0, open) == "sequence") {
    for (const std::string& part : split(inner)) {
      for (Line& line : read(part)) lines.push_back(std::move(line));
    }
    return lines;
  }
  Line line{text.substr(0, open), {}, 1};
  for (const std::string& part : split(inner)) {
    const std::size_t equal = part.find('=');
    if (equal == std::string::npos || part.substr(0, equal) == "law") continue;
    line.numbers.emplace_back(part.substr(0, equal), std::stod(part.substr(equal + 1)));
  }
  return {line};
}

Totals add_up(const std::vector<Line>& lines) {
  Totals totals;
  if (lines.empty()) totals = {kNone, kNone, kNone, kNone};
  for (const Line& line : lines) {
    const double epsilon = line.number("epsilon", kNone), mu = line.number("mu", kNone),
                 rho = line.number("rho", kNone);
    const bool gaussian = line.name == "gaussian", choice = line.name == "exponential";
    totals.epsilon += line.times * (line.number("delta", 0) >= 0 ? epsilon : kNone);
    totals.delta += line.times * line.number("delta", 0);
    totals.mu_squared += line.times * (gaussian ? mu * mu : kNone);
    totals.rho += line.times * (gaussian                   ? mu * mu / 2
                                : rho < kNone              ? rho
                                : line.number("delta") > 0 ? kNone
                                                           : epsilon * epsilon / (choice ? 8 : 2));
  }
  return totals;
}

double gaussian_delta(double mu, double epsilon) {
  return phi(-epsilon / mu + mu / 2) - std::exp(epsilon) * phi(-epsilon / mu - mu / 2);
}

double zcdp_delta(double rho, double epsilon) {
  double best = 1;
  for (double step = -12; step < 14; step += 1e-3) {  // a - 1 from 6e-6 to 1e6
    const double excess = std::exp(step), order = 1 + excess;
    best = std::min(best, std::exp(excess * (order * rho - epsilon) + order * std::log1p(-1 / order) - step));
  }
  return best;
}

double objective_delta(const Line& line, double epsilon) {
  const double left = epsilon - line.number("log_determinant"), small = line.number("release_mu");
  double delta = gaussian_delta(small, left);
  for (const auto& [name, value] : line.numbers) {
    const std::size_t space = name.find(" mu");  // "2 mu=0.5": two corners of that shift
    if (space == std::string::npos) continue;
    delta += std::stod(name.substr(0, space)) * gaussian_delta(std::sqrt(value * value + small * small), left);
  }
  return delta;
}

double sampled_delta_lower(const Sampled& sampled, double epsilon) {
  constexpr double kStep = 0.005, kReach = 40;  // of the grid of losses
  constexpr int kHalf = static_cast<int>(kReach / kStep);
  const double q = sampled.rate, s = sampled.noise;
  const auto density = [&](double x, double shift) {
    const auto bell = [&](double at) {
      return std::exp(-(x - at) * (x - at) / (2 * s * s)) / (s * 2.5066282746310002);
    };
    return (1 - q) * bell(0) + q * bell(shift);
  };
  std::vector<double> one(2 * kHalf + 1, 0.0);
  const double width = s / 200;
  for (double x = -10 * s - 1; x <= 10 * s + 1; x += width) {
    const double plain = std::exp(-x * x / (2 * s * s)) / (s * 2.5066282746310002);
    const double here = density(x, 1), there = sampled.replaced ? density(x, -1) : plain;
    if (!(here > 0) || !(there > 0)) continue;
    const int cell = static_cast<int>(std::floor(std::log(here / there) / kStep));
    one[static_cast<std::size_t>(std::clamp(cell, -kHalf, kHalf) + kHalf)] += here * width;
  }
  // Only cells with mass are convolved.
  std::vector<double> all = one;
  for (int step = 1; step < static_cast<int>(sampled.steps); ++step) {
    std::vector<double> next(all.size(), 0.0);
    for (int i = -kHalf; i <= kHalf; ++i) {
      if (one[static_cast<std::size_t>(i + kHalf)] < 1e-14) continue;
      for (int j = std::max(-kHalf, -kHalf - i); j <= std::min(kHalf, kHalf - i); ++j) {
        next[static_cast<std::size_t>(i + j + kHalf)] +=
            one[static_cast<std::size_t>(i + kHalf)] * all[static_cast<std::size_t>(j + kHalf)];
      }
    }
    all = std::move(next);
  }
  double delta = 0;
  for (int i = -kHalf; i <= kHalf; ++i) {
    const double loss = i * kStep;
    if (loss > epsilon) delta += all[static_cast<std::size_t>(i + kHalf)] * -std::expm1(epsilon - loss);
  }
  return delta;
}

}  // namespace sotto::audit::tiny
