#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/train.h"
#include "sotto/tuning/grid.h"
#include "sotto/tuning/random_stopping.h"

/// What private tuning does and costs, from public facts alone.
namespace sotto {

/// How the best of several settings is found. public_data: on rows that are public, free. parts: one part of the rows a
/// setting and one to choose by [Wu17, Algorithm 3]. random_stopping: the best of a random number of runs [Papernot22].
enum class TuneBy { public_data, parts, random_stopping };
constexpr auto enum_names(TuneBy) {
  return std::array{std::pair{std::string_view("public"), TuneBy::public_data},
                    std::pair{std::string_view("parts"), TuneBy::parts},
                    std::pair{std::string_view("random_stopping"), TuneBy::random_stopping}};
}

struct TuneRequest {
  TrainRequest train;         ///< its budget is that of tuning and training together
  std::vector<Setting> grid;  ///< what is tried
  TuneBy by = TuneBy::parts;
  std::uint32_t mean_runs = 10;  ///< random_stopping: the mean of the number of runs
};

/// One request with its setting, and everything its parts or runs cost together.
struct TunePlan {
  std::vector<TrainRequest> runs;  ///< one a setting
  std::vector<Plan> plans;         ///< of each
  StoppingTerms stopping;          ///< random_stopping only
  Charge charge;                   ///< the whole as one event: parallel parts, or a selection
  double epsilon = 0;              ///< what the whole promises
  double delta = 0;
  double distance = 0;  ///< of all its noise from the ideal laws, in total variation

  PlannedCost cost() const { return {{&charge, 1}, epsilon, delta, distance}; }
};
/// parts or random_stopping. Throws Error{invalid_argument} or Error{unsupported} where a run is not private or does
/// not fit: every run takes part in the choice, so each must be private, whichever wins.
TunePlan plan_tuning(const TuneRequest& request, const Facts& facts);

/// The request with the parameters of a setting.
TrainRequest with_setting(const TrainRequest& base, const Setting& setting);

}  // namespace sotto
