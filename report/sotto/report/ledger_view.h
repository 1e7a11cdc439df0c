#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sotto/model/json.h"
#include "sotto/privacy/ledger/ledger.h"

namespace sotto::report {

/// A ledger as pages show it: what was asked of it, what that cost, and what is left. Made from its records and from
/// what it released; no row is read.
struct LedgerView {
  struct Entry {
    std::uint64_t number = 0;
    std::string time;  ///< of the reservation
    EntryState state = EntryState::reserved;
    Filter::Cost cost;
    std::string event;
    std::string analyst{};  ///< empty where the ledger does not know
    std::string asked{};    ///< the method of the model it released, or what else it released; empty: nothing left
    double epsilon = 0;     ///< what the release promises by itself; 0: not known
    double delta = 0;
    double percent = 0;        ///< of the budget as it is now
    double percent_after = 0;  ///< used after this entry, in all
  };
  LedgerTerms terms;
  Filter filter;
  std::vector<Entry> entries{};
  std::string public_key{};
  std::string problem{};  ///< why it could not be verified; empty: it was
  LedgerCheck check{};
};

/// The method of a card; of one that chose another, both.
std::string method_words(const PrivacyCard& card);

/// Verifies the ledger and reads what it released.
LedgerView view_of(Ledger& ledger);

/// The first models it released beside this one.
std::vector<Model> other_models(Ledger& ledger, const std::string& own);

/// The page of a ledger: entries over time, who asked, what is left, what would fit.
std::string html_of(const LedgerView& view);
Json to_json(const LedgerView& view);

}  // namespace sotto::report
