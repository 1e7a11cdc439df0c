// Invented customers. Log odds of "yes" = score of the job + (age - 45)/12 + 0.8 (log10(1 + balance) - 3) + 0.9 [member] +
// 0.25 (visits - 3) - 0.4. Age is uniform on 18 to 90 and unknown in one row of ten; balance is e^N(7, 1.5), and 0 in one
// row of five; visits are the failures of a coin of 1/4. City and date say nothing about the label.
// Test: data_synth_test.cpp, "PeopleCanBeLearnt".
#include "sotto/data/people.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/random/samplers.h"

namespace sotto {
namespace {

struct Job {
  std::string_view name;
  double score;
};
constexpr std::array<Job, 6> kJobs{
    {{"clerk", 0.3}, {"cook", -1.2}, {"doctor", 1.5}, {"driver", -0.8}, {"student", -1.5}, {"teacher", 0.6}}};
constexpr std::array<std::string_view, 4> kCities{"Bergen", "Lyon", "Porto", "Turku"};

double draw_balance(BitSource& bits) {
  if (draw_below(bits, 5) == 0) return 0;
  std::array<double, 1> normal{};
  draw_normal(bits, normal);
  return std::floor(std::exp(7 + 1.5 * normal[0]));
}

std::uint32_t draw_visits(BitSource& bits) {
  std::uint32_t visits = 0;
  while (visits < 20 && draw_below(bits, 4) != 0) ++visits;
  return visits;
}

}  // namespace

void synth_people(const PeopleData& data, BitSource& bits, const std::function<void(std::string_view)>& take) {
  require(data.rows > 0, "rows", "must be at least 1");
  take("age,job,city,balance,visits,member,joined,bought");
  for (std::uint64_t i = 0; i < data.rows; ++i) {
    const auto age = 18 + static_cast<int>(draw_below(bits, 73));
    const bool known = draw_below(bits, 10) != 0;
    const Job& job = kJobs.at(draw_below(bits, kJobs.size()));
    const std::string_view city = kCities.at(draw_below(bits, kCities.size()));
    const double balance = draw_balance(bits);
    const std::uint32_t visits = draw_visits(bits);
    const bool member = draw_below(bits, 2) == 0;
    const double odds = job.score + (age - 45) / 12.0 + 0.8 * (std::log10(1 + balance) - 3) + (member ? 0.9 : 0) +
                        0.25 * (visits - 3.0) - 0.4;
    const bool bought = draw_uniform(bits) < 1 / (1 + std::exp(-odds));
    take(fmt::format("{},{},{},{:.0f},{},{},20{:02}-{:02}-{:02},{}", known ? fmt::format("{}", age) : "?", job.name,
                     city, balance, visits, member, 10 + draw_below(bits, 15), 1 + draw_below(bits, 12),
                     1 + draw_below(bits, 28), bought ? "yes" : "no"));
  }
}

}  // namespace sotto
