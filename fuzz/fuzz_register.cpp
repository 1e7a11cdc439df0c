// What `register` is given: three lines, the name of the label, `features` and `options`, then the options of the
// ledger. A schema that is accepted reads cells, and what comes out keeps the declared bound.
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "capi/memory_host.h"
#include "fuzz_status.h"
#include "sotto/data/clip.h"

namespace {

using namespace sotto;

void check(const sotto_facts& facts, const std::vector<float>& row) {
  double squares = 0;
  for (const float value : row) {
    fuzz::demand(std::isfinite(value));
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  fuzz::demand(std::sqrt(squares) <= facts.data_norm * kNormSlack);
}

void encode(const std::string& schema) {
  const auto json = nlohmann::ordered_json::parse(schema);
  std::vector<std::string> names;
  if (json.contains("columns")) {
    for (const auto& column : json.at("columns")) names.push_back(column.at("name").get<std::string>());
  }
  if (json.at("format") == "csv") names.push_back(json.at("label").at("column").get<std::string>());
  std::vector<const char*> columns;
  for (const std::string& name : names) columns.push_back(name.c_str());
  sotto_encoder* encoder = nullptr;
  sotto_error error{};
  if (!fuzz::accepted(
          sotto_encoder_new(schema.c_str(), columns.data(), columns.size(), SOTTO_LABEL_REQUIRED, &encoder, &error),
          error))
    return;
  const sotto_facts facts = sotto_encoder_facts(encoder);
  if (facts.features <= 4096) {
    std::vector<float> row(facts.features);
    float label = 0;
    for (const char* text : {"3", "yes", "", "-1e300", "a"}) {
      const sotto_cell cell{text, std::strlen(text)};
      const std::uint32_t values = sotto_encoder_values(encoder);
      const sotto_status status =
          values > 0
              ? sotto_encode_values(encoder, std::vector<double>(values, 1e30).data(), values, cell, row.data(), &label)
              : sotto_encode_cells(encoder, std::vector<sotto_cell>(columns.size(), cell).data(), row.data(), &label);
      fuzz::demand(status == SOTTO_OK);
      check(facts, row);
    }
  }
  sotto_encoder_free(encoder);
}

void open_ledger(const std::string& options) {
  test::MemoryHost host(10);
  host.stop_at = "append placed";  // before a file is made
  const sotto_rows rows = host.source();
  const sotto_store store = host.store();
  sotto_error error{};
  fuzz::accepted(sotto_ledger_create(&store, host.anchor.c_str(), &rows, options.c_str(), &error), error);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> parts = fuzz::parts_of(data, size, 4);
  sotto_text schema{};
  sotto_error error{};
  if (fuzz::accepted(sotto_schema(parts[0].c_str(), parts[1].c_str(), parts[2].c_str(), "{}", &schema, &error),
                     error)) {
    encode(std::string(schema.data, schema.size));
    sotto_text_free(&schema);
  }
  open_ledger(parts[3]);
  return 0;
}
