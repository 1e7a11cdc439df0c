#pragma once
#include <optional>
#include <string_view>

#include "sotto/privacy/ledger/ledger.h"

namespace sotto {

/// The entry that released exactly these bytes; none if the ledger did not release them.
std::optional<LedgerEntry> entry_of(Ledger& ledger, std::string_view bytes);

/// What to say of a file that has none.
inline constexpr const char* kNotReleased =
    "is not byte for byte what this ledger released: it was edited, or it is no release of this ledger";

}  // namespace sotto
