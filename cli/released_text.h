#pragma once
#include <string>

#include "output.h"
#include "sotto/charged_run.h"

namespace sotto::cli {

/// Where a model came from and went to, beside its card.
struct ReleasePlaces {
  bool ledger = false;
  std::string out;
};
/// The card of what was released; with a ledger, whether it is an earlier answer.
void print_released(const Output& output, const Released& released, const ReleasePlaces& places);

}  // namespace sotto::cli
