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
/// delta at epsilon of all that a text names: parts, and what a coin chooses among, cost the dearest of them; parts by
/// value, where a row is replaced, the dearest pair of them or one of them twice over; a selection by [Papernot22,
/// Theorem 6], events of one kind as one; of several kinds each has its share of epsilon. Infinite for what it cannot
/// read, and for parts by position where a row is removed: the rows behind it change their parts.
double delta_of(const std::string& text, double epsilon, bool replaced);

/// Totals in each currency; infinite where a line has none.
struct Totals {
  double epsilon = 0, delta = 0;  ///< sum
  double rho = 0;                 ///< zCDP
  double mu_squared = 0;          ///< GDP
  double pure = 0, normal = 0;    ///< epsilon of pure lines beside mu^2 of Gaussian ones
  Totals& operator+=(const Totals& other);
};
Totals add_up(const std::vector<Line>& lines);
/// Renyi divergence of this order: pure lines as randomised response, the dearest of their epsilon; a sampled sum by an
/// integral, to about 1e-6, and of objective perturbation that of its largest shift, which it is at least.
double divergence(const std::vector<Line>& lines, double order, bool replaced);
/// The same of a selection as a text names it, of the largest of the runs it may have; of objective perturbation here
/// what is proven of it. Infinite for what it cannot read.
double selection_divergence(const std::string& text, double order, bool replaced);

/// Profiles: delta at epsilon of mu-GDP, of rho-zCDP by the best order, of the best of Poisson(mean) runs of rho-zCDP,
/// of objective perturbation, and of `steps` Poisson-sampled Gaussian sums; the last to about 1 percent.
double gaussian_delta(double mu, double epsilon);
double zcdp_delta(double rho, double epsilon);
double mixed_delta(const Totals& totals,
                   double epsilon);  ///< pure lines take their epsilon off, Gaussian ones the rest
double selection_delta(double rho, double mean, double epsilon);
double objective_delta(const Line& line, double epsilon);
struct Sampled {
  double rate = 1, noise = 1, steps = 1;
  bool replaced = true;  ///< replace_one, else a row removed
};
double sampled_delta(const Sampled& sampled, double epsilon);

}  // namespace sotto::audit::tiny
