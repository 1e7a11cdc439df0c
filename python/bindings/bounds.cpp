#include "sotto/bounds.h"

#include <nanobind/stl/string.h>

#include "bindings.h"
#include "rows.h"
#include "sotto/base/fields.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// The norms of rows before they are clipped, without the constant feature; they leave as counts for a private choice.
BoundCounts count_dense(const Array& values, const nb::dict& declared) {
  const DenseArray dense = dense_of(values);
  const ArrayEncoding encoding = encoding_from(declared);
  encoding.check(dense.features);
  BoundCounts counts(size_grid());
  const nb::gil_scoped_release unlocked;
  for_each_norm(dense, encoding, [&](double norm) { counts.add(norm); });
  return counts;
}

FoundNorm find_dense(const Array& values, const nb::dict& declared, const nb::dict& asked) {
  Budget budget;
  budget.epsilon = nb::cast<double>(asked["epsilon"]);
  budget.delta = nb::cast<double>(asked["delta"]);
  budget.relation = enum_by_name<Relation>(nb::cast<std::string>(asked["relation"]), "relation");
  BitSource bits;
  return find_data_norm(count_dense(values, declared), budget, nb::cast<double>(asked["tail"]), bits);
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
