#pragma once
#include "sotto/train.h"

namespace sotto {

/// The request as a ledger is asked it. `auto` may choose pure noise, which costs a filter of rho, divergence or mu
/// more than its card says, or objective perturbation, which has no rho: there it becomes the descent it would choose
/// otherwise. A function of request, public facts and the filter fixed at creation; other methods stay as they are.
TrainRequest priced_request(const TrainRequest& request, const Facts& facts, const Ledger& ledger);

}  // namespace sotto
