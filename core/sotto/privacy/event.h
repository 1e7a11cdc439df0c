#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/privacy/budget.h"

/// What a release costs, as a tree. An event holds exactly the numbers an accountant needs; its comment is its
/// definition. Mechanism parameters are relative to the sensitivity under the relation the event is accounted in; the
/// noise of sampled events is relative to the norm one row is clipped to, and the accountant applies the relation.
namespace sotto {

struct Event;

/// A heap cell with value semantics, so that an event can hold an event.
template <class T>
class Box {
 public:
  explicit Box(T value) : cell_(std::make_unique<T>(std::move(value))) {}
  Box(const Box& other) : cell_(std::make_unique<T>(*other.cell_)) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    cell_ = std::make_unique<T>(*other.cell_);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;
  const T& operator*() const noexcept { return *cell_; }
  const T* operator->() const noexcept { return cell_.get(); }

 private:
  std::unique_ptr<T> cell_;
};

/// Any release M with P[M(S) in A] <= exp(epsilon) P[M(S') in A] for neighbours S, S' and all A.
struct PureEvent {
  static constexpr std::string_view kName = "pure";
  double epsilon = 0;
  bool operator==(const PureEvent&) const = default;
};
/// Any release M with P[M(S) in A] <= exp(epsilon) P[M(S') in A] + delta.
struct ApproximateEvent {
  static constexpr std::string_view kName = "approximate";
  double epsilon = 0;
  double delta = 0;
  bool operator==(const ApproximateEvent&) const = default;
};
/// Noise with density proportional to exp(-epsilon |x| / sensitivity) in the L2 norm, any dimension: pure epsilon.
struct L2LaplaceEvent {
  static constexpr std::string_view kName = "l2_laplace";
  double epsilon = 0;
  bool operator==(const L2LaplaceEvent&) const = default;
};
/// Independent integer noise P(k) proportional to exp(-|k| / scale) in each coordinate: pure epsilon.
struct DiscreteLaplaceEvent {
  static constexpr std::string_view kName = "discrete_laplace";
  double epsilon = 0;
  bool operator==(const DiscreteLaplaceEvent&) const = default;
};
/// One real number plus noise of density proportional to exp(-epsilon |x| / sensitivity).
struct ScalarLaplaceEvent {
  static constexpr std::string_view kName = "scalar_laplace";
  double epsilon = 0;
  bool operator==(const ScalarLaplaceEvent&) const = default;
};
/// One integer of sensitivity `shift` plus noise P(k) proportional to exp(-decay |k|): epsilon = decay * shift.
struct ScalarDiscreteLaplaceEvent {
  static constexpr std::string_view kName = "scalar_discrete_laplace";
  double decay = 0;
  std::uint64_t shift = 1;
  bool operator==(const ScalarDiscreteLaplaceEvent&) const = default;
};
/// Gaussian noise whose standard deviation is sensitivity / mu: mu-GDP, exactly.
struct GaussianEvent {
  static constexpr std::string_view kName = "gaussian";
  double mu = 0;
  bool operator==(const GaussianEvent&) const = default;
};
/// Discrete Gaussian noise: rho-zCDP.
struct DiscreteGaussianEvent {
  static constexpr std::string_view kName = "discrete_gaussian";
  double rho = 0;
  bool operator==(const DiscreteGaussianEvent&) const = default;
};
/// Any release that is rho-zCDP; it may be adaptive.
struct ZcdpEvent {
  static constexpr std::string_view kName = "zcdp";
  double rho = 0;
  bool operator==(const ZcdpEvent&) const = default;
};
/// A choice whose log-probabilities move, between neighbours, by amounts that span at most epsilon (bounded range);
/// the exponential mechanism of spec 4.3 with e = epsilon.
struct ExponentialEvent {
  static constexpr std::string_view kName = "exponential";
  double epsilon = 0;
  bool operator==(const ExponentialEvent&) const = default;
};

/// The minimiser of a convex sum with a random linear term, then Gaussian noise on it (spec 7.7). Its privacy loss is
/// at most log_determinant + max(0, G_1, ..., G_n) + O, where each G has the law of the loss of a Gaussian release of
/// shift mu (`count` of each), O that of shift release_mu, and the sum G + O that of shift sqrt(mu^2 + release_mu^2).
struct ObjectiveEvent {
  static constexpr std::string_view kName = "objective";
  struct Shift {
    double mu = 0;
    double count = 1;
    bool operator==(const Shift&) const = default;
  };
  double epsilon = 0;  ///< the point of its profile that is used where epsilon and delta are added
  double log_determinant = 0;
  double release_mu = 0;
  std::vector<Shift> shifts;
  bool operator==(const ObjectiveEvent&) const = default;
};

/// The law of the noise of a sampled event, on the scale of a row's contribution: standard deviation of the Gaussian,
/// scale b of the Laplace density exp(-|x| / b) or mass exp(-|k| / b) for one number.
enum class NoiseLaw { gaussian, laplace, discrete_laplace };
constexpr auto enum_names(NoiseLaw) {
  return std::array{std::pair{std::string_view("gaussian"), NoiseLaw::gaussian},
                    std::pair{std::string_view("laplace"), NoiseLaw::laplace},
                    std::pair{std::string_view("discrete_laplace"), NoiseLaw::discrete_laplace}};
}

/// The sum over a random batch, each row in it with probability `rate` independently, of contributions of norm at most
/// 1 (for discrete_laplace: integers of size at most `shift`), plus noise (spec 6.2).
struct PoissonSampledEvent {
  static constexpr std::string_view kName = "poisson_sampled";
  double rate = 1;
  double noise = 0;
  NoiseLaw law = NoiseLaw::gaussian;
  std::uint64_t shift = 1;
  bool operator==(const PoissonSampledEvent&) const = default;
};
/// The sum over a batch of fixed size, uniform among all batches of that size (rate = size / rows), of contributions of
/// norm at most 1, plus Gaussian noise; replace_one only.
struct FixedSizeSampledEvent {
  static constexpr std::string_view kName = "fixed_size_sampled";
  double rate = 1;
  double noise = 0;
  bool operator==(const FixedSizeSampledEvent&) const = default;
};
/// The sum over `draws` rows, each drawn from all rows (rate = 1 / rows), as above; only one draw has a proof here.
struct WithReplacementEvent {
  static constexpr std::string_view kName = "with_replacement_sampled";
  double rate = 1;
  double noise = 0;
  std::uint64_t draws = 1;
  bool operator==(const WithReplacementEvent&) const = default;
};

/// Number of runs ~ Poisson(mean); no run returns a public default.
struct PoissonRuns {
  static constexpr std::string_view kName = "poisson";
  double mean = 1;
  bool operator==(const PoissonRuns&) const = default;
};
/// Number of runs ~ truncated negative binomial of this mean and shape eta > -1 (0: logarithmic, 1: geometric).
struct NegativeBinomialRuns {
  static constexpr std::string_view kName = "negative_binomial";
  double mean = 1;
  double shape = 1;
  bool operator==(const NegativeBinomialRuns&) const = default;
};
/// The best of a random, unreported number of independent runs of `run`, each with its score (spec 6.7).
struct SelectionEvent {
  static constexpr std::string_view kName = "selection";
  Box<Event> run;
  std::variant<PoissonRuns, NegativeBinomialRuns> runs;
  bool operator==(const SelectionEvent& other) const;
};

/// `event`, `times` in sequence, on the same rows.
struct RepeatEvent {
  static constexpr std::string_view kName = "repeat";
  Box<Event> event;
  std::uint64_t times = 1;
  bool operator==(const RepeatEvent& other) const;
};
/// All events, one after the other, on the same rows.
struct SequenceEvent {
  static constexpr std::string_view kName = "sequence";
  std::vector<Event> events;
  bool operator==(const SequenceEvent& other) const;
};
/// What decides which part a row is in (spec 6.3, 6.3a).
/// position: the row's place. Removing a row moves the rows behind it to other parts, so replace_one only.
/// key: a public key of the row itself, which a row in its place has too, or a secret coin of each row that is
///   independent of all values. No other row moves, so both relations.
/// value: anything else about the row. Each part is to be stated under add_remove.
enum class PartBy { position, key, value };
constexpr auto enum_names(PartBy) {
  return std::array{std::pair{std::string_view("position"), PartBy::position},
                    std::pair{std::string_view("key"), PartBy::key},
                    std::pair{std::string_view("value"), PartBy::value}};
}
/// One event per part. Each reads the rows of its part only, and every part happens.
struct ParallelEvent {
  static constexpr std::string_view kName = "parallel";
  std::vector<Event> parts;
  PartBy by;
  bool operator==(const ParallelEvent& other) const;
};
/// One of the events happens, and reads all rows. A coin that is independent of all rows, of the same law for
/// neighbours, decides which.
struct OneOfEvent {
  static constexpr std::string_view kName = "one_of";
  std::vector<Event> events;
  bool operator==(const OneOfEvent& other) const;
};

using EventVariant =
    std::variant<PureEvent, ApproximateEvent, L2LaplaceEvent, DiscreteLaplaceEvent, ScalarLaplaceEvent,
                 ScalarDiscreteLaplaceEvent, GaussianEvent, DiscreteGaussianEvent, ZcdpEvent, ExponentialEvent,
                 ObjectiveEvent, PoissonSampledEvent, FixedSizeSampledEvent, WithReplacementEvent, SelectionEvent,
                 RepeatEvent, SequenceEvent, ParallelEvent, OneOfEvent>;

/// The closed set of events; std::visit takes it, and a visitor that forgets a member does not compile.
struct Event : EventVariant {
  using EventVariant::EventVariant;
  Event() : EventVariant(SequenceEvent{}) {}
};

Event repeat(Event event, std::uint64_t times);
Event sequence(std::vector<Event> events);
/// There is no default for `by`: what decides a row's part is what the price depends on.
Event parallel(std::vector<Event> parts, PartBy by);
/// One of the events, by a coin; equal ones are one, and of one kind alone the event itself.
Event one_of(const std::vector<Event>& events);
Event select_best(Event run, std::variant<PoissonRuns, NegativeBinomialRuns> runs);

/// Throws Error{invalid_argument} naming the parameter unless every number of the tree is in range.
void check(const Event& event);
/// "gaussian", its main parameter and that parameter's value; composite events have none.
struct EventSummary {
  std::string_view name;
  std::string_view parameter;
  double value = 0;
};
EventSummary summary(const Event& event);
/// One line, the whole tree, every number in its one spelling.
std::string event_text(const Event& event);

/// One line of a plan: the event happens `times` in sequence to the same rows, each time on `parts` disjoint parts
/// fixed by position, which compose in parallel under replace_one (spec 6.3). Noise is drawn times * parts times.
struct Charge {
  Event event{};
  std::uint64_t times = 1;
  std::uint64_t parts = 1;
  std::uint64_t draws() const noexcept { return times * parts; }
};
/// What the charges cost together, as one event.
Event event_of(std::span<const Charge> charges);

/// delta spent by charges of one kind at the given epsilon, without delta_num: 0 for pure events whose sum is at most
/// epsilon, the Gaussian or zCDP profile otherwise; 1 where nothing is promised. Events of several kinds are refused.
double composed_delta(std::span<const Charge> charges, double epsilon);

}  // namespace sotto
