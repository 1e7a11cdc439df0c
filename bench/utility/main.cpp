#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <limits>

#include "sotto/base/error.h"
#include "utility/bars.h"
#include "utility/figure.h"
#include "utility/lee18.h"
#include "utility/session.h"

namespace sotto::utility {
namespace {

struct Flags {
  Choice choice{"build/utility", 20, {0.05, 0.1, 0.2, 0.5, 1, 2, 4}};
  std::vector<std::string> sets;
  std::vector<std::string> tries;
  std::size_t grid_runs = 5;
  bool pure = false;
  bool quick = false;
  bool lee18 = false;
  bool report = false;
};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error(ErrorKind::io, path + " cannot be written");
}

/// CSV and SVG of one set; its lines of the bars table and what is not as promised are added to `report`.
void publish(Session& session, const Flags& flags, std::vector<std::string>& report) {
  Results& results = session.results();
  results.write_csv();
  const Contender reference = references().front();
  session.measure_reference(reference);
  const Summary exact = results.summary(session.point_of(reference, std::numeric_limits<double>::infinity(), false));
  write_text(flags.choice.folder + "/" + results.set() + ".svg", figure(results, {exact.mean, session.majority()}));
  const double delta = session.point_of({"auto", "auto"}, 1, false).delta;
  for (const std::string& line : bar_lines(results, delta)) report.push_back(line);
  if (real_set(results.set()).shifted) {
    report.push_back(results.set() +
                     ": not judged; its test rows are of another distribution, where better fits do worse");
    return;
  }
  for (const std::string& line : breaches(results, reference.name)) report.push_back("not as promised: " + line);
}

void measure_all(Session& session, const Flags& flags) {
  for (const Contender& method : product_methods(session.two_classes())) {
    session.measure(method, false);
    session.measure(method, true);
  }
  if (flags.quick) return;
  for (const Contender& method : private_methods()) session.measure(method, false);
  session.set_runs(std::min(flags.choice.runs, flags.grid_runs));
  for (const Contender& method : tuned_grids()) session.measure(method, false);
  session.set_runs(flags.choice.runs);
}

void run(const Flags& flags) {
  std::vector<std::string> names = flags.sets, report;
  if (names.empty()) {
    for (const RealSet& set : real_sets()) names.push_back(set.name);
  }
  for (const std::string& name : names) {
    if (flags.lee18) break;
    Session session(flags.choice, name);
    for (const std::string& text : flags.tries) session.measure(parse_contender(text), flags.pure);
    if (!flags.tries.empty()) continue;
    if (!flags.report) measure_all(session, flags);
    publish(session, flags, report);
  }
  if (flags.lee18 || (!flags.quick && !flags.report && flags.tries.empty())) compare_lee18(flags.choice);
  if (report.empty()) return;
  fmt::print("\nauto against the bars, replace_one, with the better of two losses:\n");
  for (const std::string& line : report) fmt::print("  {}\n", line);
}

}  // namespace
}  // namespace sotto::utility

int main(int argc, char** argv) {
  CLI::App app("Accuracy of private methods on real data sets, against bars set by other software.");
  sotto::utility::Flags flags;
  app.add_option("--folder", flags.choice.folder, "where prepare.py wrote and results go");
  app.add_option("--sets", flags.sets, "data sets; all if none is named")->delimiter(',');
  app.add_option("--runs", flags.choice.runs, "runs a point")->check(CLI::PositiveNumber);
  app.add_option("--grid-runs", flags.grid_runs, "the same of grids that are tuned, at most")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", flags.choice.seconds,
                 "a point that takes more processor time gets fewer runs, at least 3")
      ->check(CLI::PositiveNumber);
  app.add_option("--epsilons", flags.choice.epsilons, "budgets")->delimiter(',');
  app.add_option("--known", flags.choice.known,
                 "a folder of tables of earlier runs: points with as many runs there are not measured again");
  app.add_flag("--quick", flags.quick, "auto alone, and no comparison of dp_agd");
  app.add_flag("--lee18", flags.lee18, "the comparison of dp_agd alone");
  app.add_flag("--report", flags.report, "tables and figures of the runs that are there, no new ones");
  app.add_option("--try", flags.tries, "\"method field=value ...\": this alone");
  app.add_flag("--pure", flags.pure, "with --try: delta 0");
  CLI11_PARSE(app, argc, argv);
  try {
    sotto::utility::run(flags);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "sotto_utility: {}\n", failure.what());
    return 1;
  }
  return 0;
}
