#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/train.h"
#include "sotto/tuning/grid.h"

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

/// The model of the setting that was found; the card lists what was tried and promises what all of it cost together.
/// `public_rows` is for public_data only and null otherwise.
Model tune(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits);

}  // namespace sotto
