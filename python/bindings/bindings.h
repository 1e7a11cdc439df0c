#pragma once
#include <nanobind/nanobind.h>

/// The module `sotto._core`: one function a file, each binding one part of the library.
namespace sotto::python {

void bind_errors(nanobind::module_& module);
void bind_encoding(nanobind::module_& module);
void bind_rows(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_training(nanobind::module_& module);
void bind_accounting(nanobind::module_& module);
void bind_ledger(nanobind::module_& module);
void bind_block_file(nanobind::module_& module);
void bind_bounds(nanobind::module_& module);
void bind_interruptible(nanobind::module_& module);
void bind_audit(nanobind::module_& module);
void bind_report(nanobind::module_& module);

}  // namespace sotto::python
