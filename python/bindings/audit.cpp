#include "sotto/audit/audit.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "interruptible.h"
#include "request.h"
#include "sotto/audit/museum.h"
#include "sotto/model/json.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

audit::AuditOptions options_from(const nb::dict& how) {
  audit::AuditOptions options;
  options.quick = nb::cast<bool>(how["quick"]);
  options.games = nb::cast<std::uint64_t>(how["games"]);
  options.seed = nb::cast<std::uint64_t>(how["seed"]);
  options.method = nb::cast<std::string>(how["method"]);
  options.check = nb::cast<std::string>(how["check"]);
  return options;
}

Json findings_json(const std::vector<audit::Finding>& findings) {
  Json list = Json::array();
  for (const audit::Finding& f : findings) {
    list.push_back(Json{{"check", f.check},
                        {"subject", f.subject},
                        {"quantity", f.quantity},
                        {"claim", f.claim},
                        {"found", f.found},
                        {"holds", f.holds()},
                        {"has_power", f.has_power()},
                        {"evidence", f.evidence}});
  }
  return list;
}

std::string audit_everything(const nb::dict& how, const nb::object& progress) {
  return interruptible<std::string>(
      [options = options_from(how)](const Report& report) {
        audit::AuditOptions reporting = options;
        reporting.progress = report;
        return findings_json(audit::audit_all(reporting)).dump();
      },
      progress);
}

std::string audit_planned(const nb::dict& facts, const GivenFields& given, const nb::dict& how) {
  return interruptible<std::string>(
      [request = request_from(given), known = facts_from(facts), options = options_from(how)](const Report&) {
        const audit::RequestAudit found = audit::audit_request(request, known, options);
        return Json{{"findings", findings_json(found.findings)}, {"svg", found.svg}}.dump();
      });
}

std::string show_museum(const nb::dict& how, const nb::object& progress) {
  return interruptible<std::string>(
      [options = options_from(how)](const Report& report) {
        Json list = Json::array();
        double seen = 0;
        for (const audit::Exhibit& exhibit : audit::museum()) {
          report(seen++ / static_cast<double>(audit::museum().size()));
          if (!options.check.empty() && options.check != exhibit.name) continue;
          const audit::Exhibited shown = exhibit.show(options.rules());
          list.push_back(Json{{"exhibit", exhibit.name},
                              {"what", exhibit.what},
                              {"reference", exhibit.reference},
                              {"claim", shown.claim},
                              {"lower_bound", shown.lower_bound},
                              {"delta", shown.delta},
                              {"caught", shown.caught()},
                              {"control", shown.control},
                              {"control_holds", shown.control_holds()},
                              {"evidence", shown.evidence}});
        }
        return list.dump();
      },
      progress);
}

}  // namespace

void bind_audit(nb::module_& module) {
  module.def("audit_all", &audit_everything, nb::arg("how"), nb::arg("progress").none());
  module.def("audit_request", &audit_planned, nb::arg("facts"), nb::arg("fields"), nb::arg("how"));
  module.def("audit_museum", &show_museum, nb::arg("how"), nb::arg("progress").none());
  module.def("audit_checks", [] {
    Json names = Json::array();
    for (const auto& name : audit::checks()) names.push_back(name);
    return names.dump();
  });
}

}  // namespace sotto::python
