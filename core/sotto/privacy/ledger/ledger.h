#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/ledger/record.h"
#include "sotto/privacy/ledger/signing.h"

namespace sotto {

/// A reserved entry counts as spent, whatever became of it. It ends in one of the other states or stays reserved, as
/// after a crash: spent, with nothing to show.
enum class EntryState { reserved, released, voided };
constexpr auto enum_names(EntryState) {
  return std::array{std::pair{std::string_view("reserved"), EntryState::reserved},
                    std::pair{std::string_view("released"), EntryState::released},
                    std::pair{std::string_view("voided"), EntryState::voided}};
}

struct LedgerEntry {
  std::uint64_t number = 0;  ///< the sequence of its reservation
  EntryState state = EntryState::reserved;
  Filter::Cost cost;
  std::string request;   ///< digest of the request
  std::string event;     ///< what was charged, in words
  std::string released;  ///< digest of the bytes released
  std::int64_t time = 0;
  std::string token;      ///< SHA-256 of the nonce that only the holder of the reservation knows
  std::string analyst{};  ///< who was charged, where the store knows
};

/// What is to be spent, and for which request.
struct Spending {
  Event event;
  double distance = 0;  ///< in total variation, of the noise drawn from its ideal law
  std::string request;  ///< digest of the request in canonical form
};

/// The right to read rows once, for one release: a token that moves and is never copied. Only the process that reserved
/// it can use it, as only there is the nonce known of which the ledger has the digest; a child process cannot.
class Reservation {
 public:
  Reservation(Reservation&& other) noexcept = default;
  Reservation& operator=(Reservation&&) = delete;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() = default;

  std::uint64_t entry() const noexcept { return entry_; }
  const Filter::Cost& cost() const noexcept { return cost_; }
  const Filter::Cost& spent_after() const noexcept { return spent_; }
  /// From here on a row may have been read: the reservation cannot be cancelled any more.
  void begin_reading() noexcept;

 private:
  friend class Ledger;
  friend class Curator;
  /// What became of it, shared with the curator that draws under it.
  struct Use {
    bool reading = false;
    bool closed = false;
    std::int64_t process = 0;
    bool open() const noexcept;
  };
  Reservation(std::uint64_t entry, Filter::Cost cost, Filter::Cost spent, std::string nonce);
  /// Ends it. Throws Error{internal} if it was used, given back or moved from, or belongs to another process.
  void close();

  std::uint64_t entry_;
  Filter::Cost cost_;
  Filter::Cost spent_;
  std::string nonce_;
  std::shared_ptr<Use> use_;  // none after a move
};

/// What a full check of a ledger looked at; it throws if something is wrong.
struct LedgerCheck {
  std::uint64_t records = 0;
  std::uint64_t models = 0;
  std::uint64_t anchored = 0;  ///< sequence of the last point of the anchor
};

/// The budget of one data set across all releases from it. Append-only; nothing refunds. Every spending is durable and
/// anchored when `reserve` returns, every release when `release` returns. Requests may depend on earlier outputs: the
/// filter fixed at creation composes them (spec 6.4), and the guarantee is its budget.
class Ledger {
 public:
  virtual ~Ledger() = default;

  virtual const LedgerTerms& terms() const = 0;
  /// Whether this is the fingerprint (files/fingerprint.h) of the data the budget belongs to.
  virtual bool is_about(const Digest& fingerprint) const = 0;
  /// The budget and what is spent of it now.
  virtual Filter filter() = 0;
  /// What the analyst may spend who is charged now; none where nobody is named or the whole budget is open.
  virtual std::optional<AnalystShare> share() { return std::nullopt; }
  virtual std::vector<LedgerEntry> entries() = 0;
  virtual std::vector<LedgerRecord> records() = 0;
  /// The bytes an earlier release of the same request put out, the first of them; asking again is free.
  virtual std::optional<std::string> stored(const std::string& request) = 0;
  /// What an entry released. Throws Error{invalid_data} if the bytes are not those.
  virtual std::string bytes_of(const LedgerEntry& entry) = 0;
  /// Recomputes chain, totals, limits and stored bytes and compares them with the anchor. Throws Error{invalid_data} or
  /// Error{io}; never repairs.
  virtual LedgerCheck verify() = 0;

  /// By which a reader tells what this ledger released.
  PublicKey public_key() const;
  /// The signature of a text this ledger releases (SigningKey::sign). The private key has no other use and no reader.
  std::string sign(std::string_view text) const;

  /// Charges before the first row is read. Throws Error{budget_exceeded}, and spends nothing, if it does not fit.
  Reservation reserve(const Spending& spending);
  /// Stores what is about to leave, together with the fact that it leaves, and uses the reservation up: whatever
  /// happens, nothing else is released under it. Throws Error{internal} for one that was used, that is another
  /// ledger's, or that another process made.
  void release(Reservation&& reservation, const std::string& bytes);
  /// Gives a reservation back, before any row was read or noise drawn under it. Throws Error{internal} after
  /// begin_reading.
  void cancel(Reservation&& reservation);

 protected:
  struct Reserved {
    std::uint64_t entry;
    Filter::Cost cost;
    Filter::Cost spent;
  };
  /// An entry and the proof that it may be ended.
  struct Ending {
    std::uint64_t entry;
    std::string nonce;
  };
  /// The random key of the ledger, of which the terms hold the digest.
  virtual Digest secret() const = 0;
  /// Throws Error{invalid_data} unless the terms name the key pair that follows from the random key, or none.
  void check_public_key() const;
  /// `token` is the digest of the nonce the reservation will hold.
  virtual Reserved do_reserve(const Spending& spending, const std::string& token) = 0;
  virtual void do_release(const Ending& ending, const std::string& bytes) = 0;
  virtual void do_cancel(const Ending& ending) = 0;
};

/// The refusal of a request that does not fit: what it costs, what is left and what would fit, ending in `hint`.
[[noreturn]] void refuse_spending(const Filter& filter, const Filter::Cost& cost, const std::string& hint = "");
/// The same of one that does not fit the share of who asks.
[[noreturn]] void refuse_share(const AnalystShare& share, const Filter& filter, const Filter::Cost& cost);

}  // namespace sotto
