#include "source.h"

#include <fstream>

#include "sotto/data/block_file.h"
#include "sotto/data/load.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"

namespace sotto::cli {
namespace {

Source open_block_file(const std::string& path, const EngineChoice& choice) {
  if (choice.name == "in_memory") {
    LoadedRows rows = load_rows(BlockFile(path));
    Schema schema = schema_from_json(rows.metadata);
    return {std::make_unique<InMemoryEngine>(std::move(rows)), std::move(schema)};
  }
  auto engine = std::make_unique<OutOfCoreEngine>(path, OutOfCoreOptions{static_cast<std::uint32_t>(choice.memory_mb)});
  Schema schema = schema_from_json(engine->metadata());
  return {std::move(engine), std::move(schema)};
}

Source open_text(const std::string& path, const SchemaFlags& flags) {
  const Encoder encoder(complete_for(path, flags.schema(path)));
  auto rows = std::make_shared<const Dataset>(read_dataset(path, encoder));
  return {std::make_unique<InMemoryEngine>(rows->facts(), rows->view(), rows), encoder.schema()};
}

}  // namespace

Source open_source(const std::string& path, const SchemaFlags& flags, const EngineChoice& choice) {
  const bool known = choice.name == "auto" || choice.name == "in_memory" || choice.name == "out_of_core";
  require(known, "engine", "got '" + choice.name + "', must be auto, in_memory or out_of_core");
  if (is_block_file(path)) {
    require(!flags.given(), "schema", "a block file carries its own declarations; give none here");
    return open_block_file(path, choice);
  }
  require(choice.name != "out_of_core", "engine", "out_of_core needs a block file; make one with 'sotto data pack'");
  return open_text(path, flags);
}

}  // namespace sotto::cli
