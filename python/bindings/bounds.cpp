#include "sotto/bounds.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "bindings.h"
#include "interruptible.h"
#include "request.h"
#include "rows.h"
#include "sotto/base/fields.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/column_counts.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/privacy/rounded_sum.h"
#include "sotto/training_ahead.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using AnyArray = std::variant<DenseArray, SparseArray>;

/// The norms of rows before they are clipped, without the constant feature; they leave as counts for a private choice.
BoundCounts count_norms(const AnyArray& array, const ArrayEncoder& encoder, const Report& report) {
  constexpr std::uint64_t kLookRows = 4096;
  BoundCounts counts(size_grid());
  std::uint64_t rows = 0;
  const auto take = [&](double norm) {
    if (rows++ % kLookRows == 0) report(0);
    counts.add(norm);
  };
  std::visit([&](const auto& values) { encoder.for_each_norm(values, take); }, array);
  return counts;
}

/// The training the norm is for, which must be possible and payable too: neither is paid for unless both are.
struct Training {
  TrainRequest request;
  Facts facts;          ///< at the norm that every training takes
  double constant = 0;  ///< a feature that is not in the norm
  double largest = 0;   ///< norm that declarations allow
};

Training training_from(const nb::dict& asked, const ArrayEncoder& encoder) {
  Training training;
  training.request = request_from(nb::cast<GivenFields>(asked["training"]));
  training.request.not_private = nb::cast<std::vector<std::string>>(asked["not_private"]);
  training.facts = facts_from(nb::cast<nb::dict>(asked["facts"]));
  training.constant = encoder.intercept();
  const auto ranged = static_cast<double>(encoder.encoder().used_columns().size());
  training.largest = encoder.encoder().largest_norm() ? std::sqrt(ranged) : HUGE_VAL;
  return training;
}

/// Finds a norm, by `find`, that the training takes.
template <class Find>
FoundNorm find_for(const Training& training, Ledger* ledger, const Find& find) {
  TrainingAhead ahead(training.request, ledger);
  ahead.require({training.facts});
  FoundNorm found = find(ahead.most());
  found.data_norm = ahead.norm_for(std::min(found.data_norm, training.largest), training.facts, training.constant);
  return found;
}

FoundNorm find_charged(const NormSource& rows, BoundsRequest request, const Training& training,
                       const std::pair<std::string, bool>& ledger_and_part) {
  BitSource bits;
  SqliteLedger ledger(ledger_and_part.first);
  return find_for(training, &ledger, [&](const Filter::Cost& leave) {
    request.leave = leave;
    return find_data_norm(rows, request, bits, {ledger, false, ledger_and_part.second});
  });
}

/// `asked`: epsilon, relation, tail, training, not_private, facts, and with a ledger `charged`: ledger, part,
/// fingerprint.
FoundNorm find_norm(nb::object values, const Encoder& encoding, const nb::dict& asked) {
  const AnyArray array = nb::isinstance<nb::tuple>(values) ? AnyArray(sparse_of(nb::cast<nb::tuple>(values)))
                                                           : AnyArray(dense_of(nb::cast<Array>(values)));
  const std::uint32_t features = std::visit([](const auto& known) { return known.features; }, array);
  BoundsRequest request;
  request.budget.epsilon = nb::cast<double>(asked["epsilon"]);
  request.budget.delta = 0;
  request.budget.relation = enum_by_name<Relation>(nb::cast<std::string>(asked["relation"]), "relation");
  request.tail = nb::cast<double>(asked["tail"]);
  const auto count = [array, encoding, features, held = keep(std::move(values))](const Report& report) {
    return count_norms(array, ArrayEncoder(encoding, features), report);
  };
  const Training training = training_from(asked, ArrayEncoder(encoding, features));
  if (!asked.contains("charged")) {
    return interruptible<FoundNorm>([request, count, training](const Report& report) {
      BitSource bits;
      return find_for(training, nullptr, [&](const Filter::Cost&) {
        return find_data_norm(count(report), request.budget, request.tail, bits);
      });
    });
  }
  const auto charged = nb::cast<nb::dict>(asked["charged"]);
  NormSource rows;
  rows.encoding = to_json(encoding.schema());
  digest_from_hex(nb::cast<std::string>(charged["fingerprint"]), rows.fingerprint);
  const std::pair ledger_and_part{nb::cast<std::string>(charged["ledger"]), nb::cast<bool>(charged["part"])};
  return interruptible<FoundNorm>([rows, request, count, training, ledger_and_part](const Report& report) {
    NormSource watched = rows;
    watched.count = [&] { return count(report); };
    return find_charged(watched, request, training, ledger_and_part);
  });
}

}  // namespace

void bind_bounds(nb::module_& module) {
  nb::class_<FoundNorm>(module, "FoundNorm", "A bound on the norm of rows that was found in them, and what it cost.")
      .def_prop_ro("data_norm", [](const FoundNorm& f) { return f.data_norm; });
  module.def(
      "split_epsilon",
      [](double whole, double share) {
        const Split parts = split(whole, share, Filter::kLossUnits);
        return std::pair(parts.share, parts.rest);
      },
      nb::arg("whole"), nb::arg("share"));
  module.def("find_norm", &find_norm, nb::arg("values"), nb::arg("encoding"), nb::arg("asked"));
}

}  // namespace sotto::python
