#pragma once
#include <functional>
#include <optional>
#include <string>

#include "sotto/model/model.h"
#include "sotto/optim/engine.h"
#include "sotto/privacy/curator.h"
#include "sotto/privacy/ledger/ledger.h"
#include "sotto/privacy/ledger/price.h"

/// One release under a budget, for any kind of run: test, reserve durably, and only then read rows. The result is
/// stored in the ledger before it is returned, and it was made from the data of the ledger.
namespace sotto {

/// The ledger a run is charged to.
struct LedgerUse {
  Ledger& ledger;
  bool again = false;  ///< train and charge again although the same request was answered before
  /// The data holder states that the rows are a part of the ledger's data, chosen without looking at values. The
  /// fingerprint is not compared, and the run is charged even if the same request was answered before.
  bool part = false;
};
/// A ledger, and the source of the noise of what is charged to it.
struct ChargedTo {
  LedgerUse use;
  BitSource& bits;
};
/// What left, as it is stored in the ledger.
struct Released {
  std::string text;  ///< of the model file
  Model model;
  bool stored = false;  ///< an earlier answer to the same request, free of charge
};

/// A run that was planned from public facts, and what it costs.
struct ChargedRun {
  PlannedCost cost;
  Facts facts;          ///< it was planned on
  double delta = 0;     ///< of the request, for saying what would fit
  std::string request;  ///< digest of the request in canonical form
  /// Everything that touches rows; the curator may draw what was charged.
  std::function<Model(Engine&, Curator&)> run;
};

/// The answer to the same request, if there was one and it is to be had again. Throws Error{invalid_data} if the rows
/// are not those of the ledger.
std::optional<Released> answered_before(const RowSource& rows, const std::string& request, const LedgerUse& use);

/// A run that is paid for and has read no row yet, for hosts that hand over the rows afterwards. Whatever fails or is
/// dropped from here on stays spent.
class PaidRun {
 public:
  /// Charges. Throws Error{budget_exceeded} before any row is read, and charges nothing then. All three are to outlive
  /// it but for `rows`.
  PaidRun(const RowSource& rows, const ChargedTo& charged, const ChargedRun& run);
  /// Reads the rows, once, and releases. Throws Error{invalid_data}, and releases nothing, if they are not those that
  /// were charged for.
  Released finish(RowSource& rows) &&;

 private:
  ChargedTo charged_;
  const ChargedRun& run_;
  Filter filter_;
  Curator curator_;
  Reservation reservation_;
};

/// The stored answer, or all of a paid run at once.
Released run_charged(RowSource& rows, const ChargedTo& charged, const ChargedRun& run);

/// Throws Error{invalid_argument} unless text is read as the ledger says; `reading` is empty where no text is parsed.
/// To be called before the file is opened: then the answer is no answer about rows.
void require_reading(const std::string& reading, const LedgerTerms& terms);
/// Throws Error{invalid_argument} about the ledger if `refused`.
void refuse_ledger_if(bool refused, const std::string& why);
/// Throws Error{invalid_argument} unless the ledger stored a schema whose bounds were found for this cost: an edited
/// schema can name any ledger.
void refuse_other_bounds(const BoundsCost& cost, Ledger& ledger);

}  // namespace sotto
