// What dp_agd releases, noise off, on neighbouring tables: gradient sums within the sensitivity of its plan, gaps
// between the losses of its candidates within the range of its choice; under both relations, and reached within a
// percent.
#include <gtest/gtest.h>

#include "sotto/methods/dp_agd.h"
#include "sotto/optim/gradient_sum.h"
#include "test_rows.h"

namespace sotto::test {
namespace {

constexpr std::size_t kRows = 40;
constexpr double kMaxStep = 1;

/// What the two relations compare: a row replaced, or a row left out.
struct Neighbours {
  const Pair& pair;
  Relation relation;

  template <class Sum, class Where>
  std::pair<Vector, Vector> sums(Sum& sum, const Where& points) const {
    const Order all = stored_order(kRows);
    Order fewer = all;
    if (relation == Relation::add_remove) fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(pair.position));
    sum.start(points);
    pair.first.feed(sum, all, 7, false);
    Vector first = SensitiveTestAccess::open(sum.take());
    sum.start(points);
    (relation == Relation::add_remove ? pair.first : pair.second).feed(sum, fewer, 7, false);
    return {std::move(first), SensitiveTestAccess::open(sum.take())};
  }
};

AdaptiveTerms terms_of(const Loss& loss, const DpAgd& method, Relation relation) {
  DpAgd declared = method;
  if (relation == Relation::add_remove) declared.declared_rows = kRows;
  return agd_terms(declared, {{kRows, kPairFeatures, 1.0, false}, {loss, 0.01}, {1, 1e-6, relation}});
}

struct Ratios {
  double gradient = 0, range = 0;
};

/// Distances over their claims at weights `w` and along `unit`; softmax has two weight vectors, the second zero.
Ratios ratios(const Loss& loss, const DpAgd& method, const Neighbours& neighbours, const Vector& w,
              const Vector& unit) {
  const AdaptiveTerms terms = terms_of(loss, method, neighbours.relation);
  const Facts facts = neighbours.pair.first.facts();
  Vector weights(terms.dimension, 0.0);
  std::copy(w.begin(), w.end(), weights.begin());
  GradientSum gradient(loss, facts, terms.gradients, terms.clip);
  const auto [g, h] = neighbours.sums(gradient, weights);

  Vector direction(terms.dimension, 0.0), lengths;
  std::copy(unit.begin(), unit.end(), direction.begin());
  for (int j = 0; j <= 20; ++j) lengths.push_back(kMaxStep * j / 20);
  double norm = 0;
  for (const double v : w) norm += v * v;
  LossSums losses(loss, facts, terms.losses);
  const auto [a, b] = neighbours.sums(losses, WeightLine{weights, direction, lengths});
  double low = a[0] - b[0], high = low;
  for (std::size_t i = 0; i < a.size(); ++i) {
    low = std::min(low, a[i] - b[i]);
    high = std::max(high, a[i] - b[i]);
  }
  const double range = terms.choice_range(kMaxStep, std::sqrt(norm), method.loss_clip);
  return {distance(g, h) / terms.sensitivity, (high - low) / range};
}

Vector random_vector(std::mt19937_64& random, double norm) {
  const Row row = random_row(random, 1);
  const double length = std::hypot(row.x[0], row.x[1], row.x[2]);
  return {row.x[0] * norm / length, row.x[1] * norm / length, row.x[2] * norm / length};
}

TEST(AgdNeighbours, SumsAndScoreGapsStayWithinTheirClaims) {
  std::mt19937_64 random(3);
  for_each_member<Loss>([&](auto tag) {
    const Loss loss = typename decltype(tag)::type{};
    Ratios worst;
    for (const double clip : {0.4, 3.0}) {
      const DpAgd method{.largest_step = kMaxStep, .gradient_clip = clip, .loss_clip = clip};
      for (const std::size_t position : {std::size_t{0}, std::size_t{17}, std::size_t{39}}) {
        for (const Pair& pair : adversarial_pairs(kRows, position, position + 1)) {
          for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
            for (const double norm : {0.0, 0.5, 4.0}) {
              const Ratios r =
                  ratios(loss, method, {pair, relation}, random_vector(random, norm), random_vector(random, 1));
              EXPECT_LE(r.gradient, 1) << name_of(loss) << " " << pair.name;
              EXPECT_LE(r.range, 1) << name_of(loss) << " " << pair.name;
              worst = {std::max(worst.gradient, r.gradient), std::max(worst.range, r.range)};
            }
          }
        }
      }
    }
    EXPECT_GE(worst.gradient, 0.9) << name_of(loss);
    EXPECT_GE(worst.range, 0.6) << name_of(loss);
  });
}

TEST(AgdNeighbours, ClaimsAreReachedInTheLinearPartOfTheLoss) {
  const DpAgd method{.largest_step = kMaxStep};
  // At w = 0 a row along the step loses margin, a row against it gains: the losses run apart at twice the slope.
  const Pair pair = make_pair("opposite", background_of(kRows, {{0, 0, 0}, 1}), 5, {{{1, 0, 0}, 1}, {{-1, 0, 0}, 1}});
  for (const Relation relation : {Relation::replace_one, Relation::add_remove}) {
    const Ratios r = ratios(Hinge{}, method, {pair, relation}, {0, 0, 0}, {1, 0, 0});
    EXPECT_GE(r.gradient, 0.99);
    EXPECT_GE(r.range, 0.99);
    EXPECT_LE(r.gradient, 1);
    EXPECT_LE(r.range, 1);
  }
}

TEST(AgdNeighbours, ACapBelowTheStepIsTheRange) {
  const DpAgd method{.largest_step = kMaxStep, .loss_clip = 0.5};
  const Pair pair = make_pair("along", background_of(kRows, {{0, 0, 0}, 1}), 5, {{{1, 0, 0}, 1}, {{0, 0, 0}, 1}});
  const Ratios r = ratios(Hinge{}, method, {pair, Relation::add_remove}, {1, 0, 0}, {1, 0, 0});
  EXPECT_GE(r.range, 0.99);
  EXPECT_LE(r.range, 1);
}

}  // namespace
}  // namespace sotto::test
