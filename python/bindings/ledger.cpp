#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "sotto/base/fields.h"
#include "sotto/model/filter_json.h"
#include "sotto/model/signature.h"
#include "sotto/privacy/ledger/asked_budget.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

Json entry_json(const LedgerEntry& entry, const Filter& filter) {
  return Json{{"entry", entry.number},       {"state", enum_name(entry.state)},
              {"cost", to_json(entry.cost)}, {"event", entry.event},
              {"request", entry.request},    {"released", entry.released},
              {"time", entry.time},          {"share", part_words(filter, entry.cost)}};
}

std::string show(const std::string& path) {
  SqliteLedger ledger(path);
  const LedgerTerms& terms = ledger.terms();
  const Filter filter = ledger.filter();
  const Budget& budget = terms.filter.budget;
  Json entries = Json::array();
  for (const LedgerEntry& entry : ledger.entries()) entries.push_back(entry_json(entry, filter));
  return Json{{"ledger", terms.id},
              {"guarantee", Json{{"epsilon", budget.epsilon}, {"delta", budget.delta}}},
              {"relation", enum_name(budget.relation)},
              {"unit", terms.unit},
              {"filter", enum_name(terms.filter.kind)},
              {"rows", terms.rows},
              {"blind", terms.blind},
              {"anchor", ledger.place().anchor},
              {"currency", filter.currency()},
              {"limit", filter.limit().loss_number()},
              {"spent", filter.spent().loss_number()},
              {"remaining", filter.remaining().loss_number()},
              {"would_fit", would_fit_json(filter)},
              {"budget", budget_json(filter)},
              {"entries", entries}}
      .dump();
}

std::string verify(const std::string& path) {
  SqliteLedger ledger(path);
  const LedgerCheck check = ledger.verify();
  return Json{{"verified", true}, {"records", check.records}, {"models", check.models}, {"anchored", check.anchored}}
      .dump();
}

std::string public_key(const std::string& path) { return pem_of(SqliteLedger(path).public_key()); }

/// What is wrong with a signed model file; empty if it is what the ledger of this key released.
std::string problem_of(const nb::bytes& file, const std::string& key) {
  return signature_problem({file.c_str(), file.size()}, public_key_from(key));
}

/// `terms`: budget_epsilon, budget_delta (None for the default), relation, filter ("" for the default), anchor, fingerprint, rows.
void create(const std::string& path, const nb::dict& given) {
  LedgerTerms terms;
  AskedBudget asked;
  asked.epsilon = nb::cast<double>(given["budget_epsilon"]);
  asked.delta = nb::cast<std::optional<double>>(given["budget_delta"]);
  asked.relation = enum_by_name<Relation>(nb::cast<std::string>(given["relation"]), "relation");
  asked.filter = nb::cast<std::string>(given["filter"]);
  SqliteLedger::check_relation(asked.relation);
  terms.rows = nb::cast<std::uint64_t>(given["rows"]);
  terms.blind = given.contains("blind") && nb::cast<bool>(given["blind"]);
  terms.filter = opened_filter(asked, terms.rows).state();
  Digest fingerprint{};
  require(digest_from_hex(nb::cast<std::string>(given["fingerprint"]), fingerprint), "fingerprint",
          "must be 64 hexadecimal digits");
  SqliteLedger::create(path, terms, fingerprint, nb::cast<std::string>(given["anchor"]));
}

void lower(const std::string& path, double epsilon, std::optional<double> delta) {
  SqliteLedger(path).lower(epsilon, delta);
}

bool is_about(const std::string& path, const std::string& fingerprint) {
  Digest digest{};
  return digest_from_hex(fingerprint, digest) && SqliteLedger(path).is_about(digest);
}

}  // namespace

void bind_ledger(nb::module_& module) {
  module.def("ledger_create", &create, nb::arg("path"), nb::arg("terms"));
  module.def("ledger_lower", &lower, nb::arg("path"), nb::arg("epsilon"), nb::arg("delta").none());
  module.def("ledger_show", &show, nb::arg("path"));
  module.def("ledger_verify", &verify, nb::arg("path"));
  module.def("ledger_public_key", &public_key, nb::arg("path"));
  module.def("signature_problem", &problem_of, nb::arg("file"), nb::arg("key"));
  module.def("ledger_is_about", &is_about, nb::arg("path"), nb::arg("fingerprint"));
  module.def(
      "text_fingerprint", [](const std::string& text) { return hex_of(sha256(text)); }, nb::arg("text"));
}

}  // namespace sotto::python
