#include <fmt/format.h>

#include <memory>

#include "account_flags.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/accountant/solve.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

enum class Unknown { noise, steps, rate, epsilon, delta };
constexpr auto enum_names(Unknown) {
  return std::array{
      std::pair{std::string_view("noise"), Unknown::noise}, std::pair{std::string_view("steps"), Unknown::steps},
      std::pair{std::string_view("rate"), Unknown::rate}, std::pair{std::string_view("epsilon"), Unknown::epsilon},
      std::pair{std::string_view("delta"), Unknown::delta}};
}

struct CalibrateVerb {
  explicit CalibrateVerb(CLI::App& app) : flags(app) {
    app.add_option("--solve-for", wanted, "noise, epsilon, delta, steps or rate [the first of them that is not given]")
        ->type_name(one_of(choices_of<Unknown>()));
  }

  Unknown unknown() const {
    if (!wanted.empty()) return enum_by_name<Unknown>(wanted, "solve_for");
    if (!flags.given("noise")) return Unknown::noise;
    if (!flags.epsilon()) return Unknown::epsilon;
    if (!flags.delta()) return Unknown::delta;
    if (!flags.given("steps")) return Unknown::steps;
    require(!flags.given("rate"), "solve_for", "every parameter is given; leave out the one to solve for");
    return Unknown::rate;
  }

  Target target() const {
    require(flags.epsilon().has_value(), "epsilon", "must be given");
    return {*flags.epsilon(), flags.delta().value_or(0), flags.relation()};
  }

  /// The plan with the parameter found, the epsilon and the delta it keeps.
  struct Found {
    ReleasePlan plan;
    double epsilon, delta;
  };
  Found solve(Unknown what) const {
    Found found{flags.plan(), flags.epsilon().value_or(0), flags.delta().value_or(0)};
    const auto only = flags.accountant();
    switch (what) {
      case Unknown::noise: found.plan.noise = noise_for(found.plan, target(), only); break;
      case Unknown::steps: found.plan.steps = steps_for(found.plan, target(), only); break;
      case Unknown::rate: found.plan.rate = rate_for(found.plan, target(), only); break;
      case Unknown::epsilon: found.epsilon = epsilon_for(found.plan, {0, found.delta, flags.relation()}, only); break;
      case Unknown::delta: found.delta = delta_for(found.plan, {found.epsilon, 0, flags.relation()}, only); break;
    }
    return found;
  }

  void run(const Output& output) const {
    const Unknown what = unknown();
    Found found = solve(what);
    // All rows at every step: nothing is sampled.
    if (found.plan.rate == 1 && found.plan.sampling == Sampling::poisson) found.plan.sampling = Sampling::none;
    Json json{{"solved_for", enum_name(what)},
              {"noise", found.plan.noise},
              {"steps", found.plan.steps},
              {"rate", found.plan.rate},
              {"epsilon", found.epsilon},
              {"delta", found.delta},
              {"relation", enum_name(flags.relation())},
              {"mechanism", enum_name(found.plan.mechanism)},
              {"sampling", enum_name(found.plan.sampling)},
              {"event", event_text(found.plan.event(flags.relation()))}};
    if (output.json) return output.print(json.dump(2));
    const std::string name(enum_name(what));
    output.print(fmt::format("{} {}: {} {}, {}, {} steps, noise {} keeps {}, {}\nevent: {}", name, json[name].dump(),
                             enum_name(found.plan.sampling), enum_name(found.plan.mechanism), rows_text(found.plan),
                             found.plan.steps, number_text(found.plan.noise),
                             guarantee_text(found.epsilon, found.delta), enum_name(flags.relation()),
                             json["event"].get<std::string>()));
  }

  AccountFlags flags;
  std::string wanted;
};

}  // namespace

void add_calibrate(CLI::App& program, Output& output) {
  add<CalibrateVerb>(program, output, "calibrate", "the noise, steps, rate, epsilon or delta that a target allows");
}

}  // namespace sotto::cli
