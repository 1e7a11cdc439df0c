#pragma once
#include <cstdint>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/random/bit_source.h"

namespace sotto::audit {

/// Whether the rows of sampled batches are those of independent coins: how often each row is drawn, how large batches
/// are, two rows in one batch, one row in two batches. For each way in which the library draws a set.
std::vector<Finding> audit_batch_coins(std::uint64_t batches, BitSource& bits);

}  // namespace sotto::audit
