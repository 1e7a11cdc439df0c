#pragma once
#include <span>

#include "sotto/data/facts.h"

namespace sotto {

/// Scales `row` so that its float32 image in `stored` has norm at most norm_bound * kNormSlack, in the same direction;
/// a row inside the ball is only rounded. False, and `stored` zero, if an entry is not finite. Equal sizes.
/// `exponent`: the true row is row * 2^exponent (rows too long for binary64 come pre-scaled).
bool clip_and_store(std::span<const double> row, double norm_bound, std::span<float> stored, int exponent = 0) noexcept;

/// The one test of a stored row: all entries finite, and a norm of at most norm_bound * kNormSlack. It is rounded up: a
/// row that passes is no longer than that. Rows that clip_and_store made pass.
bool keeps_norm(std::span<const float> row, double norm_bound) noexcept;

/// The second line of defence on entry to a store: clips a float32 row that exceeds norm_bound * kNormSlack, makes a
/// row with a non-finite entry zero and returns false. A row that clip_and_store made is unchanged.
bool enforce_norm(std::span<float> row, double norm_bound) noexcept;

/// The L2 norm in binary64, without overflow or underflow on the way.
double safe_norm(std::span<const double> row) noexcept;

}  // namespace sotto
