#include "sotto/optim/secret_mean.h"

#include "sotto/base/error.h"
#include "sotto/linalg/kernels.h"

namespace sotto {

Sensitive<Vector> SecretMean::of(std::vector<Sensitive<Vector>>&& secrets, std::span<const double> weights,
                                 std::size_t size) {
  bool fits = !secrets.empty() && secrets.size() == weights.size();
  for (const Sensitive<Vector>& secret : secrets) fits = fits && secret.value_.size() == size;
  if (!fits) throw Error(ErrorKind::internal, "shards do not have the shape they were planned with");
  Vector mean(size, 0.0);
  for (std::size_t p = 0; p < secrets.size(); ++p) {
    kernels::axpy(weights[p], secrets[p].value_.data(), mean.data(), size);
  }
  secrets.clear();
  return Sensitive<Vector>(std::move(mean));
}

}  // namespace sotto
