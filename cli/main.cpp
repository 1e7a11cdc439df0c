#include <cstdio>

#include "sotto/base/version.h"

int main() {
  std::printf("sotto %.*s\n", static_cast<int>(sotto::kVersion.size()), sotto::kVersion.data());
  return 0;
}
