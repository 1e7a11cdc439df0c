#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings.h"
#include "sotto/base/fields.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// The class of sotto.errors for a kind.
const char* class_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid_argument: return "InvalidArgument";
    case ErrorKind::invalid_data: return "InvalidData";
    case ErrorKind::budget_exceeded: return "BudgetExceeded";
    case ErrorKind::unsupported: return "Unsupported";
    case ErrorKind::io: return "StorageError";
    case ErrorKind::internal: return "InternalError";
  }
  return "InternalError";
}

/// The one place where an Error of the library becomes an exception of Python.
void raise(const Error& error) {
  const nb::module_ errors = nb::module_::import_("sotto.errors");
  nb::object type = errors.attr(class_of(error.kind()));
  nb::object made = type(std::string(error.what()));
  made.attr("field") = error.field();
  const Hint& hint = error.hint();
  made.attr("hint") = errors.attr("Hint")(std::string(enum_name(hint.kind)), nb::tuple(nb::cast(hint.arguments)));
  PyErr_SetObject(type.ptr(), made.ptr());
}

}  // namespace

void bind_errors(nb::module_& module) {
  module.def("hint_kinds", [] {
    std::vector<std::string> kinds;
    for (const auto& [name, kind] : enum_names(HintKind{})) kinds.emplace_back(name);
    return kinds;
  });
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace sotto::python
