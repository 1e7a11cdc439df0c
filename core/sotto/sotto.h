#pragma once
/// The one header users include.
#include "sotto/algorithms/algorithm.h"
#include "sotto/base/version.h"
#include "sotto/bounds.h"
#include "sotto/model/model.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/train.h"
#include "sotto/tune.h"
