#pragma once
#include <string>

#include "sotto/privacy/ledger/ledger.h"

namespace sotto {

/// A ledger in an SQLite file on a local disk (sqlite_store.h), named by its path.
class SqliteLedger final : public Ledger {
 public:
  /// Makes a ledger for the data of that fingerprint, and its anchor; neither replaces a file. The anchor is
  /// `path`.anchor unless another place is given; its absolute path is part of the ledger.
  static void create(const std::string& path, LedgerTerms terms, const Digest& fingerprint,
                     const std::string& anchor = "");
  /// Ledger::move of the file at `path`.
  static void move(const std::string& path, const std::string& anchor = "", Former former = Former::told);

  explicit SqliteLedger(const std::string& path, Clock clock = {});
};

}  // namespace sotto
