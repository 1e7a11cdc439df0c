#pragma once
#include "runner.h"

namespace sotto::bench {

/// The same number of rows of 50 numbers in all, as several passes over fewer rows or one over many: ratios near 1 say
/// that time is linear in rows. The notes say how many bytes of resident memory a row takes, trained once.
Task train_rows_task();

}  // namespace sotto::bench
