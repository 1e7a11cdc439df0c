#pragma once
#include <nanobind/nanobind.h>

#include <string>

#include "sotto/optim/engine.h"

namespace sotto::python {

/// The public facts of a planned training: rows, features, data_norm, classes.
Facts facts_from(const nanobind::dict& facts);

/// Losses, methods and budget with the fields each declares, as JSON.
std::string catalog_json();

}  // namespace sotto::python
