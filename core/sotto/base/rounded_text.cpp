// What: a number rounded up or down in its last printed digit.
// Formula: the shortest digits that read back as the number, cut; one more in the last place where the cut lost a digit
//   and the rounding is away from zero.
// Conditions: reading is correctly rounded and so monotone: a decimal above the shortest one never reads as less.
// Fails if wrong: RoundedText.*
#include "sotto/base/rounded_text.h"

#include <charconv>
#include <cmath>

namespace sotto {
namespace {

/// 0.d1 d2 d3 ... times 10^exponent, without zeros at either end.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

void trim(Decimal& decimal) {
  const std::size_t first = decimal.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    decimal = {};
    return;
  }
  decimal.digits.erase(0, first);
  decimal.exponent -= static_cast<int>(first);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
}

Decimal shortest(double value) {
  char buffer[32];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string text(buffer, written.ptr);
  const std::size_t e = text.find('e');
  Decimal decimal{text.substr(0, e), 1 + std::stoi(text.substr(e + 1))};
  if (decimal.digits.size() > 1) decimal.digits.erase(1, 1);  // the point
  trim(decimal);
  return decimal;
}

void cut(Decimal& decimal, std::size_t most, bool away) {
  if (decimal.digits.size() <= most) return;
  decimal.digits.resize(most);
  if (away) {
    std::size_t place = most;
    while (place > 0 && decimal.digits[place - 1] == '9') decimal.digits[--place] = '0';
    if (place > 0) {
      ++decimal.digits[place - 1];
    } else {
      decimal.digits.insert(0, "1");
      ++decimal.exponent;
    }
  }
  trim(decimal);
}

/// As printf's %g writes it: no power of ten from 1e-4 up to as many places as `fixed`.
std::string text_of(const Decimal& decimal, int fixed) {
  if (decimal.digits.empty()) return "0";
  const int power = decimal.exponent - 1;
  const auto count = static_cast<int>(decimal.digits.size());
  if (power < -4 || power >= fixed) {
    std::string text = decimal.digits.substr(0, 1);
    if (count > 1) text += "." + decimal.digits.substr(1);
    const std::string size = std::to_string(std::abs(power));
    return text + (power < 0 ? "e-" : "e+") + (size.size() < 2 ? "0" : "") + size;
  }
  if (decimal.exponent <= 0)
    return "0." + std::string(static_cast<std::size_t>(-decimal.exponent), '0') + decimal.digits;
  if (count <= decimal.exponent)
    return decimal.digits + std::string(static_cast<std::size_t>(decimal.exponent - count), '0');
  const auto whole = static_cast<std::size_t>(decimal.exponent);
  return decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
}

std::string rounded(double value, int digits, bool up) {
  if (std::isnan(value)) return "nan";
  const std::string sign = value < 0 ? "-" : "";
  if (std::isinf(value)) return sign + "infinite";
  Decimal decimal = shortest(std::fabs(value));
  cut(decimal, static_cast<std::size_t>(digits), up == (value > 0));
  return sign + text_of(decimal, digits);
}

}  // namespace

std::string up_text(double value, int digits) { return rounded(value, digits, true); }
std::string down_text(double value, int digits) { return rounded(value, digits, false); }

std::string guarantee_text(double epsilon, double delta) {
  return "epsilon " + up_text(epsilon) + ", delta " + up_text(delta, kDeltaDigits);
}

std::string decimal_text(std::uint64_t amount, int places) {
  std::string digits = std::to_string(amount);
  Decimal decimal{digits, static_cast<int>(digits.size()) - places};
  trim(decimal);
  return text_of(decimal, 20);
}

std::string times_text(std::uint64_t times) {
  if (times == 1) return "once";
  return times == 2 ? "twice" : std::to_string(times) + " times";
}

std::string counted_text(std::uint64_t count, std::string_view word) {
  return std::to_string(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

}  // namespace sotto
