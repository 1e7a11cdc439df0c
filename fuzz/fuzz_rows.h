#pragma once
#include <cmath>

#include "fuzz_demand.h"
#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/data/row_encoder.h"

namespace sotto::fuzz {

/// Reads every row, encodes it and demands the laws of stored rows: finite, within the declared norm, labels +1 or -1.
inline void encode_all(RowReader& reader, const Encoder& encoder) {
  DatasetBuilder builder(encoder.facts(0));
  RowEncoder rows(encoder, reader);
  RawRow raw;
  EncodedRow row;
  while (reader.next(raw)) {
    rows.encode(raw, row);
    double squares = 0;
    for (const float value : row.values) squares += static_cast<double>(value) * static_cast<double>(value);
    demand(std::sqrt(squares) <= encoder.data_norm() * kNormSlack);
    demand(row.label == 1.0F || row.label == -1.0F);
    row.send(builder);
  }
  builder.finish();
}

inline void read_all(RowReader& reader) {
  RawRow raw;
  while (reader.next(raw)) {
  }
}

}  // namespace sotto::fuzz
