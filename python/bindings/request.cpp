#include "request.h"

namespace sotto::python {
Facts facts_from(const nanobind::dict& facts) {
  Facts made;
  made.rows = nanobind::cast<std::uint64_t>(facts["rows"]);
  made.features = nanobind::cast<std::uint32_t>(facts["features"]);
  made.data_norm = nanobind::cast<double>(facts["data_norm"]);
  made.classes = nanobind::cast<std::uint32_t>(facts["classes"]);
  return made;
}

}  // namespace sotto::python
