// What: doubles as the decimals they are written as, summed exactly.
// Formula: "d.ddde-k" = digits / 10^(k + places).
// Conditions: value >= 0 and finite.
// Fails if wrong: AccountantPure.TenthAndFifthFitInThreeTenths, AccountantFilter.*
#include "sotto/privacy/accountant/exact.h"

#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;

cpp_int power_of_ten(int exponent) { return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(exponent)); }

}  // namespace

Exact exact_of(double value) {
  require(value >= 0 && std::isfinite(value), "value", "must be at least 0 and finite");
  const std::string text = number_text(value);
  const std::size_t e = text.find_first_of("eE");
  std::string mantissa = text.substr(0, e);
  int exponent = e == std::string::npos ? 0 : std::stoi(text.substr(e + 1));
  if (const std::size_t dot = mantissa.find('.'); dot != std::string::npos) {
    exponent -= static_cast<int>(mantissa.size() - dot - 1);
    mantissa.erase(dot, 1);
  }
  // A leading zero would make the digits octal.
  const std::size_t first = mantissa.find_first_not_of('0');
  const cpp_int digits(first == std::string::npos ? "0" : mantissa.substr(first));
  return exponent >= 0 ? Exact(digits * power_of_ten(exponent)) : Exact(digits, power_of_ten(-exponent));
}

double rounded_up(const Exact& value) {
  double guess = value.convert_to<double>();
  if (!std::isfinite(guess)) return std::numeric_limits<double>::infinity();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4 && guess > 0 && exact_of(std::nextafter(guess, 0.0)) >= value; ++i) {
    guess = std::nextafter(guess, 0.0);
  }
  while (std::isfinite(guess) && exact_of(guess) < value) guess = std::nextafter(guess, kInfinity);
  return guess;
}

}  // namespace sotto
