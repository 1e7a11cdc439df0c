#include "sotto/privacy/ledger/ledger.h"

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto {

Reservation Ledger::reserve(const Spending& spending) {
  const Reserved reserved = do_reserve(spending);
  return {reserved.entry, reserved.cost, reserved.spent};
}

void Ledger::release(Reservation& reservation, const std::string& bytes) {
  if (reservation.closed_) throw Error(ErrorKind::internal, "a reservation can be used once");
  reservation.closed_ = true;
  do_release(reservation.entry_, bytes);
}

void Ledger::cancel(Reservation& reservation) {
  if (reservation.closed_ || reservation.reading_) {
    throw Error(ErrorKind::internal, "a reservation is given back only while no row has been read under it");
  }
  reservation.closed_ = true;
  do_cancel(reservation.entry_);
}

void refuse_spending(const Filter& filter, const Filter::Cost& cost, const std::string& hint) {
  std::string fits;
  for (const Filter::Fit& fit : filter.what_fits()) {
    fits += (fits.empty() ? "" : ", or ") + std::string(fit.event) + " " + std::string(fit.parameter) + " up to " +
            number_text(fit.largest);
  }
  throw Error(ErrorKind::budget_exceeded,
              "the request costs " + Filter::text_of(cost) + " of " + filter.currency() + ", of " +
                  Filter::text_of(filter.limit()) + " there is " + Filter::text_of(filter.remaining()) +
                  " left; one more release would fit as: " + fits + hint,
              "ledger");
}

}  // namespace sotto
