#pragma once
#include <memory>
#include <string>

#include "sotto/data/raw_row.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/schema.h"
#include "sotto/files/csv_reader.h"
#include "sotto/files/fingerprint.h"

namespace sotto {

/// lenient: training. Values are treated by the zero-row rule and nothing tells; only structure fails.
/// counted: the same, and what becomes of the rows is counted for the holder of the file (data/row_check.h).
/// strict: `data pack` and `data info`. Every questionable value has a place as well, and an error of structure a line.
enum class ReadMode { lenient, counted, strict };

/// How the file's text is laid out by the schema. A Parquet file has names and no lines to skip, whatever the schema of
/// another file says.
CsvLayout layout_of(const std::string& path, const Schema& schema);

/// Opens the file with the reader its format needs. `labels` tells whether an IDX file's labels are opened too.
std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode,
                                     LabelUse labels = LabelUse::required);

/// The same; what the reader reads goes through the tap.
std::unique_ptr<RowReader> open_rows(const std::string& path, const Schema& schema, ReadMode mode, FingerprintTap& tap);

}  // namespace sotto
