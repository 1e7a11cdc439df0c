#pragma once
#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "sotto/train.h"

namespace sotto::python {

/// What was asked for, by field name, as text.
using GivenFields = std::map<std::string, std::string>;

/// The request the fields stand for; "method" names the method. Throws Error{invalid_argument} for a field that
/// loss, method and budget have no use for.
TrainRequest request_from(const GivenFields& given);

/// The public facts of a planned training: rows, features, data_norm, classes.
Facts facts_from(const nanobind::dict& facts);

/// Losses, methods and budget with the fields each declares, as JSON.
std::string catalog_json();

}  // namespace sotto::python
