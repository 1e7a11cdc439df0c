#include "sotto/privacy/ledger/share.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/base/error.h"
#include "sotto/base/whole_number.h"

namespace sotto {
namespace {

using ShareJson = nlohmann::ordered_json;

std::uint64_t millionths_part(std::uint64_t whole, std::uint32_t millionths) noexcept {
  return whole / kWholeBudget * millionths + whole % kWholeBudget * millionths / kWholeBudget;
}

std::uint64_t rest_of(std::uint64_t limit, std::uint64_t spent) noexcept { return spent < limit ? limit - spent : 0; }

}  // namespace

std::uint32_t millionths_of(double share, const char* field) {
  require(share >= 0 && share <= 1, field, "must lie between 0 and 1");
  return static_cast<std::uint32_t>(std::floor(share * kWholeBudget + 1e-6));
}

std::string text_of(const ShareGrant& grant) {
  return ShareJson{{"analyst", grant.analyst}, {"millionths", grant.millionths}}.dump(
      -1, ' ', false, ShareJson::error_handler_t::replace);
}

ShareGrant grant_from(const std::string& text) {
  try {
    const ShareJson json = ShareJson::parse(text);
    ShareGrant grant{json.at("analyst").get<std::string>(), whole_number<std::uint32_t>(json.at("millionths"))};
    if (!grant.analyst.empty() && grant.millionths <= kWholeBudget) return grant;
  } catch (const nlohmann::json::exception&) {
  } catch (const Error&) {
  }
  throw Error(ErrorKind::invalid_data, "the ledger's record of a share cannot be read");
}

Filter::Cost share_of(const Filter::Cost& limit, std::uint32_t millionths) noexcept {
  return {millionths_part(limit.loss, millionths), millionths_part(limit.delta, millionths)};
}

Filter::Cost AnalystShare::remaining() const noexcept {
  return {rest_of(limit.loss, spent.loss), rest_of(limit.delta, spent.delta)};
}

bool AnalystShare::fits(const Filter::Cost& cost) const noexcept {
  const Filter::Cost left = remaining();
  return cost.loss <= left.loss && cost.delta <= left.delta;
}

}  // namespace sotto
