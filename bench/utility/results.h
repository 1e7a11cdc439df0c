#pragma once
#include <map>
#include <string>
#include <vector>

#include "utility/contender.h"

namespace sotto::utility {

/// One point: a method with settings at a budget.
struct Point {
  std::string name;
  std::string settings;
  double epsilon = 0;  ///< infinite: not private
  double delta = 0;

  std::string key() const;
};

struct Score {
  double accuracy = 0;
  double auc = 0;
};

/// Over the runs of a point.
struct Summary {
  Point point;
  std::size_t runs = 0;
  double mean = 0, sd = 0;  ///< accuracy in percent
  double auc = 0;
  double standard_error() const;
};

/// The runs of one data set, kept in a text file to which each is added as it ends: a run that is there is not done
/// again.
class Results {
 public:
  /// `known`: a folder of tables that write_csv wrote, whose points need not be measured again; may be empty.
  Results(std::string folder, std::string set, const std::string& known = {});

  /// Here, and by the known table.
  std::size_t runs(const Point& point) const;
  std::size_t known_runs(const Point& point) const;
  void add(const Point& point, const Score& score);
  /// A point that cannot be, and why.
  void refuse(const Point& point, const std::string& why);
  bool refused(const Point& point) const;

  /// Of the runs here, or what is known of more.
  Summary summary(const Point& point) const;
  std::vector<Summary> summaries() const;
  /// method, settings, relation, epsilon, delta, mean, sd, runs, auc.
  void write_csv() const;
  const std::string& set() const noexcept { return set_; }

 private:
  struct Runs {
    Point point;
    std::vector<Score> scores;
  };
  Runs& runs_of(const Point& point);
  void read_known(const std::string& path);

  std::string folder_, set_;
  std::map<std::string, Runs> runs_;
  std::map<std::string, Summary> known_;
  std::map<std::string, std::string> refused_;
};

}  // namespace sotto::utility
