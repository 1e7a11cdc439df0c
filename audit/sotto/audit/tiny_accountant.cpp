// What: an independent accountant; nothing of the library is included.
// Formula: sums of epsilon and delta, rho, mu^2; delta_G; zCDP: min over a of exp((a-1)(a rho - e)) (1-1/a)^a / (a-1);
//   sampled: the law of the loss of one step on a grid, its mean kept, convolved step by step; selection: the
//   divergence R(a) + mean delta(ln(1 + 1/(a-1))) + ln(mean)/(a-1), R the largest of its runs' and delta by the best
//   order of R, in place of a rho; divergences of one order add. objective in a run: c + (1/t) ln E exp(t max(0, G)),
//   E by an integral, t = a - 1.
// Conditions: pure epsilon is epsilon^2/2 in rho, a choice epsilon^2/8, Gaussian noise mu^2/2.
// Reference: [Canonne20], [Balle18], [Papernot22, Theorem 6], spec 6.
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

Totals& Totals::operator+=(const Totals& other) {
  epsilon += other.epsilon;
  delta += other.delta;
  rho += other.rho;
  mu_squared += other.mu_squared;
  pure += other.pure;
  normal += other.normal;
  return *this;
}

Totals add_up(const std::vector<Line>& lines) {
  Totals totals;
  if (lines.empty()) totals = {kNone, kNone, kNone, kNone, kNone, kNone};
  for (const Line& line : lines) {
    const double epsilon = line.number("epsilon", kNone), mu = line.number("mu", kNone),
                 rho = line.number("rho", kNone);
    const bool gaussian = line.name == "gaussian", choice = line.name == "exponential";
    totals.epsilon += line.times * (line.number("delta", 0) >= 0 ? epsilon : kNone);
    totals.delta += line.times * line.number("delta", 0);
    totals.mu_squared += line.times * (gaussian ? mu * mu : kNone);
    totals.normal += gaussian ? line.times * mu * mu : 0;
    totals.pure += gaussian ? 0 : line.times * (line.number("delta", 0) > 0 ? kNone : epsilon);
    totals.rho += line.times * (gaussian                   ? mu * mu / 2
                                : rho < kNone              ? rho
                                : line.number("delta") > 0 ? kNone
                                                           : epsilon * epsilon / (choice ? 8 : 2));
  }
  return totals;
}

namespace {

/// ln(p^a q^(1-a) + q^a p^(1-a)) / (a - 1) of answers that are true with p = e^epsilon q.
double response_divergence(double epsilon, double order) {
  const double log_q = -std::log1p(std::exp(epsilon)), log_p = epsilon + log_q;
  const double one = order * log_p + (1 - order) * log_q, other = order * log_q + (1 - order) * log_p;
  return (one + std::log1p(std::exp(other - one))) / (order - 1);
}

/// ln of the integral of here^a there^(1-a), over a - 1; the row of the mixture is there, and in its place another.
double sampled_divergence(const Line& line, double order, bool replaced) {
  const double q = line.number("rate"), s = line.number("noise"), reach = 12 * s + 2 * order, width = s / 200;
  const auto log_mixture = [&](double x, double shift) {
    const double ratio = (2 * x * shift - 1) / (2 * s * s);
    return ratio > 300 ? std::log(q) + ratio : std::log1p(q * std::expm1(ratio));
  };
  double sum = 0, top = -kNone;  // of exp(exponent - top)
  for (double x = -reach; x <= reach; x += width) {
    const double there = replaced ? log_mixture(x, -1) : 0;
    const double exponent = order * log_mixture(x, 1) + (1 - order) * there - x * x / (2 * s * s);
    if (exponent > top) sum *= std::exp(top - exponent), top = exponent;
    sum += std::exp(exponent - top);
  }
  return (top + std::log(sum * width / (s * 2.5066282746310002))) / (order - 1);
}

double objective_divergence(const Line& line, double order) {
  double largest = 0;
  for (const auto& [name, value] : line.numbers) {
    if (name.find(" mu") != std::string::npos) largest = std::max(largest, value);
  }
  const double small = line.number("release_mu");
  return line.number("log_determinant") + order * (largest * largest + small * small) / 2;
}

/// ln of the integral over g > 0 of e^(t g) times the density of a Gaussian loss of shift mu.
double log_gain(double mu, double t) {
  const double mean = mu * mu / 2, width = mu / 500, end = mean + t * mu * mu + 12 * mu;
  const auto exponent = [&](double g) { return t * g - (g - mean) * (g - mean) / (2 * mu * mu); };
  const double top = exponent(mean + t * mu * mu);
  double sum = 0;
  for (double g = width / 2; g < end; g += width) sum += std::exp(exponent(g) - top);
  return top + std::log(sum * width / (mu * 2.5066282746310002));
}

/// At most this: the largest loss is at most the sum of those above 0.
double objective_bound(const Line& line, double order) {
  const double t = order - 1, small = line.number("release_mu");
  double top = 0, sum = 1;  // of exp(. - top), 1 to begin with
  for (const auto& [name, value] : line.numbers) {
    const std::size_t space = name.find(" mu");
    if (space == std::string::npos) continue;
    const double log_term = std::log(std::stod(name.substr(0, space))) + log_gain(value, t);
    if (log_term > top) sum *= std::exp(top - log_term), top = log_term;
    sum += std::exp(log_term - top);
  }
  return line.number("log_determinant") + (top + std::log(sum)) / t + order * small * small / 2;
}

double divergence_of(const Line& line, double order, bool replaced) {
  if (line.name == "poisson_sampled") return sampled_divergence(line, order, replaced);
  if (line.name == "objective") return objective_divergence(line, order);
  const double by_rho = order * add_up({{line.name, line.numbers, 1}}).rho, epsilon = line.number("epsilon", kNone);
  return epsilon < kNone ? std::min(by_rho, response_divergence(epsilon, order)) : by_rho;
}

}  // namespace

double divergence(const std::vector<Line>& lines, double order, bool replaced) {
  double sum = lines.empty() ? kNone : 0;
  for (const Line& line : lines) sum += line.times * divergence_of(line, order, replaced);
  return sum;
}

double gaussian_delta(double mu, double epsilon) {
  return phi(-epsilon / mu + mu / 2) - std::exp(epsilon) * phi(-epsilon / mu - mu / 2);
}

double mixed_delta(const Totals& totals, double epsilon) {
  if (!(totals.normal > 0) || !(totals.pure < epsilon)) return 1;
  return gaussian_delta(std::sqrt(totals.normal), epsilon - totals.pure);
}

namespace {

/// The smallest of f on [low, high]: the best of evenly spaced points, then by thirds around it.
template <class Function>
double smallest(double low, double high, double step, const Function& f) {
  double at = low, best = f(low);
  for (double x = low; x < high; x += step) {
    const double value = f(x);
    if (value < best) best = value, at = x;
  }
  double left = at - step, right = at + step;
  for (int i = 0; i < 40; ++i) {
    const double third = (right - left) / 3, one = f(left + third), other = f(right - third);
    best = std::min({best, one, other});
    (one < other ? right : left) = one < other ? right - third : left + third;
  }
  return best;
}

/// [Canonne20, Proposition 12] at a divergence of an order 1 + e^step.
template <class Divergence>
double delta_at(double step, double epsilon, const Divergence& divergence) {
  const double excess = std::exp(step), order = 1 + excess;
  return std::exp(excess * (divergence(order) - epsilon) + order * std::log1p(-1 / order) - step);
}

/// The best order's delta.
template <class Divergence>
double best_delta(double epsilon, const Divergence& divergence) {
  // Orders less 1 from 6e-6 to 1e6.
  return std::min(1.0, smallest(-12, 14, 1e-3, [&](double step) { return delta_at(step, epsilon, divergence); }));
}

}  // namespace

double zcdp_delta(double rho, double epsilon) {
  return best_delta(epsilon, [&](double order) { return order * rho; });
}

double selection_delta(double rho, double mean, double epsilon) {
  const auto plain = [&](double order) { return order * rho; };
  const auto run_delta = [&](double at) {
    return std::min(1.0, smallest(-6, 8, 0.01, [&](double step) { return delta_at(step, at, plain); }));
  };
  const auto selected = [&](double order) {
    return plain(order) + mean * run_delta(std::log1p(1 / (order - 1))) + std::log(mean) / (order - 1);
  };
  return std::min(1.0, smallest(-6, 8, 0.02, [&](double step) { return delta_at(step, epsilon, selected); }));
}

namespace {

/// The events inside the parentheses of "name(a, b, ...)".
std::vector<std::string> inner(const std::string& text) {
  const std::size_t open = text.find('(');
  return split(text.substr(open + 1, text.size() - open - 2));
}

bool is_a(const std::string& text, const std::string& name) { return text.rfind(name + "(", 0) == 0; }

/// A selection over runs of any kind: the divergences of a run at many orders, each computed once.
class Selected {
 public:
  Selected(const std::string& text, bool replaced)
      : replaced_(replaced), mean_(std::stod(text.substr(text.rfind("poisson mean=") + 13))) {
    const std::string run = inner(text).front();
    for (const std::string& one : is_a(run, "one_of") ? inner(run) : std::vector{run}) runs_.push_back(read(one));
    for (double step = kLow; step <= kHigh; step += kStep) run_at_.push_back(run_divergence(1 + std::exp(step)));
  }
  double divergence(double order) const { return selected(order, run_divergence(order)); }
  double delta(double epsilon) const {
    return least([&](double order, double run) { return selected(order, run); }, epsilon);
  }

 private:
  static constexpr double kLow = -4, kHigh = 6, kStep = 0.02;

  double run_divergence(double order) const {
    double largest = 0;
    for (const std::vector<Line>& lines : runs_) {
      double sum = lines.empty() ? kNone : 0;
      for (const Line& line : lines) {
        const bool objective = line.name == "objective";
        sum += line.times * (objective ? objective_bound(line, order) : divergence_of(line, order, replaced_));
      }
      largest = std::max(largest, sum);
    }
    return largest;
  }
  double selected(double order, double run) const {
    const double run_delta = least([](double, double of_run) { return of_run; }, std::log1p(1 / (order - 1)));
    return run + mean_ * run_delta + std::log(mean_) / (order - 1);
  }
  /// delta by the best of the orders, of a divergence made from an order and that of a run.
  template <class Divergence>
  double least(const Divergence& divergence, double epsilon) const {
    double best = 1;
    for (std::size_t i = 0; i < run_at_.size(); ++i) {
      const double run = run_at_[i];
      const auto at = [&](double order) { return divergence(order, run); };
      best = std::min(best, delta_at(kLow + static_cast<double>(i) * kStep, epsilon, at));
    }
    return best;
  }

  bool replaced_;
  double mean_;
  std::vector<std::vector<Line>> runs_;
  std::vector<double> run_at_;  // at the order 1 + e^step of each step
};

bool is_selection(const std::string& text) {
  return is_a(text, "selection") && text.find("poisson mean=") != std::string::npos;
}

}  // namespace

double selection_divergence(const std::string& text, double order, bool replaced) {
  return is_selection(text) ? Selected(text, replaced).divergence(order) : kNone;
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

namespace {

constexpr int kCells = 8000;  // on either side of loss 0

/// Ten cells to the deviation of a small loss, and room for the largest of several steps.
double cell_of(const Sampled& sampled) {
  const double q = sampled.rate, s = sampled.noise, top = 8 * s + 1;
  const double deviation = q / s * (sampled.replaced ? 2 : 1);
  const double largest = std::log1p(q * std::expm1((2 * top - 1) / (2 * s * s))) * (sampled.replaced ? 2 : 1);
  return std::min(0.005, std::max(deviation / 10, 4 * largest / kCells));
}

/// The law of the loss of one step.
std::vector<double> law_of_step(const Sampled& sampled, double width_of_cell) {
  const double q = sampled.rate, s = sampled.noise;
  const auto bell = [&](double x) { return std::exp(-x * x / (2 * s * s)) / (s * 2.5066282746310002); };
  const auto density = [&](double x, double shift) { return (1 - q) * bell(x) + q * bell(x - shift); };
  std::vector<double> law(2 * kCells + 2, 0.0);
  const double width = s / 200;
  for (double x = -10 * s - 1; x <= 10 * s + 1; x += width) {
    const double here = density(x, 1), there = sampled.replaced ? density(x, -1) : bell(x);
    if (!(here > 0) || !(there > 0)) continue;
    const double place = std::clamp(std::log(here / there) / width_of_cell, -kCells + 0.0, kCells + 0.0) + kCells;
    const auto cell = static_cast<std::size_t>(place);
    const double above = place - std::floor(place);  // shared by two cells, so that its mean is kept
    law[cell] += here * width * (1 - above);
    law[cell + 1] += here * width * above;
  }
  return law;
}

/// Occupied cells of a law.
struct Reach {
  int first = 0, last = -1;
  explicit Reach(const std::vector<double>& law) {
    for (int i = 0; i < static_cast<int>(law.size()); ++i) {
      if (law[static_cast<std::size_t>(i)] < 1e-14) continue;
      if (last < first) first = i;
      last = i;
    }
  }
};

}  // namespace

double sampled_delta(const Sampled& sampled, double epsilon) {
  const double width = cell_of(sampled);
  const std::vector<double> one = law_of_step(sampled, width);
  const Reach narrow(one);
  std::vector<double> all = one;
  for (int step = 1; step < static_cast<int>(sampled.steps); ++step) {
    std::vector<double> next(all.size(), 0.0);
    const Reach wide(all);
    for (int i = narrow.first; i <= narrow.last; ++i) {
      for (int j = wide.first; j <= wide.last; ++j) {
        const int sum = std::clamp(i + j - kCells, 0, 2 * kCells + 1);
        next[static_cast<std::size_t>(sum)] += one[static_cast<std::size_t>(i)] * all[static_cast<std::size_t>(j)];
      }
    }
    all = std::move(next);
  }
  double delta = 0;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const double loss = (i - kCells) * width;
    if (loss > epsilon) delta += all[static_cast<std::size_t>(i)] * -std::expm1(epsilon - loss);
  }
  return delta;
}

namespace {

/// Events by the way they add up.
struct Kinds {
  Totals plain;
  double spent = 0, delta = 0;  ///< of objective perturbations, each at the epsilon its line states
  std::vector<Line> objectives, sampled;
};

Kinds kinds_of(const std::vector<Line>& lines) {
  Kinds kinds;
  for (const Line& line : lines) {
    if (line.name == "objective") {
      kinds.objectives.push_back(line);
      kinds.spent += line.times * line.number("epsilon");
      kinds.delta += line.times * objective_delta(line, line.number("epsilon"));
    } else if (line.name == "poisson_sampled") {
      kinds.sampled.push_back(line);
    } else {
      kinds.plain += add_up({line});
    }
  }
  return kinds;
}

double plain_delta(const Totals& totals, double epsilon) {
  if (totals.epsilon <= epsilon * (1 + 1e-9)) return totals.delta;
  if (std::isfinite(totals.mu_squared)) return gaussian_delta(std::sqrt(totals.mu_squared), epsilon);
  return std::min(zcdp_delta(totals.rho, epsilon), mixed_delta(totals, epsilon));
}

double delta_of_lines(const std::vector<Line>& lines, double epsilon, bool replaced) {
  if (lines.empty()) return kNone;
  const Kinds kinds = kinds_of(lines);
  const bool plain = kinds.plain.rho > 0;
  if (kinds.sampled.size() == 1 && kinds.objectives.empty() && !plain) {
    const Line& line = kinds.sampled.front();
    return sampled_delta({line.number("rate"), line.number("noise"), line.times, replaced}, epsilon);
  }
  if (!kinds.sampled.empty()) return kNone;  // together with others it has no price here
  if (kinds.objectives.size() == 1 && !plain) return objective_delta(kinds.objectives.front(), epsilon);
  return kinds.delta + plain_delta(kinds.plain, epsilon - kinds.spent);
}

/// A row replaced where a row removed was stated: one step away, then another. None for what has no such rule here.
std::vector<Line> twice(std::vector<Line> lines) {
  for (Line& line : lines) {
    for (auto& [name, value] : line.numbers) {
      if (name == "delta" && value > 0) value *= 1 + std::exp(line.number("epsilon") / 2);  // epsilon comes first
      if (name == "epsilon" || name == "mu" || name == "decay") value *= 2;
      if (name == "rho") value *= 4;
    }
    if (line.name == "objective") return {};
  }
  return lines;
}

/// A row's value decides its part: a row replaced leaves one part and enters another, or stays.
double by_value(const std::vector<std::string>& parts, double epsilon) {
  double dearest = 0;
  for (std::size_t from = 0; from < parts.size(); ++from) {
    dearest = std::max(dearest, delta_of_lines(twice(read(parts[from])), epsilon, true));
    for (std::size_t to = 0; to < from; ++to) {
      std::vector<Line> both = read(parts[from]);
      const std::vector<Line> other = read(parts[to]);
      if (both.empty() || other.empty()) return kNone;
      both.insert(both.end(), other.begin(), other.end());
      dearest = std::max(dearest, delta_of_lines(both, epsilon, false));
    }
  }
  return dearest;
}

}  // namespace

double delta_of(const std::string& text, double epsilon, bool replaced) {
  if (is_a(text, "parallel_by_position") && !replaced) return kNone;
  if (is_a(text, "parallel_by_value") && replaced) return by_value(inner(text), epsilon);
  if (text.rfind("parallel_by_", 0) == 0 || is_a(text, "one_of")) {
    double dearest = 0;
    for (const std::string& part : inner(text)) dearest = std::max(dearest, delta_of(part, epsilon, replaced));
    return dearest;
  }
  if (text.rfind("selection(zcdp", 0) == 0) {
    const double mean = std::stod(text.substr(text.find("mean=") + 5));
    return selection_delta(read(inner(text).front()).front().number("rho"), mean, epsilon);
  }
  if (is_selection(text)) return Selected(text, replaced).delta(epsilon);
  return delta_of_lines(read(text), epsilon, replaced);
}

}  // namespace sotto::audit::tiny
