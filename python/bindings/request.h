#pragma once
#include <nanobind/nanobind.h>

#include "sotto/optim/engine.h"

namespace sotto::python {

/// The public facts of a planned training: rows, features, data_norm, classes.
Facts facts_from(const nanobind::dict& facts);

}  // namespace sotto::python
