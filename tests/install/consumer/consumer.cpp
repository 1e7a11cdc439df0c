#include <cstdio>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/base/version.h"
#if __has_include("sotto/sotto.h")
#include "sotto/sotto.h"
#endif

// Calls into the library, so that linking is tested too.
int main(int argc, char** argv) {
  if (argc != 2 || sotto::kVersion != std::string_view(argv[1])) {
    std::fputs("the installed header states another version than the package\n", stderr);
    return 1;
  }
  if (sotto::name_of(sotto::ErrorKind::io) != "io") return 1;
  try {
    sotto::require(false, "epsilon", "must be positive");
  } catch (const sotto::Error& error) {
    return error.field() == "epsilon" ? 0 : 1;
  }
  return 1;
}
