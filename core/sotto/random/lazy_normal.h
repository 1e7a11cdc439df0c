#pragma once
#include <cmath>
#include <utility>

#include "sotto/random/lazy_digits.h"

namespace sotto {

/// Two independent standard normal numbers as exact functions of two uniforms [BoxMuller58]:
/// (r cos 2 pi v, r sin 2 pi v), r = sqrt(-2 ln u).
struct LazyPair {
  static constexpr int kLeadBits = 48;
  LazyDigits u;
  LazyDigits v;

  LazyPair(std::uint64_t u_lead, std::uint64_t v_lead) noexcept : u(u_lead, kLeadBits), v(v_lead, kLeadBits) {}

  template <class Digits>
  void extend(Digits& digits, int words) {
    u.extend(digits, words);
    v.extend(digits, words);
  }

  /// Both in binary64, once extended: each off by at most `error`, which is infinite where binary64 says nothing.
  struct Rounded {
    double cosine;
    double sine;
    double error;
  };
  Rounded rounded() const noexcept;

  /// Both with all known digits.
  std::pair<Precise, Precise> precise() const;
};

}  // namespace sotto
