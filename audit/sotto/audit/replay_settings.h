#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/audited_methods.h"
#include "sotto/base/error.h"
#include "sotto/train.h"

/// Which settings of a method are replayed: all of its closed sets and numbers, those of the loss, problems and
/// budgets, crossed.
namespace sotto::audit {

inline constexpr std::uint64_t kReplayRows = 9;  ///< 2 b + 1 for b = 4: the last row is alone in its batch (spec 9 c)

/// One request with its plan.
struct ReplayCase {
  TrainRequest request;
  Plan plan;
  std::uint32_t classes = 2;
  std::string name;  ///< the settings in words
  std::uint64_t number = 0;
};

struct Selection {
  Loss loss{};
  Relation relation = Relation::replace_one;
  std::uint64_t cases = 40;         ///< plans, at most
  std::uint64_t sampled_cases = 2;  ///< of those whose calibration is slow
  bool straight = false;            ///< settings of the linear pair, on its facts
  std::uint64_t offset = 0;         ///< where to begin: another one for each loss covers more of them
  std::uint64_t rows = kReplayRows;
};

/// What is tried for a declared number. By name where the default would take long or a spread around it would miss what
/// matters; otherwise, so that a new field is varied too, the default, much less and twice as much. First what a plain
/// setting takes. `straight`: nothing bends the linear pair, no projection, no clipping below the loss's bound and no
/// longer steps.
std::vector<double> replay_numbers(std::string_view name, double standard, const Selection& selection);

/// The plan, or nothing for a request that is refused or makes no claim; then `why` says so.
std::optional<Plan> plan_if_taken(const TrainRequest& request, const Facts& facts, std::string& why);
/// A method for comparison promises nothing, so nothing of it is audited.
void refuse_without_claim(const Plan& plan);
bool makes_no_claim(const std::string& why);
bool is_sampled(const Plan& plan);
/// The order of its rows, where it has one of its own.
RowOrder order_of(const Plan& plan);

/// Problems and budgets, by number.
inline constexpr std::uint64_t kProblems = 36;
TrainRequest request_number(std::uint64_t number, const Selection& selection);
inline std::uint32_t classes_number(std::uint64_t number) { return number / 6 % 2 == 0 ? 2 : 3; }
Facts replay_facts(const Selection& selection, std::uint32_t classes);

/// Calls visit(case) for settings x those of the loss x lambda x epsilon x delta x classes, spread evenly, until there
/// were enough plans. Returns the last refusal, if no request was taken.
std::string for_each_case(const AuditedMethod& method, const Selection& selection,
                          const std::function<void(const ReplayCase&)>& visit);

}  // namespace sotto::audit
