#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "sotto/model/privacy_card.h"
#include "sotto/optim/engine.h"

namespace sotto::python {

/// The public facts of a planned training: rows, features, data_norm, classes.
Facts facts_from(const nanobind::dict& facts);

/// What stands above a card: the promise, and what it means for the risk.
std::string card_words(const PrivacyCard& card);

}  // namespace sotto::python
