// What shards answer. The first byte chooses: the rest as it is, or as the note of an answer that is sealed with the
// right key, beside some numbers. Whatever comes, the server takes it as rows and numbers of the shape it planned, or
// refuses with the one message; what was forged is never released.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "capi/memory_host.h"
#include "fuzz_status.h"
#include "sotto/privacy/sealed_secret.h"

namespace {

using namespace sotto;
using test::MemoryHost;

constexpr const char* kSchema =
    R"({"format": "idx", "features": 2, "data_norm": 1.0, "storage": "dense", "complete": true,
        "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}})";
const std::string kKey(64, '7');
const std::string kSum(64, '0');

/// One shard of 40 rows that answers with what it is told.
struct Host {
  MemoryHost memory{40};
  unsigned how = 0;
  std::string bytes;
  std::uint64_t size = 40;
  char fingerprint[65] = {};
  char whole[65] = {};
  const char* each = fingerprint;

  std::string answer(const char* task) const {
    if ((how & 1) == 0) return bytes;
    Digest key{};
    fuzz::demand(digest_from_hex(kKey, key));
    return SealedSecret::seal(Sensitive<Vector>(Vector(how >> 2 & 7, 0.25)), bytes, key, task);
  }
  sotto_shards shards() {
    sotto_shards all{};
    all.context = this;
    all.facts = {size, 2, 2, 1.0};
    all.fingerprint = whole;
    all.count = 1;
    all.sizes = &size;
    all.fingerprints = &each;
    all.key = kKey.c_str();
    all.run = [](void* self, const char* task, void (*take)(void*, size_t, const char*, size_t), void* taker) {
      const auto& host = *static_cast<Host*>(self);
      const std::string sent = host.answer(task);
      take(taker, (host.how & 2) != 0 ? 1 : 0, sent.data(), sent.size());
      return 0;
    };
    return all;
  }
  sotto_status describe(sotto_error& error) {
    const sotto_shards all = shards();
    char described[1][65] = {};
    char together[65] = {};
    std::uint64_t sizes[1] = {};
    const sotto_status status = sotto_shards_describe(&all, kSchema, sizes, described, together, &error);
    if (status == SOTTO_OK && fingerprint[0] == '\0') {
      std::copy(described[0], described[0] + 65, fingerprint);
      std::copy(together, together + 65, whole);
    }
    return status;
  }
  void open() {
    sotto_initialise();
    sotto_error error{};
    how = 1;
    bytes = R"({"rows": 40, "sum": ")" + kSum + R"("})";
    fuzz::demand(describe(error) == SOTTO_OK);
    sotto_rows rows{};
    rows.facts = {40, 2, 2, 1.0};
    rows.fingerprint = whole;
    const sotto_store store = memory.store();
    fuzz::demand(sotto_ledger_create(&store, memory.anchor.c_str(), &rows,
                                     R"({"budget_epsilon": 1000, "budget_delta": 1e-6, "filter": "sum"})",
                                     &error) == SOTTO_OK);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static std::unique_ptr<Host> host;
  if (host == nullptr || host->memory.records.size() > 200) {
    host = std::make_unique<Host>();
    host->open();
  }
  host->how = data[0];
  host->bytes.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  sotto_error error{};
  fuzz::accepted(host->describe(error), error);
  const sotto_shards all = host->shards();
  const sotto_store store = host->memory.store();
  sotto_text model{};
  std::uint64_t entry = 0;
  int stored = 0;
  const sotto_status status = sotto_train_shards(
      &all, &store, kSchema, R"({"epsilon": 1, "lambda": 0.1, "again": true})", &model, &entry, &stored, &error);
  if (status == SOTTO_OK) {
    fuzz::demand((data[0] & 3) == 1 &&
                 (data[0] >> 2 & 7) == 2);  // sealed with the key, by the shard asked, two numbers
    sotto_text_free(&model);
  } else {
    if (std::string(error.message) != SOTTO_SHARDS_FAILED) std::fprintf(stderr, "%s\n", error.message);
    fuzz::demand(std::string(error.message) == SOTTO_SHARDS_FAILED);
  }
  return 0;
}
