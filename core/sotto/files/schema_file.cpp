#include "sotto/files/schema_file.h"

#include "sotto/base/error.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/byte_source.h"

namespace sotto {

Schema read_schema(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{16} << 20;
  try {
    return schema_from_json(read_whole(path, kLimit));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_argument) throw;
    throw Error(error.kind(), path + ": " + error.what(), error.field(), error.hint());
  }
}

Schema schema_for_other_rows(const std::string& encoding, const std::string& labels_file) {
  Schema schema = schema_from_json(encoding);
  schema.labels_file = labels_file;
  return schema;
}

}  // namespace sotto
