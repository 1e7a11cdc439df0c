#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "sotto/privacy/accountant/filter.h"

namespace sotto {

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

}  // namespace sotto
