#include <nanobind/stl/string.h>

#include <ctime>

#include "bindings.h"
#include "rows.h"
#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/model/evaluation.h"
#include "sotto/privacy/ledger/released.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/report/training.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

namespace pages = sotto::report;

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  char text[32] = "";
  if (gmtime_r(&time, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

/// The ledger that released this model, as it stands.
pages::LedgerView view_of(const std::string& path, const std::string& own) {
  SqliteLedger open(path);
  if (!entry_of(open, own)) {
    throw Error(ErrorKind::invalid_data, "is not the one that released this model", "ledger");
  }
  pages::LedgerView view{open.terms(), open.filter(), {}};
  for (const LedgerEntry& entry : open.entries()) {
    view.entries.push_back({entry.number, time_text(entry.time), std::string(enum_name(entry.state)),
                            Filter::text_of(entry.cost), entry.event});
  }
  return view;
}

/// `ledger`: a path, or empty. `rows`: held out, or None.
std::string report_page(const std::string& name, const Model& model, const std::string& ledger, const Rows* rows) {
  pages::TrainingReport report = pages::training_report(name, model);
  if (!ledger.empty()) report.ledger = view_of(ledger, model_text(model));
  if (rows != nullptr) {
    report.held_out = pages::held_out(report, rows->view);
    report.held_out->name = "the rows that were given";
  }
  return pages::html_of(report);
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("report_page", &report_page, nb::arg("name"), nb::arg("model"), nb::arg("ledger"), nb::arg("rows").none());
}

}  // namespace sotto::python
