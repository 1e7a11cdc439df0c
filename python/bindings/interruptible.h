#pragma once
#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <utility>

namespace sotto::python {

/// Tells the fraction of the work done; throws once nobody waits for the work any more.
using Report = std::function<void(double)>;

/// Holds an object of Python for threads that do not hold the interpreter. Once the interpreter ends it is not
/// released: whoever still works then cannot have the lock any more.
std::shared_ptr<const void> keep(nanobind::object object);

/// Does the work on a thread of its own, without the interpreter's lock, and waits for it. Between ticks the caller
/// looks at signals and calls `progress` (or none) with the fraction. An exception of either leaves at once; the work
/// ends at its next report, on its own, so it must own what it uses. What the work throws is thrown here.
void run_interruptible(std::function<void(const Report&)> work, const nanobind::object& progress);

/// The same for work with a result.
template <class Result, class Work>
Result interruptible(Work work, const nanobind::object& progress = nanobind::none()) {
  auto result = std::make_shared<Result>();
  run_interruptible([result, work = std::move(work)](const Report& report) { *result = work(report); }, progress);
  return std::move(*result);
}

}  // namespace sotto::python
