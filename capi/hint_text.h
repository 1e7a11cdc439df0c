#pragma once
#include <string>

#include "sotto/base/error.h"

namespace sotto::capi {

/// What would help, in the language of SQL: options, arguments and functions; empty where the error has no hint.
std::string hint_text(const Error& error);

}  // namespace sotto::capi
