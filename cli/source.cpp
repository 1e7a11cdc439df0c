#include "source.h"

#include "sotto/base/error.h"
#include "sotto/charged_run.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/complete.h"
#include "sotto/files/reading.h"

namespace sotto::cli {

Source open_source(const std::string& path, const SchemaFlags& flags, const EngineChoice& choice,
                   const LedgerTerms* terms) {
  if (is_block_file(path)) {
    require(!flags.given(), "schema", "a block file carries its own declarations; give none here");
    const BlockFile file(path);
    return {block_rows(file, choice), schema_from_json(file.metadata()), file.file_id()};
  }
  return open_text(path, flags.schema(path), choice, terms);
}

void check_text_engine(const EngineChoice& choice) {
  require(choice.kind != EngineKind::out_of_core, "engine",
          "out_of_core needs a block file; make one with 'sotto data pack'");
}

Source open_text(const std::string& path, const Schema& declared, const EngineChoice& choice,
                 const LedgerTerms* terms) {
  check_text_engine(choice);
  if (terms != nullptr) require_reading(reading_of(path, declared), *terms);
  Schema schema = terms != nullptr ? complete_by(path, declared, terms->columns) : complete_for(path, declared);
  return {text_rows(path, schema), schema};
}

}  // namespace sotto::cli
