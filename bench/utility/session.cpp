#include "utility/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/model/evaluation.h"

namespace sotto::utility {
namespace {

/// Figures are repeated by their seeds; a model made with one is stamped *not private*, and none is kept.
constexpr std::uint64_t kSeed = 20170514;
constexpr std::size_t kMinRuns = 3;

double delta_of(const Facts& facts) { return 1 / std::pow(static_cast<double>(facts.rows), 2); }

}  // namespace

Session::Session(const Choice& choice, const std::string& set)
    : choice_(choice), set_(real_set(set)), results_(choice.folder, set, choice.known), splits_(set_.splits) {}

RealData& Session::data(int split) {
  std::unique_ptr<RealData>& data = splits_.at(static_cast<std::size_t>(split));
  if (!data) data = std::make_unique<RealData>(choice_.folder, set_.name, split);
  return *data;
}

Point Session::point_of(const Contender& contender, double epsilon, bool pure) {
  const bool exact = pure || contender.pure || std::isinf(epsilon);
  return {contender.name, contender.settings_text(), epsilon, exact ? 0 : delta_of(data(0).facts())};
}

void Session::run(const Contender& contender, const Point& point, std::size_t number) {
  RealData& rows = data(static_cast<int>(number) % set_.splits);
  const Budget budget{.epsilon = std::isinf(point.epsilon) ? 1.0 : point.epsilon, .delta = point.delta};
  TrainRequest request = request_of(contender, rows.facts(), rows.loss(), budget);
  request.order_seed = kSeed + number;
  BitSource bits(ReproducibleSeed{kSeed + number});
  const Model model = train(rows.train(), request, bits);
  const Evaluation found = evaluate(model, rows.test());
  results_.add(point, {found.accuracy, found.auc});
}

void Session::measure(const Contender& contender, bool pure) {
  for (const double epsilon : choice_.epsilons) {
    const Point point = point_of(contender, epsilon, pure);
    if (results_.known_runs(point) >= choice_.runs) continue;
    const std::clock_t start = std::clock();
    const auto late = [&] { return static_cast<double>(std::clock() - start) > choice_.seconds * CLOCKS_PER_SEC; };
    try {
      while (results_.runs(point) < (late() ? std::min(kMinRuns, choice_.runs) : choice_.runs)) {
        run(contender, point, results_.runs(point));
      }
    } catch (const Error& error) {
      results_.refuse(point, error.what());
      fmt::print("{} {} {}: refused: {}\n", set_.name, contender.name, contender.settings_text(), error.what());
      continue;  // a larger budget may do
    }
    const Summary row = results_.summary(point);
    fmt::print("{} {} [{}] epsilon {} delta {:.2g}: {:.2f} +- {:.2f}, auc {:.4f}, {} runs\n", set_.name, contender.name,
               point.settings, epsilon, point.delta, row.mean, row.sd, row.auc, row.runs);
    std::fflush(stdout);
  }
}

void Session::measure_reference(const Contender& contender) {
  const Point point = point_of(contender, std::numeric_limits<double>::infinity(), false);
  const std::size_t runs = static_cast<std::size_t>(set_.splits);
  if (results_.known_runs(point) >= runs) return;
  while (results_.runs(point) < runs) run(contender, point, results_.runs(point));
}

}  // namespace sotto::utility
