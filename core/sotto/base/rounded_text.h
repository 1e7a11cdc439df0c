#pragma once
#include <cstdint>
#include <string>
#include <string_view>

/// Numbers as people read them, rounded to one side in the last digit that is shown. Costs and guarantees are rounded
/// up, what is left or would fit is rounded down: a printed statement is never better than what holds. A number that
/// has no more digits than asked for is printed as it is. A double counts as its shortest spelling (number_text), so
/// 1e-6 stays 1e-06.
namespace sotto {

inline constexpr int kEpsilonDigits = 6;  ///< of an epsilon, rho or mu in text
inline constexpr int kDeltaDigits = 3;    ///< of a delta in text

/// At most `digits` significant digits; read back it is at least `value`. 0 for either zero, "infinite" for infinity.
std::string up_text(double value, int digits = kEpsilonDigits);
/// The same, read back at most `value`.
std::string down_text(double value, int digits = kEpsilonDigits);
/// "epsilon 1, delta 1e-06", both rounded up.
std::string guarantee_text(double epsilon, double delta);
/// "once", "twice", "3 times".
std::string times_text(std::uint64_t times);
/// "1 step", "2 steps": of a word that takes an s.
std::string counted_text(std::uint64_t count, std::string_view word);
/// amount / 10^places, exactly.
std::string decimal_text(std::uint64_t amount, int places);

}  // namespace sotto
