#include "utility/results.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto::utility {
namespace {

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, separator);) cells.push_back(cell);
  return cells;
}

}  // namespace

std::string Point::key() const { return fmt::format("{}\t{}\t{}\t{:.6g}", name, settings, epsilon, delta); }

double Summary::standard_error() const { return runs > 0 ? sd / std::sqrt(static_cast<double>(runs)) : 0; }

Results::Results(std::string folder, std::string set, const std::string& known)
    : folder_(std::move(folder)), set_(std::move(set)) {
  if (!known.empty()) read_known(known + "/" + set_ + ".csv");
  std::ifstream file(folder_ + "/" + set_ + ".runs");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = cells_of(line, '\t');
    if (cells.size() != 6) continue;  // cut off by a kill
    const Point point{cells[0], cells[1], std::stod(cells[2]), std::stod(cells[3])};
    runs_of(point).scores.push_back({std::stod(cells[4]), std::stod(cells[5])});
  }
}

void Results::read_known(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // names
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line, ',');
    if (cells.size() != 9) throw Error(ErrorKind::invalid_data, path + ": a line has other than nine cells");
    const Point point{cells[0], cells[1], std::stod(cells[3]), std::stod(cells[4])};
    known_[point.key()] = {point, std::stoul(cells[7]), std::stod(cells[5]), std::stod(cells[6]), std::stod(cells[8])};
  }
}

Results::Runs& Results::runs_of(const Point& point) {
  Runs& runs = runs_[point.key()];
  runs.point = point;
  return runs;
}

std::size_t Results::runs(const Point& point) const {
  const auto found = runs_.find(point.key());
  return found == runs_.end() ? 0 : found->second.scores.size();
}

std::size_t Results::known_runs(const Point& point) const {
  const auto found = known_.find(point.key());
  return found == known_.end() ? 0 : found->second.runs;
}

void Results::add(const Point& point, const Score& score) {
  runs_of(point).scores.push_back(score);
  std::ofstream file(folder_ + "/" + set_ + ".runs", std::ios::app);
  file << fmt::format("{}\t{}\t{}\n", point.key(), score.accuracy, score.auc);
}

void Results::refuse(const Point& point, const std::string& why) { refused_[point.key()] = why; }
bool Results::refused(const Point& point) const { return refused_.contains(point.key()); }

Summary Results::summary(const Point& point) const {
  if (known_runs(point) > runs(point)) return known_.at(point.key());
  Summary result{point};
  const auto found = runs_.find(point.key());
  if (found == runs_.end()) return result;
  const std::vector<Score>& scores = found->second.scores;
  result.runs = scores.size();
  const double count = static_cast<double>(scores.size());
  for (const Score& score : scores) {
    result.mean += 100 * score.accuracy / count;
    result.auc += score.auc / count;
  }
  for (const Score& score : scores) result.sd += std::pow(100 * score.accuracy - result.mean, 2);
  result.sd = scores.size() > 1 ? std::sqrt(result.sd / (count - 1)) : 0;
  return result;
}

std::vector<Summary> Results::summaries() const {
  std::map<std::string, Point> points;
  for (const auto& [key, known] : known_) points[key] = known.point;
  for (const auto& [key, runs] : runs_) points[key] = runs.point;
  std::vector<Summary> all;
  for (const auto& [key, point] : points) all.push_back(summary(point));
  return all;
}

void Results::write_csv() const {
  const std::string path = folder_ + "/" + set_ + ".csv";
  std::ofstream file(path);
  file << "method,settings,relation,epsilon,delta,mean,sd,runs,auc\n";
  for (const Summary& row : summaries()) {
    file << fmt::format("{},{},replace_one,{},{:.6g},{:.3f},{:.3f},{},{:.5f}\n", row.point.name, row.point.settings,
                        row.point.epsilon, row.point.delta, row.mean, row.sd, row.runs, row.auc);
  }
  file.close();
  if (!file) throw Error(ErrorKind::io, path + " cannot be written");
}

}  // namespace sotto::utility
