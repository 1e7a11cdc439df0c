// IDX. The first byte says how many bytes (times four) belong to the file of labels, which comes first; 0 means none.
#include <cstdint>
#include <string_view>

#include "fuzz_rows.h"
#include "sotto/data/encoder.h"
#include "sotto/files/idx_reader.h"

namespace {

using namespace sotto;

void one_pair(std::string_view labels, std::string_view items) {
  IdxReader reader(std::make_unique<MemorySource>(items),
                   labels.empty() ? nullptr : std::make_unique<MemorySource>(labels));
  if (reader.features() > 4096) return fuzz::read_all(reader);
  Schema schema;
  schema.format = FileFormat::idx;
  schema.complete = true;
  schema.features = reader.features();
  schema.data_norm = 1.0;
  if (reader.bytes()) schema.range = Range{0, 255};
  schema.label = {"", {"3"}, {"*"}};
  fuzz::encode_all(reader, Encoder(schema));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t labels = std::min<std::size_t>(rest.size(), std::size_t{4} * data[0]);
  try {
    one_pair(rest.substr(0, labels), rest.substr(labels));
  } catch (const sotto::Error&) {
    // refused: as good as accepted
  }
  return 0;
}
