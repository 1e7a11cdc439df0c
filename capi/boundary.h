#pragma once
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "capi/sotto_c.h"
#include "sotto/base/error.h"
#include "sotto/base/stop.h"

/// Where exceptions end and status codes begin; the only place.
namespace sotto::capi {

/// A callback of the host asked to stop. No Error: nothing in the library may take it for one of its own.
struct Stopped final : std::exception {};

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
