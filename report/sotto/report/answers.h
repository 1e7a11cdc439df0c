#pragma once
#include <string>

#include "sotto/report/training.h"

/// What a reader wants to know first, in words: what was promised and to whom, how much is left, what the risk is.
namespace sotto::report {

/// The three answers about a model, side by side.
std::string answers_of(const TrainingReport& report);
/// The same three about a ledger.
std::string answers_of(const LedgerView& view);

/// "epsilon 1 and delta 1e-6", both rounded up.
std::string promise_words(double epsilon, double delta);

}  // namespace sotto::report
