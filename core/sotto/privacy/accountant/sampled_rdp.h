#pragma once

namespace sotto {

/// Renyi divergences of sampled Gaussian releases, rounded up (spec 6.2); noise relative to one row's norm.
double poisson_rdp_add_remove(double rate, double noise, double order);
double poisson_rdp_replace_one(double rate, double noise, double order);
double fixed_size_rdp(double rate, double noise, double order);

}  // namespace sotto
