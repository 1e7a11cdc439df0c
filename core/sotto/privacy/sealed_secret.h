#pragma once
#include <string>
#include <string_view>

#include "sotto/base/sensitive.h"
#include "sotto/base/sha256.h"
#include "sotto/linalg/vector.h"

namespace sotto {

/// A secret on its way between processes of one holder. Whoever has the key reads it; to everyone else it is random
/// bytes whose length is a function of the lengths of its parts. It says nothing about what the secret may be used for:
/// the process that opens it has a Sensitive again, which only its curator opens.
class SealedSecret {
 public:
  using Key = Digest;
  /// Authenticated encryption (AES-256-GCM) under a key made from `key`, fresh random bytes and `context`. `note` is
  /// sealed along. Throws Error{io} without random bytes or cipher.
  static std::string seal(Sensitive<Vector>&& secret, std::string_view note, const Key& key, std::string_view context);

  struct Opened {
    Sensitive<Vector> secret;
    std::string note;
    std::size_t numbers;  ///< how many the secret has; its sealed length says so to everyone
  };
  /// Throws Error{invalid_data} unless these bytes were sealed with this key for this context.
  static Opened open(std::string_view sealed, const Key& key, std::string_view context);
};

}  // namespace sotto
