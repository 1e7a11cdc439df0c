#pragma once
#include <boost/multiprecision/cpp_int.hpp>
#include <string>

/// Exact sums of declared numbers (spec 6.5). A double stands for its shortest decimal spelling, so that 0.1 + 0.2 is
/// 0.3; sums are rationals, and the way back to a double rounds to the private side.
namespace sotto {

using Exact = boost::multiprecision::cpp_rational;

/// The number that the shortest decimal spelling of `value` names; value >= 0 and finite.
Exact exact_of(double value);
/// The smallest double whose spelling is at least `value`; infinity beyond the largest.
double rounded_up(const Exact& value);

}  // namespace sotto
