// The story of a ledger: one record a line, its kind by the first letter, then its cost, a blank, and its detail. The
// hashes are made right, so that the search gets past them. A chain takes a record or refuses it, and never has spent
// more than its limit.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz_demand.h"
#include "sotto/base/error.h"
#include "sotto/privacy/ledger/chain.h"

namespace {

using namespace sotto;

LedgerRecord record_from(const std::string& line) {
  LedgerRecord record;
  switch (line[0]) {
    case 'p': record.kind = RecordKind::placed; break;
    case 'r': record.kind = RecordKind::reserved; break;
    case 'e': record.kind = RecordKind::released; break;
    case 'v': record.kind = RecordKind::voided; break;
    default: record.kind = RecordKind::opened; break;
  }
  char* end = nullptr;
  record.cost = {std::strtoull(line.c_str() + 1, &end, 10), 0};
  if (*end == ',') record.cost.delta = std::strtoull(end + 1, &end, 10);
  record.detail = line.substr(std::min(line.size(), static_cast<std::size_t>(end - line.c_str()) + 1));
  record.entry = 2;
  record.time = 1;
  const std::string nonce = "n";
  record.token = record.kind == RecordKind::reserved ? hex_of(sha256(nonce)) : nonce;
  return record;
}

void check(const Chain& chain) {
  const Filter::State state = chain.filter().state();
  fuzz::demand(state.spent.loss <= state.limit.loss && state.spent.delta <= state.limit.delta);
  for (const LedgerEntry& entry : chain.entries()) fuzz::demand(chain.find(entry.number) == &entry);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  Chain chain;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string line = all.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    try {
      chain.add(chain.next(record_from(line)));
      check(chain);
    } catch (const Error& refused) {
      fuzz::demand(refused.kind() == ErrorKind::invalid_data || refused.kind() == ErrorKind::invalid_argument ||
                   refused.kind() == ErrorKind::unsupported);
      return 0;  // nothing mends a chain
    }
  }
  return 0;
}
