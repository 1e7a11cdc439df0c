#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interruptible.h"
#include "request.h"
#include "rows.h"
#include "sotto/base/error.h"
#include "sotto/bounds.h"
#include "sotto/catalogue.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/fingerprint.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/quote_json.h"
#include "sotto/train.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// Rows for the library's training under a ledger.
class SharedRows final : public RowSource {
 public:
  SharedRows(const Rows& rows, bool part) : rows_(rows), part_(part) {}
  /// A block file's header names the data it was made from; how many rows there are it cannot name. A ledger that does
  /// not tell has 0.
  Facts facts(std::uint64_t rows) const override {
    if (part_ || rows == 0 || rows == rows_.facts.rows) return rows_.facts;
    throw Error(ErrorKind::invalid_data, "data: has not the " + std::to_string(rows) + " rows the ledger was made for",
                "data");
  }
  Digest fingerprint() const override { return rows_.fingerprint.value_or(Digest{}); }
  std::unique_ptr<Engine> open() override { return rows_.open(); }
  /// An array in memory is whoever calls fit's; its engine looks at the end whether it stayed as it was.
  Opened open_fingerprinted() override {
    Opened opened{rows_.open(), fingerprint()};
    if (const auto* blocks = dynamic_cast<const OutOfCoreEngine*>(opened.engine.get()))
      opened.fingerprint = fingerprint_of(blocks->file());
    return opened;
  }

 private:
  const Rows& rows_;
  bool part_;
};

/// What a run was asked for.
struct Asked {
  Rows rows;
  TrainRequest request;
  std::optional<std::uint64_t> noise_seed;
  std::string ledger;
  bool part = false;
  bool again = false;
};

/// One public epsilon a position, if there are any.
std::optional<PersonalEpsilons> personal_of(const nb::object& given) {
  if (given.is_none()) return {};
  const auto values = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(given);
  return personal_epsilons({values.data(), values.size()});
}

/// What a ledger reserved stays spent, however this ends.
Released work(Asked asked, const Report& report) {
  asked.request.progress = report;
  BitSource bits = asked.noise_seed ? BitSource(ReproducibleSeed{*asked.noise_seed}) : BitSource();
  if (!asked.ledger.empty()) {
    SqliteLedger open(asked.ledger);
    SharedRows source(asked.rows, asked.part);
    return train(source, asked.request, bits, {open, asked.again, asked.part});
  }
  Released made;
  made.model = train(*asked.rows.open(), asked.request, bits);
  made.text = model_text(made.model);
  return made;
}

nb::tuple run_training(const Rows& rows, const GivenFields& given, const nb::dict& how) {
  Asked asked;
  asked.rows = rows;
  asked.request = request_from(given);
  asked.request.not_private = nb::cast<std::vector<std::string>>(how["not_private"]);
  if (rows.path.empty()) {
    asked.request.encoding = nb::cast<std::string>(how["encoding"]);
  } else {
    take_schema(asked.request, rows.schema);
  }
  asked.request.order_seed = nb::cast<std::optional<std::uint64_t>>(how["order_seed"]);
  if (how.contains("personal_epsilons")) asked.request.personal = personal_of(how["personal_epsilons"]);
  if (const nb::object found = nb::cast<nb::object>(how["found_norm"]); !found.is_none()) {
    const FoundNorm norm = nb::cast<FoundNorm>(found);
    asked.request.bounds_cost = norm.cost;
    for (const std::string& why : norm.not_private) asked.request.not_private.push_back(why);
  }
  asked.noise_seed = nb::cast<std::optional<std::uint64_t>>(how["noise_seed"]);
  asked.ledger = nb::cast<std::string>(how["ledger"]);
  asked.part = nb::cast<bool>(how["part"]);
  Digest fingerprint{};
  if (digest_from_hex(nb::cast<std::string>(how["fingerprint"]), fingerprint)) asked.rows.fingerprint = fingerprint;
  asked.again = nb::cast<bool>(how["again"]);
  Released made =
      interruptible<Released>([asked = std::move(asked)](const Report& report) { return work(asked, report); },
                              nb::cast<nb::object>(how["progress"]));
  return nb::make_tuple(nb::cast(std::move(made.model)), made.text, made.stored);
}

std::string planned_card(const Facts& facts, const TrainRequest& request, const std::string& ledger) {
  if (ledger.empty()) return card_json(card_of(request, facts));
  SqliteLedger open(ledger);
  return to_json(quote(request, facts, open)).dump(2);
}

std::string plan_card(const nb::dict& facts, const GivenFields& given, const std::string& ledger) {
  return interruptible<std::string>([about = facts_from(facts), request = request_from(given), ledger](const Report&) {
    return planned_card(about, request, ledger);
  });
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("catalog", [] { return catalogue().dump(); });
  module.def("train", &run_training, nb::arg("rows"), nb::arg("fields"), nb::arg("how"));
  module.def("plan", &plan_card, nb::arg("facts"), nb::arg("fields"), nb::arg("ledger") = "");
}

}  // namespace sotto::python
