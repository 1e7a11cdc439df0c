#pragma once
#include "sotto/random/permutation.h"
#include "sotto/tune_plan.h"

namespace sotto {

/// The model of the setting that was found; the card lists what was tried and promises what all of it cost together.
/// `public_rows` is for public_data only and null otherwise.
Model tune(Engine& rows, Engine* public_rows, const TuneRequest& request, BitSource& bits);

/// Which of the settings the model of a tuning has, by what its card says; the first of equal ones. It left with the model and
/// is paid for. Throws Error{invalid_data} for a model of another tuning.
std::size_t chosen_setting(const PrivacyCard& card, const std::vector<Setting>& grid);

/// For an audit, of parts or random_stopping: where rows go is given, and every curator of the run draws by a drawer
/// that is given.
struct TuneDraws {
  Drawer& drawer;
  KeyedPermutation::Key key{};
};
/// The same under audit, by a plan that was made before; the model is stamped *not private*.
Model tune(Engine& rows, const TuneRequest& request, const TunePlan& plan, const TuneDraws& draws);

/// The same under a budget. parts and random_stopping: everything that is tried is one entry, reserved before a row is
/// read; the same request gets the stored model again. public_data: tuning is free, the training of what was found is
/// charged; public rows that are the ledger's own data are refused before one of them is parsed. Throws
/// Error{budget_exceeded} before any private row is read, and charges nothing then.
Released tune(RowSource& rows, RowSource* public_rows, const TuneRequest& request, const ChargedTo& charged);

}  // namespace sotto
