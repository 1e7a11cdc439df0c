#pragma once
#include <string>
#include <vector>

/// Layer 2: an accountant of a page that shares no code with the library's. It reads event logs as text, the way a
/// ledger writes them, and adds up.
namespace sotto::audit::tiny {

/// One line of a log: what happened, its numbers, how often.
struct Line {
  std::string name;
  std::vector<std::pair<std::string, double>> numbers;
  double times = 1;
  double number(const std::string& key, double missing = 0) const;
};
/// "3 x gaussian(mu=0.5)", "sequence(pure(epsilon=1), ...)"; an empty list for what it cannot read.
std::vector<Line> read(const std::string& text);

/// Totals in each currency; infinite where a line has none.
struct Totals {
  double epsilon = 0, delta = 0;  ///< sum
  double rho = 0;                 ///< zCDP
  double mu_squared = 0;          ///< GDP
};
Totals add_up(const std::vector<Line>& lines);

/// Profiles: delta at epsilon of mu-GDP, of rho-zCDP by the best order, of objective perturbation, and of `steps`
/// Poisson-sampled Gaussian sums. The last is bracketed by rounding losses down and up; lower end returned.
double gaussian_delta(double mu, double epsilon);
double zcdp_delta(double rho, double epsilon);
double objective_delta(const Line& line, double epsilon);
struct Sampled {
  double rate = 1, noise = 1, steps = 1;
  bool replaced = true;  ///< replace_one, else a row removed
};
double sampled_delta_lower(const Sampled& sampled, double epsilon);

}  // namespace sotto::audit::tiny
