// Packed files: whatever the bytes, unpacking ends, and what comes out is read as a table.
#include <cstdint>
#include <string_view>

#include "fuzz_rows.h"
#include "sotto/files/csv_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    sotto::CsvReader reader(sotto::unpack_if_gzip(std::make_unique<sotto::MemorySource>(bytes)), {});
    sotto::fuzz::read_all(reader);
  } catch (const sotto::Error&) {
    // refused: as good as accepted
  }
  return 0;
}
