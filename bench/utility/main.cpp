#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sotto/base/error.h"
#include "utility/session.h"

namespace sotto::utility {
namespace {

struct Flags {
  Choice choice{"build/utility", 20, {0.05, 0.1, 0.2, 0.5, 1, 2, 4}};
  std::vector<std::string> sets;
  std::vector<std::string> tries;
  bool pure = false;
};

void try_out(const Flags& flags) {
  for (const std::string& set : flags.sets) {
    Session session(flags.choice, set);
    for (const std::string& text : flags.tries) session.measure(parse_contender(text), flags.pure);
  }
}

}  // namespace
}  // namespace sotto::utility

int main(int argc, char** argv) {
  CLI::App app("Accuracy of private methods on real data sets, against bars set by other software.");
  sotto::utility::Flags flags;
  app.add_option("--folder", flags.choice.folder, "where prepare.py wrote and results go");
  app.add_option("--sets", flags.sets, "data sets")->delimiter(',');
  app.add_option("--runs", flags.choice.runs, "runs a point");
  app.add_option("--epsilons", flags.choice.epsilons, "budgets")->delimiter(',');
  app.add_flag("--pure", flags.pure, "with --try: delta 0");
  app.add_option("--try", flags.tries, "\"method field=value ...\": this alone");
  CLI11_PARSE(app, argc, argv);
  try {
    sotto::utility::try_out(flags);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "sotto_utility: {}\n", failure.what());
    return 1;
  }
  return 0;
}
