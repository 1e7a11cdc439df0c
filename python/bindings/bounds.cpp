#include "sotto/bounds.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <variant>

#include "bindings.h"
#include "interruptible.h"
#include "request.h"
#include "rows.h"
#include "sotto/base/fields.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using AnyArray = std::variant<DenseArray, SparseArray>;

/// The norms of rows before they are clipped, without the constant feature; they leave as counts for a private choice.
BoundCounts count_norms(const AnyArray& array, const ArrayEncoding& encoding, const Report& report) {
  constexpr std::uint64_t kLookRows = 4096;
  BoundCounts counts(size_grid());
  std::uint64_t rows = 0;
  const auto take = [&](double norm) {
    if (rows++ % kLookRows == 0) report(0);
    counts.add(norm);
  };
  std::visit([&](const auto& values) { for_each_norm(values, encoding, take); }, array);
  return counts;
}

/// The training the norm is for, which must be payable too: neither is charged unless both fit.
struct Charging {
  std::string ledger;
  bool part = false;
  TrainRequest training;
  Facts outline;
};

Charging charging_from(const nb::dict& charged) {
  Charging charging;
  charging.ledger = nb::cast<std::string>(charged["ledger"]);
  charging.part = nb::cast<bool>(charged["part"]);
  charging.training = request_from(nb::cast<GivenFields>(charged["training"]));
  charging.training.not_private = nb::cast<std::vector<std::string>>(charged["not_private"]);
  charging.outline = facts_from(nb::cast<nb::dict>(charged["facts"]));
  return charging;
}

FoundNorm find_charged(const NormSource& rows, BoundsRequest request, const Charging& charging) {
  BitSource bits;
  SqliteLedger ledger(charging.ledger);
  request.leave = quote(charging.training, charging.outline, ledger).cost;
  return find_data_norm(rows, request, bits, {ledger, false, charging.part});
}

/// `asked`: epsilon, relation, tail, encoding, and with a ledger `charged`: ledger, part, fingerprint, training,
/// not_private, facts.
FoundNorm find_norm(nb::object values, const nb::dict& declared, const nb::dict& asked) {
  const AnyArray array = nb::isinstance<nb::tuple>(values) ? AnyArray(sparse_of(nb::cast<nb::tuple>(values)))
                                                           : AnyArray(dense_of(nb::cast<Array>(values)));
  const ArrayEncoding encoding = encoding_from(declared);
  encoding.check(std::visit([](const auto& known) { return known.features; }, array));
  BoundsRequest request;
  request.budget.epsilon = nb::cast<double>(asked["epsilon"]);
  request.budget.delta = 0;
  request.budget.relation = enum_by_name<Relation>(nb::cast<std::string>(asked["relation"]), "relation");
  request.tail = nb::cast<double>(asked["tail"]);
  const auto count = [array, encoding, held = keep(std::move(values))](const Report& report) {
    return count_norms(array, encoding, report);
  };
  if (!asked.contains("charged")) {
    return interruptible<FoundNorm>([request, count](const Report& report) {
      BitSource bits;
      return find_data_norm(count(report), request.budget, request.tail, bits);
    });
  }
  const auto charged = nb::cast<nb::dict>(asked["charged"]);
  NormSource rows;
  rows.encoding = nb::cast<std::string>(asked["encoding"]);
  digest_from_hex(nb::cast<std::string>(charged["fingerprint"]), rows.fingerprint);
  return interruptible<FoundNorm>([rows, request, count, charging = charging_from(charged)](const Report& report) {
    NormSource watched = rows;
    watched.count = [&] { return count(report); };
    return find_charged(watched, request, charging);
  });
}

}  // namespace

void bind_bounds(nb::module_& module) {
  nb::class_<FoundNorm>(module, "FoundNorm", "A bound on the norm of rows that was found in them, and what it cost.")
      .def_prop_ro("data_norm", [](const FoundNorm& f) { return f.data_norm; });
  module.def("find_norm", &find_norm, nb::arg("values"), nb::arg("declared"), nb::arg("asked"));
}

}  // namespace sotto::python
