#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "utility/contender.h"
#include "utility/real_data.h"
#include "utility/results.h"

namespace sotto::utility {

/// What is measured.
struct Choice {
  std::string folder;
  std::size_t runs = 20;
  std::vector<double> epsilons;
  std::string known = {};  ///< a folder of tables of earlier runs
  /// A point that takes longer than this gets fewer runs, though not fewer than three.
  double seconds = std::numeric_limits<double>::infinity();
};

/// Trains contenders on one data set and keeps what they reach.
class Session {
 public:
  Session(const Choice& choice, const std::string& set);

  /// Every run of this contender that is not there yet, at every epsilon; delta = 1/m^2, or 0 if `pure`.
  void measure(const Contender& contender, bool pure);
  /// Without a budget, once.
  void measure_reference(const Contender& contender);
  Point point_of(const Contender& contender, double epsilon, bool pure);
  void set_runs(std::size_t runs) noexcept { choice_.runs = runs; }
  Results& results() noexcept { return results_; }
  bool two_classes() { return data(0).facts().classes == 2; }
  double majority() { return 100 * data(0).majority(); }

 private:
  RealData& data(int split);
  void run(const Contender& contender, const Point& point, std::size_t number);

  Choice choice_;
  RealSet set_;
  Results results_;
  std::vector<std::unique_ptr<RealData>> splits_;
};

}  // namespace sotto::utility
