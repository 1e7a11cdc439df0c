#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sotto/engines/in_memory.h"
#include "sotto/optim/engine.h"
#include "sotto/random/permutation.h"

namespace sotto {

/// The part, of `parts`, of the row at a position: a function of position, key and public sizes alone (spec 6.3). Files
/// may be sorted by label, so that parts are taken through a keyed permutation.
std::uint64_t part_of(const KeyedPermutation& places, std::uint64_t position, std::uint64_t parts) noexcept;

/// Public facts of one part.
Facts part_facts(const Facts& whole, std::uint64_t parts, std::uint64_t part);

/// Every part of the rows, copied into memory in one scan; sizes differ by at most one row.
std::vector<std::unique_ptr<Engine>> split_rows(const Engine& rows, const KeyedPermutation::Key& key,
                                                std::uint64_t parts);

}  // namespace sotto
