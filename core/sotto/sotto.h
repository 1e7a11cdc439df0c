#pragma once
/// The one header users include.
#include "sotto/base/version.h"
#include "sotto/bounds.h"
#include "sotto/methods/method.h"
#include "sotto/model/model.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/train.h"
#include "sotto/tune.h"
