#pragma once
#include <string>

#include "output.h"
#include "sotto/charged_run.h"
#include "sotto/request.h"

namespace sotto::cli {

/// Where a model came from and went to, beside its card.
struct ReleasePlaces {
  bool ledger = false;
  std::string out;
};
/// The card of what was released, and the warnings about what was asked; with a ledger, whether it is an earlier answer.
void print_released(const Output& output, const TrainRequest& asked, const Released& released,
                    const ReleasePlaces& places);

}  // namespace sotto::cli
