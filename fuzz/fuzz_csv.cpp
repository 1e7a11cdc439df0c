// Delimited text. The first byte chooses the layout and what is declared, the rest is the file.
#include <cstdint>
#include <string_view>

#include "fuzz_rows.h"
#include "sotto/data/encoder.h"
#include "sotto/files/csv_reader.h"

namespace {

using namespace sotto;

Schema declared_for(const CsvReader& reader, unsigned choice) {
  Schema schema;
  schema.format = FileFormat::csv;
  schema.label = {reader.columns().back(), {"1", "yes"}, {choice & 8 ? "*" : "0"}};
  schema.data_norm = 1.0;
  if (choice & 16) schema.range = Range{-1, 5};
  if (choice & 32) schema.intercept = 0.5;
  if (choice & 64 && reader.columns().size() < 100) schema.projection = GaussianProjection{3, 1};
  if (choice & 128 && reader.columns().size() > 1)
    schema.columns = {{reader.columns().front(), CategoryColumn{{"a", ""}}}};
  return complete_schema(schema, reader.columns());
}

void one_file(std::string_view text, unsigned choice) {
  constexpr std::string_view kSeparators = ",; \t";
  CsvLayout layout;
  layout.separator = kSeparators[choice & 3];
  layout.header = (choice & 4) != 0 ? HeaderLine::present : HeaderLine::absent;
  layout.skip_lines = choice % 5 == 0 ? 1 : 0;
  CsvReader reader(std::make_unique<MemorySource>(text), layout);
  const Encoder encoder(declared_for(reader, choice));
  fuzz::encode_all(reader, encoder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    one_file({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  } catch (const sotto::Error&) {
    // refused: as good as accepted
  }
  return 0;
}
