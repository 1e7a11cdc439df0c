#pragma once
#include "utility/session.h"

namespace sotto::utility {

/// [Lee18] claims that dp_agd, which spends its budget as it goes, is ahead of methods with a fixed split at small
/// budgets. Measures dp_agd, repaired, and every method of its list on Adult and BANK and says whether that survives.
void compare_lee18(Choice choice);

}  // namespace sotto::utility
