#pragma once

namespace sotto {

/// delta_G(mu; epsilon) = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2): the exact privacy profile of
/// a Gaussian mechanism with sensitivity over standard deviation mu (spec 4.2). Rounded up.
double gaussian_delta(double mu, double epsilon);

/// The largest mu with gaussian_delta(mu, epsilon) <= delta, rounded down; valid for delta from 1e-300 to 0.5.
/// Throws Error{invalid_argument} where it cannot be bracketed.
double gaussian_mu(double epsilon, double delta);

/// The smallest delta that rho-zCDP gives at epsilon by the optimal conversion over orders, rounded up
/// [Canonne20, Proposition 12].
double zcdp_delta(double rho, double epsilon);

/// The largest rho whose optimal conversion gives (epsilon, delta), rounded down [Canonne20, Proposition 12].
double zcdp_rho(double epsilon, double delta);

}  // namespace sotto
