#pragma once
#include <vector>

#include "sotto/audit/game.h"

/// What surrounds a training and also reads rows: bounds and texts found in them, settings chosen by them, positions
/// that were promised more. Each is replayed or played.
namespace sotto::audit {

std::vector<Finding> audit_pipeline(const GameRules& rules);

}  // namespace sotto::audit
