#include "bindings.h"
#include "sotto/base/version.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ library behind the package sotto.";
  module.attr("__version__") = nanobind::str(sotto::kVersion.data(), sotto::kVersion.size());
  sotto::python::bind_errors(module);
  sotto::python::bind_interruptible(module);
  sotto::python::bind_encoding(module);
  sotto::python::bind_rows(module);
  sotto::python::bind_model(module);
  sotto::python::bind_bounds(module);
  sotto::python::bind_training(module);
  sotto::python::bind_accounting(module);
  sotto::python::bind_ledger(module);
  sotto::python::bind_block_file(module);
  sotto::python::bind_audit(module);
  sotto::python::bind_report(module);
}
