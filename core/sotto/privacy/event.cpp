#include "sotto/privacy/event.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr double kMaxLoss = 1e4;   // beyond this exp(epsilon) is not a number one works with
constexpr double kMaxNoise = 1e9;  // beyond this the loss of a release is below every rounding error
constexpr double kMinNoise = 1e-3;
constexpr std::uint64_t kMaxRepeats = std::uint64_t{1} << 40;
constexpr int kDeepest = 64;

void in_range(double value, double low, double high, std::string_view field) {
  require(value > low && value <= high, field,
          "got " + number_text(value) + ", must be above " + number_text(low) + " and at most " + number_text(high));
}

void check_sampling(double rate, double noise) {
  require(rate > 0 && rate <= 1, "rate", "got " + number_text(rate) + ", must be above 0 and at most 1");
  require(rate >= 1e-12, "rate", "got " + number_text(rate) + ", must be at least 1e-12");
  require(noise >= kMinNoise && noise <= kMaxNoise, "noise",
          "got " + number_text(noise) + ", must lie in [0.001, 1e9]");
}

struct Checker {
  int depth = 0;
  std::uint64_t times = 1;  ///< of all repeats around the event together, at most kMaxRepeats
  void below(const Event& event) const { below(event, times); }
  void below(const Event& event, std::uint64_t all_times) const {
    require(depth < kDeepest, "events", "are nested too deeply");
    std::visit(Checker{depth + 1, all_times}, event);
  }
  void operator()(const PureEvent& e) const { in_range(e.epsilon, 0, kMaxLoss, "epsilon"); }
  void operator()(const ApproximateEvent& e) const {
    require(e.epsilon >= 0 && e.epsilon <= kMaxLoss, "epsilon", "must lie in [0, 10000]");
    require(e.delta >= 0 && e.delta < 1, "delta", "must lie in [0, 1)");
  }
  void operator()(const L2LaplaceEvent& e) const { in_range(e.epsilon, 0, kMaxLoss, "epsilon"); }
  void operator()(const DiscreteLaplaceEvent& e) const { in_range(e.epsilon, 0, kMaxLoss, "epsilon"); }
  void operator()(const ScalarLaplaceEvent& e) const { in_range(e.epsilon, 0, kMaxLoss, "epsilon"); }
  void operator()(const ScalarDiscreteLaplaceEvent& e) const {
    require(e.shift > 0 && e.shift <= 1000000, "shift", "must be a whole number from 1 to 1000000");
    in_range(e.decay * static_cast<double>(e.shift), 0, kMaxLoss, "decay");
  }
  void operator()(const GaussianEvent& e) const { in_range(e.mu, 0, 1e3, "mu"); }
  void operator()(const DiscreteGaussianEvent& e) const { in_range(e.rho, 0, 1e6, "rho"); }
  void operator()(const ZcdpEvent& e) const { in_range(e.rho, 0, 1e6, "rho"); }
  void operator()(const ExponentialEvent& e) const { in_range(e.epsilon, 0, kMaxLoss, "epsilon"); }
  void operator()(const ObjectiveEvent& e) const {
    in_range(e.epsilon, 0, kMaxLoss, "epsilon");
    require(e.log_determinant >= 0 && e.log_determinant <= kMaxLoss, "log_determinant", "must lie in [0, 10000]");
    in_range(e.release_mu, 0, 1e3, "release_mu");
    require(!e.shifts.empty() && e.shifts.size() <= 64, "shifts", "must be from 1 to 64");
    for (const ObjectiveEvent::Shift& shift : e.shifts) {
      in_range(shift.mu, 0, 1e3, "mu");
      require(shift.count >= 1 && shift.count <= 1e12, "count", "must lie in [1, 1e12]");
    }
  }
  void operator()(const PoissonSampledEvent& e) const {
    check_sampling(e.rate, e.noise);
    require(e.shift > 0 && e.shift <= 1000000, "shift", "must be a whole number from 1 to 1000000");
    require(e.shift == 1 || e.law == NoiseLaw::discrete_laplace, "shift", "is for integers; scale the noise instead");
    in_range(static_cast<double>(e.shift) / e.noise, 0, kMaxLoss, "noise");
  }
  void operator()(const FixedSizeSampledEvent& e) const { check_sampling(e.rate, e.noise); }
  void operator()(const WithReplacementEvent& e) const {
    check_sampling(e.rate, e.noise);
    require(
        e.rate == 1 / std::round(1 / e.rate), "rate",
        "got " + number_text(e.rate) + ", must be 1 over a whole number of rows: a draw with replacement takes one");
    require(e.draws > 0, "draws", "must be at least 1");
  }
  void operator()(const SelectionEvent& e) const {
    std::visit([](const auto& runs) { in_range(runs.mean, 0, 1e9, "mean"); }, e.runs);
    if (const auto* runs = std::get_if<NegativeBinomialRuns>(&e.runs)) {
      require(runs->shape > -1 && runs->shape <= 1e3, "shape", "must be above -1 and at most 1000");
      require(runs->mean > 1, "mean", "of a truncated count must be above 1");
    }
    below(*e.run, 1);  // accounted on its own
  }
  void operator()(const RepeatEvent& e) const {
    require(e.times <= kMaxRepeats, "times", "got " + std::to_string(e.times) + ", must be at most 2^40");
    require(e.times == 0 || times <= kMaxRepeats / e.times, "times", "of nested repeats multiply to more than 2^40");
    below(*e.event, times * e.times);
  }
  void operator()(const SequenceEvent& e) const {
    for (const Event& event : e.events) below(event);
  }
  void operator()(const ParallelEvent& e) const {
    for (const Event& event : e.parts) below(event);
  }
  void operator()(const OneOfEvent& e) const {
    // The coin must have fallen on something.
    require(!e.events.empty(), "events", "to choose from by a coin must be at least 1");
    for (const Event& event : e.events) below(event);
  }
};

struct Summarizer {
  template <class E>
  requires requires(const E& e) { e.epsilon; }
  EventSummary operator()(const E& e) const { return {E::kName, "epsilon", e.epsilon}; }
  template <class E>
  requires requires(const E& e) { e.noise; }
  EventSummary operator()(const E& e) const { return {E::kName, "noise", e.noise}; }
  EventSummary operator()(const ScalarDiscreteLaplaceEvent& e) const { return {e.kName, "decay", e.decay}; }
  EventSummary operator()(const GaussianEvent& e) const { return {e.kName, "mu", e.mu}; }
  EventSummary operator()(const DiscreteGaussianEvent& e) const { return {e.kName, "rho", e.rho}; }
  EventSummary operator()(const ZcdpEvent& e) const { return {e.kName, "rho", e.rho}; }
  EventSummary operator()(const SelectionEvent& e) const {
    return {e.kName, "mean", std::visit([](const auto& runs) { return runs.mean; }, e.runs)};
  }
  EventSummary operator()(const RepeatEvent& e) const { return {e.kName, "times", static_cast<double>(e.times)}; }
  EventSummary operator()(const SequenceEvent& e) const {
    return {e.kName, "events", static_cast<double>(e.events.size())};
  }
  EventSummary operator()(const ParallelEvent& e) const {
    return {e.kName, "parts", static_cast<double>(e.parts.size())};
  }
  EventSummary operator()(const OneOfEvent& e) const {
    return {e.kName, "parts", static_cast<double>(e.events.size())};  // the word of cards since format 1
  }
};

std::string list_text(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) text += (text.empty() ? "" : ", ") + event_text(event);
  return "(" + text + ")";
}

struct Speller {
  template <class E>
  std::string operator()(const E& e) const {
    const EventSummary s = Summarizer{}(e);
    return std::string(s.name) + "(" + std::string(s.parameter) + "=" + number_text(s.value) + more(e) + ")";
  }
  std::string operator()(const SelectionEvent& e) const {
    std::string text = "selection(" + event_text(*e.run) + ", " + std::string(name_of(e.runs));
    std::visit([&](const auto& runs) { text += " mean=" + number_text(runs.mean); }, e.runs);
    if (const auto* runs = std::get_if<NegativeBinomialRuns>(&e.runs)) text += " shape=" + number_text(runs->shape);
    return text + ")";
  }
  std::string operator()(const RepeatEvent& e) const { return std::to_string(e.times) + " x " + event_text(*e.event); }
  std::string operator()(const SequenceEvent& e) const { return "sequence" + list_text(e.events); }
  std::string operator()(const ParallelEvent& e) const {
    return "parallel_by_" + std::string(enum_name(e.by)) + list_text(e.parts);
  }
  std::string operator()(const OneOfEvent& e) const { return "one_of" + list_text(e.events); }

 private:
  template <class E>
  static std::string more(const E& e) {
    std::string text;
    if constexpr (requires { e.delta; }) text += ", delta=" + number_text(e.delta);
    if constexpr (requires { e.log_determinant; }) {
      text += ", log_determinant=" + number_text(e.log_determinant) + ", release_mu=" + number_text(e.release_mu);
      for (const auto& shift : e.shifts) text += ", " + number_text(shift.count) + " mu=" + number_text(shift.mu);
    }
    if constexpr (requires { e.rate; }) text += ", rate=" + number_text(e.rate);
    if constexpr (requires { e.law; }) text += ", law=" + std::string(enum_name(e.law));
    if constexpr (requires { e.shift; }) text += ", shift=" + std::to_string(e.shift);
    if constexpr (requires { e.draws; }) text += ", draws=" + std::to_string(e.draws);
    return text;
  }
};

}  // namespace

bool SelectionEvent::operator==(const SelectionEvent& other) const { return *run == *other.run && runs == other.runs; }
bool RepeatEvent::operator==(const RepeatEvent& other) const { return times == other.times && *event == *other.event; }
bool SequenceEvent::operator==(const SequenceEvent& other) const { return events == other.events; }
bool ParallelEvent::operator==(const ParallelEvent& other) const { return by == other.by && parts == other.parts; }
bool OneOfEvent::operator==(const OneOfEvent& other) const { return events == other.events; }

Event repeat(Event event, std::uint64_t times) { return RepeatEvent{Box<Event>(std::move(event)), times}; }
Event sequence(std::vector<Event> events) { return SequenceEvent{std::move(events)}; }
Event parallel(std::vector<Event> parts, PartBy by) { return ParallelEvent{std::move(parts), by}; }
Event one_of(const std::vector<Event>& events) {
  std::vector<Event> distinct;
  for (const Event& event : events) {
    if (std::find(distinct.begin(), distinct.end(), event) == distinct.end()) distinct.push_back(event);
  }
  return distinct.size() == 1 ? distinct.front() : Event(OneOfEvent{std::move(distinct)});
}
Event select_best(Event run, std::variant<PoissonRuns, NegativeBinomialRuns> runs) {
  return SelectionEvent{Box<Event>(std::move(run)), runs};
}

void check(const Event& event) { std::visit(Checker{}, event); }
EventSummary summary(const Event& event) { return std::visit(Summarizer{}, event); }
std::string event_text(const Event& event) { return std::visit(Speller{}, event); }

Event event_of(std::span<const Charge> charges) {
  std::vector<Event> events;
  for (const Charge& charge : charges) {
    // Parts of one charge are equal, so the dearest is any of them.
    events.push_back(charge.times == 1 ? charge.event : repeat(charge.event, charge.times));
  }
  return events.size() == 1 ? events.front() : sequence(std::move(events));
}

double composed_delta(std::span<const Charge> charges, double epsilon) {
  if (charges.empty()) return 0;
  std::size_t gaussian = 0, discrete = 0;
  for (const Charge& charge : charges) {
    gaussian += std::holds_alternative<GaussianEvent>(charge.event);
    discrete += std::holds_alternative<DiscreteGaussianEvent>(charge.event);
    discrete += std::holds_alternative<ZcdpEvent>(charge.event);
  }
  const std::size_t pure = charges.size() - gaussian - discrete;
  if ((gaussian > 0) + (discrete > 0) + (pure > 0) > 1) {
    throw Error(ErrorKind::unsupported, "a plan that mixes kinds of events needs an accountant that composes them");
  }
  const Event event = event_of(charges);
  // The events of mechanisms cost the same under both relations: their parameters are relative to the sensitivity.
  constexpr Relation kAny = Relation::replace_one;
  if (gaussian > 0) return gaussian_delta(gdp_mu_of(event, kAny), epsilon);
  if (discrete > 0) return zcdp_delta(zcdp_rho_of(event, kAny), epsilon);
  const PureSum sum = pure_sum(event, kAny);
  // A share epsilon / times is rounded, so its multiple may be off by that rounding.
  return sum.epsilon <= Exact(epsilon * (1 + 1e-12)) ? rounded_up(sum.delta) : 1.0;
}

}  // namespace sotto
