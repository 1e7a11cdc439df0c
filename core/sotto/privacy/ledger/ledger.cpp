#include "sotto/privacy/ledger/ledger.h"

#include <unistd.h>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/base/rounded_text.h"
#include "sotto/base/sha256.h"
#include "sotto/privacy/ledger/price.h"
#include "sotto/random/bit_source.h"

namespace sotto {

bool Reservation::Use::open() const noexcept { return !closed && process == ::getpid(); }

Reservation::Reservation(std::uint64_t entry, Filter::Cost cost, Filter::Cost spent, std::string nonce)
    : entry_(entry), cost_(cost), spent_(spent), nonce_(std::move(nonce)), use_(std::make_shared<Use>()) {
  use_->process = ::getpid();
}

void Reservation::begin_reading() noexcept {
  if (use_) use_->reading = true;
}

void Reservation::close() {
  if (!use_ || !use_->open()) {
    throw Error(ErrorKind::internal, "a reservation can be used once, by the process that made it");
  }
  use_->closed = true;
}

Reservation Ledger::reserve(const Spending& spending) {
  BitSource bits;
  Sha256 hash;
  for (int i = 0; i < 4; ++i) hash.add_number(bits.next());
  const std::string nonce = hex_of(hash.finish());
  const Reserved reserved = do_reserve(spending, hex_of(sha256(nonce)));
  return {reserved.entry, reserved.cost, reserved.spent, nonce};
}

void Ledger::release(Reservation&& reservation, const std::string& bytes) {
  reservation.close();
  do_release({reservation.entry_, reservation.nonce_}, bytes);
}

void Ledger::cancel(Reservation&& reservation) {
  if (reservation.use_ && reservation.use_->reading) {
    throw Error(ErrorKind::internal, "a reservation is given back only while no row has been read under it");
  }
  reservation.close();
  do_cancel({reservation.entry_, reservation.nonce_});
}

PublicKey Ledger::public_key() const { return SigningKey(secret()).public_key(); }

std::string Ledger::sign(std::string_view text) const { return SigningKey(secret()).sign(text); }

void Ledger::check_public_key() const {
  if (terms().public_key.empty() || terms().public_key == hex_of(public_key())) return;
  throw Error(ErrorKind::invalid_data, "the ledger is damaged or was edited: its public key is another", "ledger");
}

namespace {

/// Other filters count in other currencies than those a request names.
Hint hint_of(const Filter& filter) {
  if (filter.kind() == FilterKind::sum) return {};
  return {HintKind::adding_filter, {std::string(enum_name(FilterKind::sum))}};
}

/// At a large epsilon the numerical distance of noise from its ideal law costs more than the ledger keeps for it: then
/// no request with such noise fits, however small, and none is suggested.
void refuse_distance(const Filter& filter, const Filter::Cost& cost) {
  if (filter.kind() == FilterKind::sum || cost.delta <= filter.limit().delta) return;
  const std::string bound = cost.delta >= Filter::kDeltaUnits ? "1 or more" : Filter::delta_text(cost.delta);
  throw Error(ErrorKind::budget_exceeded,
              "no request with this noise fits: the ledger's epsilon is " + number_text(filter.budget().epsilon) +
                  ", at which the distance of the noise from its ideal law costs delta " + bound +
                  ", and the ledger keeps " + Filter::delta_text(filter.limit().delta) +
                  " for that; a ledger with a smaller epsilon takes it, or one with filter sum",
              "ledger", hint_of(filter));
}

}  // namespace

void refuse_share(const AnalystShare& share, const Filter& filter, const Filter::Cost& cost) {
  throw Error(ErrorKind::budget_exceeded,
              "the request costs " + Filter::text_of(cost) + " of " + filter.currency() + "; analyst " + share.analyst +
                  " may spend " + Filter::text_of(share.limit) + " of the ledger's " + Filter::text_of(filter.limit()) +
                  ", of which " + Filter::text_of(share.remaining()) + " is left; the ledger itself has " +
                  Filter::text_of(filter.remaining()) + " left, and its curator can grant a larger share",
              "share");
}

void refuse_spending(const Filter& filter, const Filter::Cost& cost, const std::string& hint) {
  refuse_distance(filter, cost);
  std::string fits;
  for (const Filter::Fit& fit : filter.what_fits()) {
    fits += (fits.empty() ? "" : ", or ") + std::string(fit.event) + " " + std::string(fit.parameter) + " up to " +
            down_text(fit.largest);
  }
  const bool none = filter.remaining().loss < smallest_price(filter).loss;
  throw Error(ErrorKind::budget_exceeded,
              "the request costs " + Filter::text_of(cost) + " of " + filter.currency() + ", of " +
                  Filter::text_of(filter.limit()) + " there is " + Filter::text_of(filter.remaining()) + " left; " +
                  (none ? "the smallest price of a release is " + Filter::text_of(smallest_price(filter)) +
                              ", so that none fits any more"
                        : "one more release would fit as: " + fits + hint),
              "ledger", hint_of(filter));
}

}  // namespace sotto
