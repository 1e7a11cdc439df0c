#pragma once
// What is refused, as what, and which field the message names.
#include <gtest/gtest.h>

#include <string_view>

#include "sotto/base/error.h"

namespace sotto::test {

template <class Act>
testing::AssertionResult refuses(ErrorKind kind, std::string_view field, const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    const bool same_field = error.field() == field;
    if (error.kind() == kind && same_field) return testing::AssertionSuccess();
    return testing::AssertionFailure() << (same_field ? "refused as another kind" : "refused for another field")
                                       << ": '" << error.field() << "', " << error.what();
  }
  return testing::AssertionFailure() << "nothing was refused";
}

}  // namespace sotto::test

/// EXPECT_REFUSED(unsupported, "loss", method.plan(input)): the expression throws an Error of that kind about that field.
/// The field is "" where the error is about none.
#define EXPECT_REFUSED(kind, field, ...) \
  EXPECT_TRUE(::sotto::test::refuses(::sotto::ErrorKind::kind, field, [&] { static_cast<void>(__VA_ARGS__); }))
