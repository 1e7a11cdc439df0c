#pragma once
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "capi/sotto_c.h"
#include "sotto/base/error.h"
#include "sotto/base/stop.h"

/// Where exceptions end and status codes begin; the only place.
namespace sotto::capi {

/// A callback of the host asked to stop. No Error: nothing in the library may take it for one of its own.
struct Stopped final : std::exception {};

/// An error of which only the message is for whoever asked; `log` is for the holder of the rows.
class Withheld final : public Error {
 public:
  Withheld(const Error& problem, const std::string& message, std::string log)
      : Error(problem.kind(), message, problem.field(), problem.hint()), log_(std::move(log)) {}
  const std::string& log() const noexcept { return log_; }

 private:
  std::string log_;
};

/// Inside a handler of `problem`: throws it again, without `path` where its message has that.
[[noreturn]] void rethrow_without(const std::string& path, const Error& problem);

/// Runs `body`; the messages of its errors do not have `path`, in which there is a fingerprint of rows.
template <class Body>
auto without_path(const std::string& path, const Body& body) {
  try {
    return body();
  } catch (const Error& problem) {
    rethrow_without(path, problem);
  }
}

/// Throws Stopped for the nonzero answer of a callback.
inline void proceed(int answer) {
  if (answer != 0) throw Stopped{};
}

/// While it lives, plans ask the host of the store whether to go on.
inline StopCheck asking(const sotto_store& store) {
  return StopCheck([&store] {
    if (store.poll != nullptr) proceed(store.poll(store.context));
  });
}

sotto_status report(const Error& problem, sotto_error* error) noexcept;
sotto_status report(sotto_status status, std::string_view message, sotto_error* error) noexcept;
/// A copy that C frees with sotto_text_free; throws std::bad_alloc.
sotto_text copy_text(std::string_view text);

/// Runs `body` and turns what it throws into a status.
template <class Body>
sotto_status guarded(sotto_error* error, const Body& body) noexcept {
  try {
    body();
    return SOTTO_OK;
  } catch (const Stopped&) {
    return report(SOTTO_STOPPED, "stopped", error);
  } catch (const Error& problem) {
    return report(problem, error);
  } catch (const std::bad_alloc&) {
    return report(SOTTO_IO, "not enough memory", error);
  } catch (...) {
    return report(SOTTO_INTERNAL, "an internal error; please report it", error);
  }
}

}  // namespace sotto::capi
