#include <nanobind/stl/string.h>

#include <optional>

#include "bindings.h"
#include "rows.h"
#include "sotto/model/evaluation.h"
#include "sotto/model/model.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/report/training.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// `ledger`: a path, or empty. `rows`: held out, or None.
std::string page(const std::string& name, const Model& model, const std::string& ledger, const Rows* rows) {
  report::ModelPage asked{name, model_text(model)};
  std::optional<SqliteLedger> open;
  if (!ledger.empty()) asked.ledger = &open.emplace(ledger);
  std::optional<Evaluation> measured;
  if (rows != nullptr) asked.measured = &measured.emplace(evaluate(model, rows->view));
  return report::model_page(asked);
}

std::string ledger_page(const std::string& path) {
  SqliteLedger open(path);
  return report::html_of(report::view_of(open));
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("model_page", &page, nb::arg("name"), nb::arg("model"), nb::arg("ledger"), nb::arg("rows").none());
  module.def("ledger_page", &ledger_page, nb::arg("path"));
}

}  // namespace sotto::python
