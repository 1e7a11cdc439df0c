// Tasks that a server sends to its shards: a line with a schema, then a request; or, after a blank line, the whole task
// as it is. A shard that accepts one takes rows, makes its passes and seals what comes out.
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "capi/sotto_c.h"
#include "fuzz_status.h"
#include "sotto/base/sha256.h"
#include "sotto/privacy/sealed_secret.h"

namespace {

using namespace sotto;

const std::string kKey(64, '7');

std::string task_of(const std::vector<std::string>& parts) {
  if (parts[0].empty()) return parts[1];
  using Json = nlohmann::ordered_json;
  return Json{
      {"version", sotto_version()}, {"run", "x"}, {"schema", parts[0]}, {"request", parts[1]}, {"precision", "plain"}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

void collect(sotto_collected* held) {
  for (const char* text : {"yes", "no", "1", "0", "3"}) {
    const sotto_cell cell{text, std::strlen(text)};
    if (const std::uint32_t values = sotto_collected_values(held); values > 0) {
      sotto_collect_values(held, std::vector<double>(values, 0.5).data(), values, cell);
    } else {
      sotto_collect_cells(held, std::vector<sotto_cell>(sotto_collected_columns(held), cell).data());
    }
  }
}

void answer(sotto_collected* held, const std::string& task) {
  sotto_rows rows{};
  sotto_error error{};
  static int asked = 0;
  asked = 0;
  const auto poll = [](void*) { return ++asked > 50 ? 1 : 0; };
  if (!fuzz::accepted(sotto_collected_rows(held, poll, nullptr, &rows, &error), error)) return;
  sotto_text sealed{};
  if (!fuzz::accepted(sotto_shard_answer(&rows, task.c_str(), kKey.c_str(), &sealed, &error), error)) return;
  Digest key{};
  fuzz::demand(digest_from_hex(kKey, key));
  SealedSecret::open({sealed.data, sealed.size}, key, task);  // throws unless it was sealed for this task
  sotto_text_free(&sealed);
}

/// Arrays and lists so long that a row of them is no input of a search.
bool too_large(const std::string& schema) {
  std::size_t digits = 0;
  for (const char c : schema) {
    digits = c >= '0' && c <= '9' ? digits + 1 : c == 'e' || c == 'E' ? digits : 0;
    if (digits > 4) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> parts = fuzz::parts_of(data, size, 2);
  if (too_large(parts[0].empty() ? parts[1] : parts[0])) return 0;
  const std::string task = task_of(parts);
  sotto_collected* held = nullptr;
  sotto_error error{};
  sotto_initialise();
  if (!fuzz::accepted(sotto_collected_for(task.c_str(), &held, &error), error)) return 0;
  collect(held);
  answer(held, task);
  sotto_collected_free(held);
  return 0;
}
