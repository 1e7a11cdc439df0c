#pragma once
#include "runner.h"

namespace sotto::bench {

/// A CSV file to rows in memory: 28 numeric columns, or 6 numeric and 8 text columns. Against pandas and pyarrow where a
/// Python that has them is found (SOTTO_PYTHON, default python3). The file is made in the temporary folder and removed.
Task reading_numbers_task();
Task reading_texts_task();

}  // namespace sotto::bench
