#include "sotto/audit/museum.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/audit/replay.h"

namespace sotto::audit {

const std::vector<Exhibit>& museum() {
  using namespace museum_rooms;
  static const std::vector<Exhibit> kExhibits = {
      {"divided_by_batch", "bolt-on sensitivity divided by the batch size for a strongly convex loss",
       "[Wu17, section 3.2.3]", divided_by_batch},
      {"averaged_iterates", "averaged iterates released with the noise of the last iterate",
       "[Wu17, Lemma 10, Theorem 12]", averaged_iterates},
      {"short_last_batch", "a short last batch divided by its own size", "[Iyengar19], its published code",
       short_last_batch},
      {"data_dependent_passes", "passes until the training error stops falling, noise as if they were fixed",
       "[Wu17, section 4.3]", data_dependent_passes},
      {"ball_sampler", "Laplace-like noise with a direction uniform in the ball instead of on the sphere",
       "[Wu17, Appendix E]", ball_sampler},
      {"passes_not_composed", "five noisy passes, each at the whole epsilon", "[Song13] run for several passes",
       passes_not_composed},
      {"noisy_min_sign", "noisy minimum with one-sided noise of the wrong sign", "[Lee18], its published code",
       noisy_min_sign},
      {"bst14_mini_batch", "BST14 with mini-batches and the noise printed for single rows",
       "[Wu17, Algorithms 4 and 5]", bst14_mini_batch},
      {"scaled_by_data", "columns scaled by the largest value found in the data", "[Lee18], its published code",
       scaled_by_data},
      {"projected_unclipped", "random projection of unit rows without clipping them again",
       "[Song13], [Wu17, section 4]", projected_unclipped},
      {"one_byte_seed", "noise from a generator seeded with one random byte", "[Iyengar19], its published code",
       one_byte_seed},
      {"classical_gaussian", "the classical Gaussian formula at epsilon 20", "[Dwork14, Theorem A.1] beyond epsilon 1",
       classical_gaussian},
      {"unconverged_objective", "objective perturbation whose solver has not converged",
       "[Chaudhuri11, Algorithm 2] solved by one pass of SGD", unconverged_objective},
      {"shuffled_as_poisson", "batches of one shuffle accounted as if they were Poisson samples", "[Chua24]",
       shuffled_as_poisson},
      {"scan_order_add_remove", "the bound of a scan in order halved under add_remove", "[Wu17, Definition 1]",
       scan_order_add_remove},
      {"single_precision", "weights kept in single precision over a million rows", "spec 5.4", single_precision},
      {"smallest_accountant", "the smallest of several accountants used as an adaptive filter",
       "[Rogers16], [Feldman21] on why a filter is fixed beforehand", smallest_accountant},
      {"float_noise", "a binary64 sum with noise of float grade, neither on a grid",
       "[Mironov12]; noise_path fast of sotto 0.1", float_noise},
      {"expected_batch", "a noised sum divided by the expected batch size, computed from the private number of rows",
       "arXiv 2605.15648", expected_batch}};
  return kExhibits;
}

namespace museum_rooms {

double released_epsilon(const Release& release, const GameRules& rules) {
  const Calibrated noise = calibrate(MechanismChoice::l2_laplace, {release.sensitivity, release.first.size(), 1, 1},
                                     {.epsilon = release.epsilon});
  const double apart = distance(release.first, release.second);
  Vector along(release.first.size());
  for (std::size_t i = 0; i < along.size(); ++i) along[i] = (release.first[i] - release.second[i]) / apart;
  const auto project = [&](const Vector& v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += along[i] * v[i];
    return sum;
  };
  const Played played = play(
      [&](bool second, BitSource& bits) {
        Curator curator(bits);
        curator.charge(noise.charge());
        return project(curator.release(Sensitive<Vector>(second ? release.second : release.first), noise.mechanism));
      },
      rules);
  const double high = project(release.first), low = project(release.second);
  const double thresholds[] = {high, low, (high + low) / 2};
  return lower_bounds(played, thresholds, 0, rules.alpha).epsilon;
}

std::string distance_text(const Release& release) {
  const double apart = distance(release.first, release.second);
  return fmt::format("distance {:.4g} is {:.3g} times the claimed sensitivity {:.4g}", apart,
                     apart / release.sensitivity, release.sensitivity);
}

Vector noise_free(const TrainRequest& request, const Table& table) {
  BitSource bits(ReproducibleSeed{3});
  const std::unique_ptr<Engine> engine = StoredTable(table, Feeder::in_memory).open();
  return noted_run({request, plan_of(request, engine->facts())}, *engine, bits).transcript.entries.at(0).secret;
}

}  // namespace museum_rooms
}  // namespace sotto::audit
