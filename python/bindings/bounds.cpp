#include "sotto/bounds.h"

#include <nanobind/stl/string.h>

#include "bindings.h"
#include "interruptible.h"
#include "rows.h"
#include "sotto/base/fields.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// The norms of rows before they are clipped, without the constant feature; they leave as counts for a private choice.
BoundCounts count_dense(const DenseArray& dense, const ArrayEncoding& encoding, const Report& report) {
  constexpr std::uint64_t kLookRows = 4096;
  BoundCounts counts(size_grid());
  std::uint64_t rows = 0;
  for_each_norm(dense, encoding, [&](double norm) {
    if (rows++ % kLookRows == 0) report(0);
    counts.add(norm);
  });
  return counts;
}

FoundNorm find_dense(nb::object values, const nb::dict& declared, const nb::dict& asked) {
  const DenseArray dense = dense_of(nb::cast<Array>(values));
  const ArrayEncoding encoding = encoding_from(declared);
  encoding.check(dense.features);
  Budget budget;
  budget.epsilon = nb::cast<double>(asked["epsilon"]);
  budget.delta = nb::cast<double>(asked["delta"]);
  budget.relation = enum_by_name<Relation>(nb::cast<std::string>(asked["relation"]), "relation");
  const auto work = [dense, encoding, budget, tail = nb::cast<double>(asked["tail"]),
                     held = keep(std::move(values))](const Report& report) {
    BitSource bits;
    return find_data_norm(count_dense(dense, encoding, report), budget, tail, bits);
  };
  return interruptible<FoundNorm>(work);
}

}  // namespace

void bind_bounds(nb::module_& module) {
  nb::class_<FoundNorm>(module, "FoundNorm", "A bound on the norm of rows that was found in them, and what it cost.")
      .def_prop_ro("data_norm", [](const FoundNorm& f) { return f.data_norm; })
      .def_prop_ro("epsilon", [](const FoundNorm& f) { return f.cost.epsilon; })
      .def_prop_ro("delta", [](const FoundNorm& f) { return f.cost.delta; });
  module.def("find_norm", &find_dense, nb::arg("values"), nb::arg("declared"), nb::arg("asked"));
}

}  // namespace sotto::python
