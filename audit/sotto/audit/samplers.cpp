// What: tests of the noise by its own law.
// Formula: Kolmogorov-Smirnov at sqrt(ln(2/alpha)/(2n)): radius of l2_laplace Gamma(d), of gaussian chi; direction
//   (1 + u_1)/2 ~ Beta((d-1)/2, (d-1)/2); discrete coordinates by their continuous limits (the grid is 1/1024 of the
//   scale). Scales are computed here from the event and the sensitivity, not asked of the mechanism.
// Conditions: d = 3, where (1 + u_1)/2 is uniform; a discrete law makes the test conservative.
// Reference: [Mironov12] for the low bits; spec 4.1, 4.2, 5.1, 5.2, 6.2.
// Fails if wrong: Samplers.*, make mutants.
#include "sotto/audit/samplers.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <thread>

#include "sotto/audit/batch_coins.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/choice.h"
#include "sotto/privacy/curator.h"

namespace sotto::audit {
namespace {

constexpr std::size_t kDimension = 3;
constexpr std::uint64_t kReadBetween = 1000;
constexpr std::uint64_t kAhead = 60000;  // vectors: fewer blocks than these fill are not worth a thread
constexpr double kMaxRepeats = 5;        // of 200,000 vectors of a grid of 1/1024 of their scale far fewer are equal

double gamma_three(double r) { return 1 - std::exp(-r) * (1 + r + r * r / 2); }
double chi_three(double r) {
  return std::erf(r / std::sqrt(2.0)) - std::sqrt(2 / 3.14159265358979323846) * r * std::exp(-r * r / 2);
}
double uniform(double x) { return std::clamp(x, 0.0, 1.0); }
double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double laplace(double x) { return x < 0 ? 0.5 * std::exp(x) : 1 - 0.5 * std::exp(-x); }

/// The sum, or the difference, of two independent Laplace variables.
double two_laplace(double x) {
  const double tail = 0.5 * std::exp(-std::abs(x)) * (1 + std::abs(x) / 2);
  return x < 0 ? tail : 1 - tail;
}

/// Delta' = Delta + g sqrt d for Delta = 1, as spec 5.2 has it.
double grid_sensitivity() {
  const double root = std::sqrt(static_cast<double>(kDimension));
  return 1 + std::exp2(std::floor(std::log2(1 / (1024 * root)))) * root;
}

/// The scale the event stands for.
double scale_of(const Event& event) {
  if (const auto* e = std::get_if<L2LaplaceEvent>(&event)) return grid_sensitivity() / e->epsilon;
  if (const auto* e = std::get_if<GaussianEvent>(&event)) return grid_sensitivity() / e->mu;
  if (const auto* e = std::get_if<DiscreteLaplaceEvent>(&event)) {
    return std::sqrt(static_cast<double>(kDimension)) * grid_sensitivity() / e->epsilon;
  }
  if (const auto* e = std::get_if<DiscreteGaussianEvent>(&event)) return grid_sensitivity() / std::sqrt(2 * e->rho);
  return 0;
}

class Laboratory {
 public:
  Laboratory(std::uint64_t draws, std::uint64_t seed)
      : draws_(draws), bits_(seed == 0 ? BitSource() : BitSource(ReproducibleSeed{seed})) {}

  std::vector<Finding> all() {
    for (const auto& [name, choice] : enum_names(MechanismChoice{})) {
      if (choice == MechanismChoice::automatic) continue;
      const bool pure = choice == MechanismChoice::l2_laplace || choice == MechanismChoice::discrete_laplace;
      const Calibrated noise = calibrate(choice, {1, kDimension, 1, 1}, {.epsilon = 2, .delta = pure ? 0 : 1e-3});
      mechanism(std::string(name), noise.mechanism);
      mechanism(std::string(name) + ", drawn ahead", noise.mechanism, kReadBetween, kAhead);
    }
    choices();
    for (Finding& one : audit_batch_coins(draws_, bits_)) findings_.push_back(std::move(one));
    return std::move(findings_);
  }

 private:
  void add(const std::string& subject, const char* what, std::vector<double> values, double (*law)(double)) {
    const double found = kolmogorov_distance(values, law);
    findings_.push_back({"samplers", subject, "Kolmogorov distance", kolmogorov_critical(values.size(), kTestAlpha),
                         found, fmt::format("{}, {} draws", what, values.size())});
  }

  using Seen = std::set<std::array<double, kDimension>>;
  static std::array<double, kDimension> drawn(NoiseSupply& supply) {
    std::array<double, kDimension> z{};
    std::copy_n(supply.next(), kDimension, z.begin());
    return z;
  }

  /// `rows_between` rows are read between two draws: many, and a thread of its own draws ahead. The first `ahead`
  /// vectors only must not come again.
  void mechanism(const std::string& name, const Mechanism& mechanism, std::uint64_t rows_between = 1,
                 std::uint64_t ahead = 0) {
    NoiseSupply supply(bits_, mechanism, {ahead + draws_, rows_between});
    Seen distinct;
    for (std::uint64_t i = 0; i < ahead; ++i) distinct.insert(drawn(supply));
    const double scale = scale_of(event_of(mechanism));
    const bool discrete = std::holds_alternative<DiscreteLaplaceNoise>(mechanism) ||
                          std::holds_alternative<DiscreteGaussianNoise>(mechanism);
    if (discrete) {
      coordinates(name, supply, mechanism, distinct);
      return add_repeats(name, distinct.size(), ahead + draws_);
    }
    std::vector<double> size, direction, sum, turn;
    double before = 0.5;
    for (std::uint64_t i = 0; i < draws_; ++i) {
      const std::array<double, kDimension> z = drawn(supply);
      distinct.insert(z);
      const double norm = std::sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
      size.push_back(norm / scale);
      const double u = (1 + z[kDimension - 1] / norm) / 2;
      direction.push_back(u);
      // Sum and difference of independent uniforms are uniform modulo 1; repeated or mirrored ones show in one of them.
      sum.push_back(std::fmod(u + before, 1.0));
      turn.push_back(std::fmod(u - before + 1, 1.0));
      before = u;
    }
    add_repeats(name, distinct.size(), ahead + draws_);
    if (std::holds_alternative<L2LaplaceNoise>(mechanism)) add(name, "radius", size, gamma_three);
    if (std::holds_alternative<GaussianNoise>(mechanism)) add(name, "radius", size, chi_three);
    add(name, "direction", direction, uniform);
    add(name, "one direction after the other, sum", sum, uniform);
    add(name, "one direction after the other, difference", turn, uniform);
  }

  void add_repeats(const std::string& name, std::size_t distinct, std::uint64_t draws) {
    findings_.push_back({"samplers", name, "vectors that repeat", kMaxRepeats, static_cast<double>(draws - distinct),
                         fmt::format("{} draws", draws)});
  }

  /// Every coordinate by its law, every two of them by their sum and their difference: coordinates that are equal or
  /// mirrored show in one of these.
  void coordinates(const std::string& name, NoiseSupply& supply, const Mechanism& mechanism, Seen& distinct) {
    const bool gaussian = std::holds_alternative<DiscreteGaussianNoise>(mechanism);
    const double scale = scale_of(event_of(mechanism)), root = gaussian ? std::sqrt(2.0) : 1;
    std::array<std::vector<double>, kDimension> alone, sums, gaps;
    for (std::uint64_t t = 0; t < draws_; ++t) {
      const std::array<double, kDimension> z = drawn(supply);
      distinct.insert(z);
      for (std::size_t i = 0; i < kDimension; ++i) {
        const double next = z[(i + 1) % kDimension];
        alone[i].push_back(z[i] / scale);
        sums[i].push_back((z[i] + next) / (root * scale));
        gaps[i].push_back((z[i] - next) / (root * scale));
      }
    }
    for (std::size_t i = 0; i < kDimension; ++i) {
      add(name, "coordinate", alone[i], gaussian ? normal : laplace);
      add(name, "sum of two coordinates", sums[i], gaussian ? normal : two_laplace);
      add(name, "difference of two coordinates", gaps[i], gaussian ? normal : two_laplace);
    }
  }

  /// P(i) proportional to exp(epsilon u_i / range).
  void choices() {
    const Choice choice{1, 1, Aim::largest, {0, 0, 0}};
    std::array<double, 3> seen{};
    const double scores[] = {0, 1, 2};
    for (std::uint64_t i = 0; i < draws_; ++i) seen[choice.draw(bits_, scores)] += 1;
    const double total = 1 + std::exp(1) + std::exp(2);
    double gap = std::abs(seen[0] / static_cast<double>(draws_) - 1 / total);
    gap = std::max(gap, std::abs(seen[2] / static_cast<double>(draws_) - std::exp(2) / total));
    findings_.push_back({"samplers", "choice", "Kolmogorov distance", kolmogorov_critical(draws_, kTestAlpha), gap,
                         fmt::format("{} choices among three", draws_)});
  }

  std::uint64_t draws_;
  BitSource bits_;
  std::vector<Finding> findings_;
};

/// What a forked child draws from a source of its own and from the parent's; nothing if it could not be asked.
std::vector<std::uint64_t> drawn_in_child(BitSource& parents) {
  std::uint64_t two[2] = {0, 0};
  int pipes[2];
  if (::pipe(pipes) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    two[0] = BitSource().next();
    two[1] = parents.next();
    ::_exit(::write(pipes[1], two, sizeof two) == sizeof two ? 0 : 1);
  }
  ::close(pipes[1]);  // or a child that ended without a word would be waited for
  const bool told = child > 0 && ::read(pipes[0], two, sizeof two) == sizeof two;
  if (child > 0) ::waitpid(child, nullptr, 0);
  ::close(pipes[0]);
  return told ? std::vector<std::uint64_t>{two[0], two[1]} : std::vector<std::uint64_t>{};
}

/// First words of fresh sources: in threads, in forked children with a source of their own and with the parent's.
std::vector<Finding> seeds() {
  constexpr int kThreads = 8, kForks = 8;
  std::vector<std::uint64_t> words;
  BitSource parents;
  words.push_back(parents.next());
  std::size_t forked = 0;
  for (int i = 0; i < kForks; ++i) {
    const std::vector<std::uint64_t> told = drawn_in_child(parents);
    words.insert(words.end(), told.begin(), told.end());
    forked += told.size();
  }
  words.push_back(parents.next());
  std::vector<std::vector<std::uint64_t>> drawn(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(drawn.size());
  for (auto& mine : drawn) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 250; ++i) mine.push_back(BitSource().next());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : drawn) words.insert(words.end(), mine.begin(), mine.end());
  const std::set<std::uint64_t> distinct(words.begin(), words.end());
  std::vector<Finding> findings = {{"samplers", "bit source", "words that repeat", 0,
                                    static_cast<double>(words.size() - distinct.size()),
                                    fmt::format("{} sources, {} of them in forked processes", words.size(), forked)}};
  if (forked == 0) findings.push_back(not_tested("samplers", "bit source, forked", "no process could be forked"));
  return findings;
}

}  // namespace

double kolmogorov_critical(std::size_t count, double alpha) {
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(count)));
}

double kolmogorov_distance(std::vector<double>& values, double (*law)(double)) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double gap = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = law(values[i]), place = static_cast<double>(i);
    gap = std::max({gap, std::abs(at - place / n), std::abs((place + 1) / n - at)});
  }
  return gap;
}

std::vector<Finding> audit_samplers(std::uint64_t draws, std::uint64_t seed) {
  std::vector<Finding> findings = seeds();  // before any thread of ours runs: it forks
  for (Finding& one : Laboratory(draws, seed).all()) findings.push_back(std::move(one));
  for (Finding& one : audit_low_bits(draws / 2, seed)) findings.push_back(std::move(one));
  return findings;
}

}  // namespace sotto::audit
