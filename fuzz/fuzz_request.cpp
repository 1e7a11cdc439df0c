// Requests of the C boundary: text straight from analysts. The first byte chooses the call, the rest is the request. A
// plan is made, or a training is taken as far as its charge, or run on a few rows.
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "capi/memory_host.h"
#include "fuzz_status.h"

namespace {

using namespace sotto;
using test::MemoryHost;

constexpr const char* kSchema =
    R"({"format": "idx", "features": 3, "data_norm": 1.0, "storage": "dense", "complete": true,
        "label": {"column": "y", "positive": ["yes"], "negative": ["no"]}})";

/// A host with a ledger. Plans ask it whether to go on, so that none of them takes long.
struct Host {
  MemoryHost memory{60};
  int asked = 0;

  Host() {
    sotto_initialise();
    sotto_error error{};
    const sotto_rows rows = memory.source();
    const sotto_store stored = memory.store();
    fuzz::demand(sotto_ledger_create(&stored, memory.anchor.c_str(), &rows,
                                     R"({"budget_epsilon": 10, "budget_delta": 1e-5, "filter": "zcdp"})",
                                     &error) == SOTTO_OK);
  }
  sotto_store store() {
    sotto_store stored = memory.store();
    stored.poll = [](void*) { return ++host->asked > 50 ? 1 : 0; };
    return stored;
  }
  void clear(const char* stop_at) {
    asked = 0;
    memory.asked.clear();
    memory.polls_left = 50;
    memory.stop_at = stop_at;
  }
  static std::unique_ptr<Host> host;
};
std::unique_ptr<Host> Host::host;

void plan(Host& host, const std::string& request) {
  sotto_error error{};
  sotto_text card{};
  const sotto_rows rows = host.memory.source();
  const sotto_store store = host.store();
  if (!fuzz::accepted(sotto_plan(&rows, &store, kSchema, request.c_str(), &card, &error), error)) return;
  const auto json = nlohmann::json::parse(card.data, card.data + card.size);
  // What is called private has a guarantee and a price.
  if (json.at("private").get<bool>()) {
    fuzz::demand(json.at("guarantee").at("epsilon").get<double>() > 0);
    fuzz::demand(json.at("budget").at("cost").at("loss_units").get<std::uint64_t>() > 0);
  }
  sotto_text_free(&card);
}

void train(Host& host, const std::string& request, bool tuned) {
  sotto_error error{};
  sotto_text model{};
  std::uint64_t entry = 0;
  int stored = 0;
  const sotto_rows rows = host.memory.source();
  const sotto_store store = host.store();
  const sotto_status status =
      tuned ? sotto_tune(&rows, nullptr, &store, kSchema, request.c_str(), &model, &entry, &stored, &error)
            : sotto_train(&rows, &store, kSchema, request.c_str(), &model, &entry, &stored, &error);
  if (fuzz::accepted(status, error)) sotto_text_free(&model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static int released = 0;
  if (Host::host == nullptr || released > 100) {
    Host::host = std::make_unique<Host>();
    released = 0;
  }
  Host& host = *Host::host;
  const std::string request(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool run = (data[0] & 3) == 3;
  host.clear(run ? "" : "append reserved");
  if ((data[0] & 1) == 0) {
    plan(host, request);
  } else {
    train(host, request, (data[0] & 4) != 0);
  }
  released += static_cast<int>(host.memory.asked.size());
  return 0;
}
