#include "sotto/privacy/ledger/released.h"

#include "sotto/base/sha256.h"

namespace sotto {

std::optional<LedgerEntry> entry_of(Ledger& ledger, std::string_view bytes) {
  const std::string digest = hex_of(sha256(bytes));
  for (LedgerEntry& entry : ledger.entries()) {
    if (entry.state == EntryState::released && entry.released == digest) return std::move(entry);
  }
  return std::nullopt;
}

}  // namespace sotto
