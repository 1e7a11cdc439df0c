#pragma once
// Opens what only the curator may open. Tests compare un-noised results of neighbours; nothing in the library includes
// this file.
#include <utility>

#include "sotto/base/sensitive.h"

namespace sotto {

struct SensitiveTestAccess {
  template <class T>
  static T open(Sensitive<T>&& secret) {
    return std::move(secret.value_);
  }
};

}  // namespace sotto
