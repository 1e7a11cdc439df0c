#include "sotto/privacy/accountant/report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sotto/base/fields.h"
#include "sotto/privacy/accountant/gdp.h"
#include "sotto/privacy/accountant/pld.h"
#include "sotto/privacy/accountant/pure.h"
#include "sotto/privacy/accountant/rdp.h"
#include "sotto/privacy/accountant/zcdp.h"
#include "sotto/privacy/gaussian.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kExact = 1 - 1e-12;  // an exact formula, up to rounding

constexpr double kContradiction = 1e-6;  // relative, far above rounding

struct Question {
  const Event& event;
  Relation relation;
  bool wants_epsilon;
  double given;
};

struct Answer {
  Bound bound;
  std::string detail;
};

Answer by_pure(const Question& q) {
  const PureSum sum = pure_sum(q.event, q.relation);
  const std::string detail =
      "epsilon " + number_text(rounded_up(sum.epsilon)) + ", delta " + number_text(rounded_up(sum.delta));
  if (q.wants_epsilon) return {{0, sum.delta <= exact_of(q.given) ? rounded_up(sum.epsilon) : kInfinity}, detail};
  return {{0, sum.epsilon <= exact_of(q.given) ? std::min(1.0, rounded_up(sum.delta)) : 1.0}, detail};
}

Answer by_zcdp(const Question& q) {
  const double rho = zcdp_rho_of(q.event, q.relation);
  const std::string detail = "rho " + number_text(rho);
  if (rho == 0) return {{0, 0}, detail};
  if (q.wants_epsilon) return {{0, q.given > 0 ? zcdp_epsilon(rho, q.given) : kInfinity}, detail};
  return {{0, zcdp_delta(rho, q.given)}, detail};
}

Answer by_rdp(const Question& q) {
  if (q.wants_epsilon && q.given == 0) {
    rdp_of(q.event, q.relation, 2);  // refuses what it cannot treat
    return {{0, kInfinity}, "no order"};
  }
  const RdpAnswer answer =
      q.wants_epsilon ? rdp_epsilon(q.event, q.relation, q.given) : rdp_delta(q.event, q.relation, q.given);
  return {{0, answer.value}, "order " + number_text(std::round(answer.order * 1e4) / 1e4)};
}

Answer by_gdp(const Question& q) {
  const double mu = gdp_mu_of(q.event, q.relation);
  const std::string detail = "mu " + number_text(mu);
  if (mu == 0) return {{0, 0}, detail};
  double value = kInfinity;
  if (!q.wants_epsilon) value = gaussian_delta(mu, q.given);
  if (q.wants_epsilon && q.given > 0) value = gdp_epsilon(mu, q.given);
  // Of a tiny epsilon mu's own rounding is felt, of a delta far out all of mu^2.
  const double lower = q.wants_epsilon ? value * kExact - 1e-12 * mu : value * (1 - 1e-10) - 1e-322;
  return {{std::max(0.0, lower), value}, detail};
}

Answer by_pld(const Question& q) {
  if (!q.wants_epsilon) return {pld_delta(q.event, q.relation, q.given), ""};
  if (q.given == 0) throw Error(ErrorKind::unsupported, "pld needs delta above 0", "delta");
  return {pld_epsilon(q.event, q.relation, q.given), ""};
}

struct Accountant {
  AccountantChoice choice;
  std::string_view theorem;
  Answer (*answer)(const Question&);
};
constexpr Accountant kAccountants[] = {
    {AccountantChoice::pure, "sum of epsilon and delta [Dwork14, Theorem 3.16]", by_pure},
    {AccountantChoice::zcdp, "rho adds [Bun16], optimal conversion [Canonne20, Proposition 12]", by_zcdp},
    {AccountantChoice::rdp,
     "divergences add [Mironov17, Proposition 1], optimal conversion [Canonne20, Proposition 12]", by_rdp},
    {AccountantChoice::gdp, "mu^2 adds [Dong22, Corollary 3.3], exact profile [Balle18, Theorem 8]", by_gdp},
    {AccountantChoice::pld, "dominating pairs [Zhu22, Theorem 10] on a grid [Doroshenko22], certified both ways",
     by_pld},
};

AccountReport report(const Question& question, AccountantChoice only) {
  check(question.event);
  AccountReport result;
  result.value = {0, kInfinity};
  for (const Accountant& accountant : kAccountants) {
    if (only != AccountantChoice::automatic && only != accountant.choice) continue;
    AccountLine line{accountant.choice, accountant.theorem, {}, {}, {}};
    try {
      Answer answer = accountant.answer(question);
      line.value = answer.bound;
      line.detail = std::move(answer.detail);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported || only == accountant.choice) throw;
      line.refused = error.what();
    }
    if (line.value) {
      result.value.lower = std::max(result.value.lower, line.value->lower);
      const bool first = result.tightest == AccountantChoice::automatic;
      if (first || line.value->upper < result.value.upper) {
        result.tightest = accountant.choice;
        result.value.upper = line.value->upper;
      }
    }
    result.lines.push_back(std::move(line));
  }
  if (result.tightest == AccountantChoice::automatic) {
    throw Error(ErrorKind::unsupported, "no accountant can treat this plan: " + result.lines.back().refused);
  }
  // Bounds of different theorems on one number: one of them is wrong, and nobody may rely on either.
  const double smallest = question.wants_epsilon ? 1e-12 : 1e-320;
  if (result.value.lower > result.value.upper * (1 + kContradiction) + smallest) {
    throw Error(ErrorKind::internal, "accountants contradict each other on this plan: at least " +
                                         number_text(result.value.lower) + " by one, at most " +
                                         number_text(result.value.upper) + " by another; please report the plan");
  }
  result.value.lower = std::min(result.value.lower, result.value.upper);
  return result;
}

}  // namespace

const AccountLine& AccountReport::line(AccountantChoice accountant) const {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const AccountLine& l) { return l.accountant == accountant; });
  require(found != lines.end(), "accountant", "was not asked");
  return *found;
}

AccountReport account_epsilon(const Event& event, Relation relation, double delta, AccountantChoice only) {
  require(delta >= 0 && delta < 1, "delta", "got " + number_text(delta) + ", must lie in [0, 1)");
  AccountReport result = report({event, relation, true, delta}, only);
  if (delta == 0 && !std::isfinite(result.value.upper)) {
    throw Error(ErrorKind::unsupported,
                "delta: got 0, at which no accountant gives this plan a finite epsilon; give a delta above 0", "delta");
  }
  return result;
}

AccountReport account_delta(const Event& event, Relation relation, double epsilon, AccountantChoice only) {
  require(epsilon >= 0 && epsilon <= 1e6, "epsilon", "got " + number_text(epsilon) + ", must lie in [0, 1000000]");
  return report({event, relation, false, epsilon}, only);
}

}  // namespace sotto
