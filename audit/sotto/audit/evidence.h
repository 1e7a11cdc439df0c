#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// What an audit reports: numbers that were promised beside numbers that were found, and bounds that hold with a stated
/// confidence.
namespace sotto::audit {

/// One promise, put to one test. It stands while `found` is at most `claim`.
struct Finding {
  std::string check;     ///< replay, tightness, samplers, ledger, game, one_run
  std::string subject;   ///< what was audited
  std::string quantity;  ///< what the two numbers are: "epsilon", "mu", "distance over claim"
  double claim = 0;
  double found = 0;
  std::string evidence;                                    ///< how it was found, in words
  double reach = std::numeric_limits<double>::infinity();  ///< the most this test could have found
  bool made = true;                                        ///< false: not tested, and the evidence says why
  bool holds() const noexcept { return found <= claim; }   // a NaN does not hold
  /// Whether it could have fallen at all.
  bool has_power() const noexcept { return reach > claim; }
};

/// What has no test of this kind, and why.
inline Finding not_tested(std::string check, std::string subject, std::string why) {
  Finding finding{std::move(check), std::move(subject), "not tested", 0, 0, std::move(why)};
  finding.made = false;
  return finding;
}

/// How often an event was seen in so many games on each of two neighbours.
struct Tally {
  double games = 0;
  double on_first = 0;
  double on_second = 0;
};

/// Clopper-Pearson: the share of hits is above (below) this with confidence 1 - alpha.
double share_lower(double hits, double games, double alpha);
double share_upper(double hits, double games, double alpha);

/// Lower bounds on epsilon at delta, and on mu of Gaussian differential privacy, that any release with these tallies
/// must have; they hold together with confidence 1 - alpha. The event and its complement are used, in both directions.
double epsilon_lower(const Tally& tally, double delta, double alpha);
double mu_lower(const Tally& tally, double alpha);

/// The chance of one false alarm in a whole audit, shared by at most so many tests by chance.
inline constexpr double kFalseAlarm = 1e-3;
inline constexpr int kMaxTests = 512;
inline constexpr double kTestAlpha = kFalseAlarm / kMaxTests;

}  // namespace sotto::audit
