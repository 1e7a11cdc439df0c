// Schema files and flags. What is accepted must survive a round trip.
#include <cstdint>
#include <string_view>

#include "../cli/schema_flags.h"
#include "fuzz_rows.h"
#include "sotto/data/schema.h"
#include "sotto/data/schema_json.h"

namespace {

using namespace sotto;

template <class Action>
void refuse_or(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    fuzz::demand(error.kind() == ErrorKind::invalid_argument);
  }
}

void one_text(std::string_view text) {
  refuse_or([&] {
    const Schema schema = schema_from_json(text);
    fuzz::demand(schema_from_json(to_json(schema)) == schema);
    refuse_or([&] { complete_schema(schema, {"age", "job", "y", "1", "2"}); });
  });
  Schema flags;
  refuse_or([&] { cli::declare_range(flags, text); });
  refuse_or([&] { cli::declare_category(flags, text); });
  refuse_or([&] { cli::declare_ignored(flags, text); });
  refuse_or([&] { check_schema(flags); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  one_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
