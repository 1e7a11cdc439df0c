#include "sotto/privacy/ledger/reservation.h"

#include <unistd.h>

#include "sotto/base/error.h"

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

}  // namespace sotto
