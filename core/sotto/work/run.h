#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "sotto/linalg/vector.h"
#include "sotto/losses/link.h"
#include "sotto/optim/engine.h"
#include "sotto/privacy/curator.h"

namespace sotto {

/// The order of the rows: the same shuffle in every pass, a new one every pass, or as stored.
enum class RowOrder { fixed, fresh, stored };
constexpr auto enum_names(RowOrder) {
  return std::array{std::pair{std::string_view("fixed"), RowOrder::fixed},
                    std::pair{std::string_view("fresh"), RowOrder::fresh},
                    std::pair{std::string_view("stored"), RowOrder::stored}};
}

/// What a work runs with: rows through an engine, noise and releases through the curator, which was charged with what
/// the plan states.
struct Run {
  Engine& engine;
  Curator& curator;
  std::function<void(double)> progress;       ///< the fraction of the work done, a function of public counts alone
  std::optional<std::uint64_t> order_seed{};  ///< repeats the order of the rows
};

/// What left. All of it was released or is public.
struct Outcome {
  Vector weights;
  Link link{};       ///< how scores become odds
  Vector moments{};  ///< for intervals; empty: the plan has none
};

/// Passes over all rows in one order.
struct Passes {
  RowOrder order = RowOrder::fixed;
  std::uint32_t count = 1;
  std::uint64_t steps_each = 0;
};
/// Feeds the rows to `consumer`, pass after pass; `steps_done` tells how many steps it has taken. The sensitivity rests
/// on every pass visiting every row once, so the steps are checked after each. Throws Error{internal} if they are not
/// as many as planned, and what the engine or the report of progress throws.
void scan_passes(const Run& run, const Passes& passes, RowConsumer& consumer,
                 const std::function<std::uint64_t()>& steps_done);

}  // namespace sotto
