// What: texts that many rows share, found without knowing which there may be.
// Formula: n_v = c_v + K_v for c_v > 0, P(K = k) proportional to a^|k|, a = exp(-1/b), b = s/epsilon; shown: n_v >= T.
//   s = 1 (add_remove: one count moves by 1), 2 (replace_one: one count falls by 1, another rises by 1).
//   T = 1 + j, j the least with P(K >= j) = a^j/(1 + a) <= allowed; tau = a^j/(1 + a).
// Conditions: each row has at most one text. Proof: let v be a text with count 1 in S and 0 in S' (there is at most
//   one, and at most one u the other way). Never showing v moves the law of S by at most tau in total variation, never
//   showing u that of S' likewise. What is left are counts, positive in both, that differ by at most s in all: pure
//   epsilon. So (epsilon, (1 + e^epsilon) tau), and for a filter the event with distance tau.
// Reference: [Korolova09, Theorem 1] for the form; [Canonne20, Algorithm 2] for the exact noise.
// Fails if wrong: Discovery.* (delta of the worst neighbours recomputed, distinguishing game, halved noise).
#include "sotto/privacy/discovery.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/random/grid_noise.h"

namespace sotto {
namespace {

/// The scale b as a fraction, rounded up; the threshold is computed from what is drawn.
struct Scale {
  std::uint64_t numerator;
  std::uint64_t denominator;
  double value() const noexcept { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

Scale scale_of(const Discovery& discovery) {
  constexpr std::uint64_t kParts = std::uint64_t{1} << 20;
  const double wanted = static_cast<double>(discovery.shift()) / discovery.epsilon * (1 + 0x1p-50);
  return {static_cast<std::uint64_t>(std::ceil(wanted * static_cast<double>(kParts))), kParts};
}

/// ln P(K >= j), j >= 1.
double log_tail(double scale, double j) { return -j / scale - std::log1p(std::exp(-1 / scale)); }

double steps_above_one(const Discovery& discovery) {
  const double scale = scale_of(discovery).value();
  const double wanted = std::log(discovery.allowed);
  double steps = std::fmax(1, std::floor(-scale * (wanted + std::log1p(std::exp(-1 / scale)))));
  while (log_tail(scale, steps) > wanted) ++steps;
  return steps;
}

struct Shown {
  std::int64_t count;
  const std::string* text;
};

}  // namespace

void Discovery::check() const {
  require(epsilon >= 1e-6 && epsilon <= 1e4, "epsilon", "of a discovery must lie in [1e-6, 10000]");
  require(allowed >= 1e-300 && allowed < 0.5, "delta", "categories can be found only with delta above 0");
  require(most > 0, "max_categories", "must be above 0");
}

std::int64_t Discovery::threshold() const { return 1 + static_cast<std::int64_t>(steps_above_one(*this)); }

double Discovery::distance() const {
  return std::exp(log_tail(scale_of(*this).value(), steps_above_one(*this))) * (1 + 0x1p-40);
}

std::vector<std::string> Discovery::draw(BitSource& bits, const TextCounts& counts) const {
  const Scale scale = scale_of(*this);
  const std::int64_t least = threshold();
  std::vector<std::int64_t> noise(counts.size());
  draw_discrete_laplace(bits, scale.numerator, scale.denominator, noise);
  std::vector<Shown> shown;
  std::size_t i = 0;
  for (const auto& [text, count] : counts) {
    const std::int64_t noisy = static_cast<std::int64_t>(count) + noise[i++];
    if (count > 0 && noisy >= least) shown.push_back({noisy, &text});
  }
  std::ranges::stable_sort(shown, std::ranges::greater{}, &Shown::count);
  if (shown.size() > most) shown.resize(most);
  std::vector<std::string> texts;
  texts.reserve(shown.size());
  for (const Shown& each : shown) texts.push_back(*each.text);
  std::ranges::sort(texts);
  return texts;
}

}  // namespace sotto
