#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "request.h"
#include "sotto/base/fields.h"
#include "sotto/model/json.h"
#include "sotto/privacy/accountant/curve.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/accountant/report.h"
#include "sotto/privacy/accountant/solve.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

Event checked(Event event) {
  check(event);
  return event;
}

Relation relation_of(const std::string& name) { return enum_by_name<Relation>(name, "relation"); }
AccountantChoice accountant_of(const std::string& name) { return enum_by_name<AccountantChoice>(name, "accountant"); }

std::string report_json(const AccountReport& report) {
  Json lines = Json::array();
  for (const AccountLine& line : report.lines) {
    Json entry{{"accountant", enum_name(line.accountant)}, {"theorem", line.theorem}};
    if (line.value) entry["value"] = Json{{"lower", line.value->lower}, {"upper", line.value->upper}};
    if (!line.detail.empty()) entry["detail"] = line.detail;
    if (!line.refused.empty()) entry["refused"] = line.refused;
    lines.push_back(entry);
  }
  return Json{{"upper", report.value.upper},
              {"lower", report.value.lower},
              {"accountant", enum_name(report.tightest)},
              {"accountants", lines}}
      .dump();
}

std::string epsilon_json(const Event& event, double delta, const std::string& relation, const std::string& accountant) {
  const nb::gil_scoped_release unlocked;
  return report_json(account_epsilon(event, relation_of(relation), delta, accountant_of(accountant)));
}

std::string delta_json(const Event& event, double epsilon, const std::string& relation, const std::string& accountant) {
  const nb::gil_scoped_release unlocked;
  return report_json(account_delta(event, relation_of(relation), epsilon, accountant_of(accountant)));
}

using Point = std::tuple<double, double, double>;

std::vector<Point> profile(const Event& event, const std::string& relation, double most, std::size_t points) {
  const nb::gil_scoped_release unlocked;
  std::vector<Point> found;
  for (const ProfilePoint& p : privacy_profile(event, relation_of(relation), most, points)) {
    found.emplace_back(p.epsilon, p.delta_lower, p.delta_upper);
  }
  return found;
}

std::vector<double> trade_off_curve(const std::vector<Point>& points, const std::vector<double>& alphas) {
  std::vector<ProfilePoint> known;
  for (const auto& [epsilon, lower, upper] : points) known.push_back({epsilon, lower, upper});
  std::vector<double> betas;
  for (const TradeOffPoint& p : trade_off(known, alphas)) betas.push_back(p.beta);
  return betas;
}

ReleasePlan plan_from(const GivenFields& given) {
  ReleasePlan plan;
  for (const auto& [name, text] : given) {
    require(set_field(plan, name, text), name, "a plan of releases has no parameter " + name);
  }
  return plan;
}

Target target_from(double epsilon, double delta, const std::string& relation) {
  return {epsilon, delta, relation_of(relation)};
}

void bind_events(nb::module_& module) {
  nb::class_<Event>(module, "Event", "What a release costs, as a tree.")
      .def("__repr__", [](const Event& e) { return event_text(e); })
      .def("__eq__",
           [](const Event& a, const Event& b) {
             return static_cast<const EventVariant&>(a) == static_cast<const EventVariant&>(b);
           })
      .def_prop_ro("kind", [](const Event& e) { return std::string(summary(e).name); });
  module.def(
      "pure", [](double epsilon) { return checked(PureEvent{epsilon}); }, nb::arg("epsilon"));
  module.def(
      "approximate",
      [](double epsilon, double delta) {
        return checked(ApproximateEvent{epsilon, delta});
      },
      nb::arg("epsilon"), nb::arg("delta"));
  module.def(
      "l2_laplace", [](double epsilon) { return checked(L2LaplaceEvent{epsilon}); }, nb::arg("epsilon"));
  module.def(
      "laplace", [](double epsilon) { return checked(ScalarLaplaceEvent{epsilon}); }, nb::arg("epsilon"));
  module.def(
      "gaussian", [](double mu) { return checked(GaussianEvent{mu}); }, nb::arg("mu"));
  module.def(
      "zcdp", [](double rho) { return checked(ZcdpEvent{rho}); }, nb::arg("rho"));
  module.def(
      "exponential", [](double epsilon) { return checked(ExponentialEvent{epsilon}); }, nb::arg("epsilon"));
  module.def(
      "poisson_sampled",
      [](double rate, double noise) {
        return checked(PoissonSampledEvent{rate, noise});
      },
      nb::arg("rate"), nb::arg("noise"));
  module.def(
      "fixed_size_sampled",
      [](double rate, double noise) {
        return checked(FixedSizeSampledEvent{rate, noise});
      },
      nb::arg("rate"), nb::arg("noise"));
  module.def(
      "repeat", [](const Event& event, std::uint64_t times) { return checked(repeat(event, times)); }, nb::arg("event"),
      nb::arg("times"));
  module.def(
      "sequence", [](std::vector<Event> events) { return checked(sequence(std::move(events))); }, nb::arg("events"));
  module.def(
      "parallel",
      [](std::vector<Event> parts, const std::string& by) {
        return checked(parallel(std::move(parts), enum_by_name<PartBy>(by, "by")));
      },
      nb::arg("parts"), nb::arg("by"));
}

void bind_filter(nb::module_& module) {
  nb::class_<Filter>(module, "Filter", "A budget for spending that is decided as it goes.")
      .def_prop_ro("kind", [](const Filter& f) { return std::string(enum_name(f.kind())); })
      .def_prop_ro("currency", &Filter::currency)
      .def_prop_ro("spent", [](const Filter& f) { return Filter::text_of(f.spent()); })
      .def_prop_ro("limit", [](const Filter& f) { return Filter::text_of(f.limit()); })
      .def_prop_ro("remaining", [](const Filter& f) { return Filter::text_of(f.remaining()); })
      .def(
          "fits", [](const Filter& f, const Event& event) { return f.fits(f.cost_of(event)); }, nb::arg("event"))
      .def(
          "spend", [](Filter& f, const Event& event) { f.spend(f.cost_of(event)); }, nb::arg("event"));
  module.def(
      "open_filter",
      [](const std::string& kind, double epsilon, double delta, const std::string& relation) {
        return Filter::open(enum_by_name<FilterKind>(kind, "filter"), {epsilon, delta, relation_of(relation)});
      },
      nb::arg("kind"), nb::arg("epsilon"), nb::arg("delta"), nb::arg("relation"));
}

}  // namespace

void bind_accounting(nb::module_& module) {
  bind_events(module);
  bind_filter(module);
  module.def("account_epsilon", &epsilon_json, nb::arg("event"), nb::arg("delta"), nb::arg("relation"),
             nb::arg("accountant"));
  module.def("account_delta", &delta_json, nb::arg("event"), nb::arg("epsilon"), nb::arg("relation"),
             nb::arg("accountant"));
  module.def("profile", &profile, nb::arg("event"), nb::arg("relation"), nb::arg("most"), nb::arg("points"));
  module.def("trade_off", &trade_off_curve, nb::arg("profile"), nb::arg("alphas"));
  module.def(
      "release_event",
      [](const GivenFields& plan, const std::string& relation) { return plan_from(plan).event(relation_of(relation)); },
      nb::arg("plan"), nb::arg("relation"));
  module.def(
      "noise_for",
      [](const GivenFields& plan, double epsilon, double delta, const std::string& relation) {
        return noise_for(plan_from(plan), target_from(epsilon, delta, relation));
      },
      nb::arg("plan"), nb::arg("epsilon"), nb::arg("delta"), nb::arg("relation"));
  module.def(
      "steps_for",
      [](const GivenFields& plan, double epsilon, double delta, const std::string& relation) {
        return steps_for(plan_from(plan), target_from(epsilon, delta, relation));
      },
      nb::arg("plan"), nb::arg("epsilon"), nb::arg("delta"), nb::arg("relation"));
  module.def(
      "rate_for",
      [](const GivenFields& plan, double epsilon, double delta, const std::string& relation) {
        return rate_for(plan_from(plan), target_from(epsilon, delta, relation));
      },
      nb::arg("plan"), nb::arg("epsilon"), nb::arg("delta"), nb::arg("relation"));
}

}  // namespace sotto::python
