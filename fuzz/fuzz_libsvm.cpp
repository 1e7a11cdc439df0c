// LIBSVM text. The first byte chooses what is declared, the rest is the file.
#include <cstdint>
#include <string_view>

#include "fuzz_rows.h"
#include "sotto/data/encoder.h"
#include "sotto/files/libsvm_reader.h"

namespace {

using namespace sotto;

void one_file(std::string_view text, unsigned choice) {
  Schema schema;
  schema.format = FileFormat::libsvm;
  schema.complete = true;
  schema.features = choice & 1 ? 7 : 1000;
  schema.data_norm = 0.5;
  if (choice & 2) schema.range = Range{-3, 2};
  if (choice & 4) schema.intercept = 1.0;
  if (choice & 8) schema.projection = ChooseFeatures{5, 3};
  if (choice & 16) schema.storage = Storage::dense;
  LibsvmReader reader(std::make_unique<MemorySource>(text), schema.features);
  fuzz::encode_all(reader, Encoder(schema));
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
