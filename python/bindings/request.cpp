#include "request.h"

#include "sotto/model/promise.h"

namespace sotto::python {
Facts facts_from(const nanobind::dict& facts) {
  Facts made;
  made.rows = nanobind::cast<std::uint64_t>(facts["rows"]);
  made.features = nanobind::cast<std::uint32_t>(facts["features"]);
  made.data_norm = nanobind::cast<double>(facts["data_norm"]);
  made.classes = nanobind::cast<std::uint32_t>(facts["classes"]);
  return made;
}

std::string card_words(const PrivacyCard& card) {
  const std::string risk = risk_words(card);
  return promise_words(card) + (risk.empty() ? "" : " ") + risk;
}

}  // namespace sotto::python
