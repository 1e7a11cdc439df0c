#pragma once
#include <utility>

namespace sotto {

class Curator;
class SecretMean;
class SealedSecret;

/// A value computed from private rows. It can be moved and destroyed, nothing else: it cannot be read, printed,
/// compared, copied or saved. Only the Curator opens it, in the call that charges the event and adds the noise.
template <class T>
class Sensitive {
 public:
  explicit Sensitive(T value) : value_(std::move(value)) {}
  Sensitive(Sensitive&&) noexcept = default;
  Sensitive& operator=(Sensitive&&) noexcept = default;
  Sensitive(const Sensitive&) = delete;
  Sensitive& operator=(const Sensitive&) = delete;
  ~Sensitive() = default;

 private:
  friend class Curator;
  friend class SecretMean;            // optim/secret_mean.h: secrets in, a secret out
  friend class SealedSecret;          // privacy/sealed_secret.h: readable to the holder of the key alone
  friend struct SensitiveTestAccess;  // defined in tests/ only: neighbour tests compare un-noised results

  T value_;
};

}  // namespace sotto
