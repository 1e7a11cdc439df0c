#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>

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
/// What is asked of a ledger, whatever is to leave.
struct ReleaseRequest {
  PlannedCost cost;
  std::string digest;             ///< of the request in canonical form
  std::optional<double> delta{};  ///< of the request, for saying what would fit
  Filter::Cost leave{};           ///< what must be left when it is paid
  std::function<void()> check{};  ///< of the rows, told to those who may read them; the last thing before the charge
};

/// A release that is paid for and has read no row yet. Whatever fails or is dropped from here on stays spent.
class Paid {
 public:
  using Fingerprint = std::function<Digest()>;  ///< of the rows, read when it is asked

  /// Tests and charges, in this order: whether it fits, whether the rows are those of the ledger, the check that was asked
  /// for, the reservation. Throws Error{budget_exceeded} or Error{invalid_data}, and charges nothing then. `to` refers to
  /// what is to outlive it.
  Paid(const ChargedTo& to, const ReleaseRequest& asked, const Fingerprint& fingerprint);

  const ChargedTo& to() const noexcept { return to_; }
  const Filter& filter() const noexcept { return filter_; }  ///< as it was charged: its terms may change before that
  const Reservation& reservation() const noexcept { return reservation_; }
  /// That may draw what was charged.
  Curator& curator() noexcept { return curator_; }
  /// Stores what is about to leave; nothing else leaves.
  void release(const std::string& text) { to_.use.ledger.release(std::move(reservation_), text); }

 private:
  ChargedTo to_;
  Filter filter_;
  Curator curator_;
  Reservation reservation_;
};

/// One release under a budget, of any T.
template <class T>
struct Charged {
  ReleaseRequest asked;
  Paid::Fingerprint fingerprint;
  std::function<T(const std::string&)> from_stored;  ///< the text of an earlier answer
  std::function<T(Paid&)> read;                      ///< everything that touches rows, ending in Paid::release
};

/// The text of an earlier answer to the same request, if there was one and it is to be had again. Throws
/// Error{invalid_data} if the rows are not those of the ledger.
std::optional<std::string> stored_answer(const LedgerUse& use, const std::string& digest,
                                         const Paid::Fingerprint& fingerprint);
/// Throws Error{invalid_argument} for a source that repeats itself.
void refuse_seeded(const BitSource& bits);

/// The stored answer, free; or test, reserve, read, release.
template <class T>
T run_charged(const ChargedTo& to, const Charged<T>& run) {
  refuse_seeded(to.bits);
  if (const auto before = stored_answer(to.use, run.asked.digest, run.fingerprint)) return run.from_stored(*before);
  Paid paid(to, run.asked, run.fingerprint);
  return run.read(paid);
}

/// A model that left, as it is stored in the ledger.
struct Released {
  std::string text;  ///< of the model file
  Model model;
  bool stored = false;  ///< an earlier answer to the same request, free of charge
};

/// A run that was planned from public facts and makes a model, and what it costs.
struct ChargedRun {
  PlannedCost cost;
  Facts facts;          ///< it was planned on
  double delta = 0;     ///< of the request, for saying what would fit
  std::string request;  ///< digest of the request in canonical form
  /// Everything that touches rows; the curator may draw what was charged.
  std::function<Model(Engine&, Curator&)> run;
  HearCheck check{};  ///< of the request
};

/// The answer to the same request, if there was one and it is to be had again. Throws Error{invalid_data} if the rows
/// are not those of the ledger.
std::optional<Released> answered_before(const RowSource& rows, const std::string& request, const LedgerUse& use);

/// The run of a model in two halves, for hosts that hand over the rows afterwards: `run` is to outlive it.
class PaidRun {
 public:
  /// Charges, as Paid does.
  PaidRun(const RowSource& rows, const ChargedTo& charged, const ChargedRun& run);
  /// Reads the rows, once, and releases. Throws Error{invalid_data}, and releases nothing, if they are not those that
  /// were charged for.
  Released finish(RowSource& rows) &&;

 private:
  const ChargedRun& run_;
  Paid paid_;
};

/// Tells what was found in the rows, and throws as require_sound() does. Nothing if nobody hears it.
void check_rows(RowSource& rows, const HearCheck& hear, RowSource::Opening way);

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
