#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/linalg/kernels.h"
#include "sotto/linalg/targets.h"

namespace sotto {
namespace {

TEST(GridKernels, EveryTargetPutsOnTheGridAddsNoiseAndSteps) {
  constexpr double kGrid = 0x1p-10;
  for (const std::string& target : kernels::available_targets()) {
    ASSERT_TRUE(kernels::use_target(target));
    for (const std::size_t n : {1U, 7U, 16U, 50U, 67U}) {
      std::vector<double> sum(n), noise(n), w(n, 0.75), scaled(n);
      std::vector<std::int64_t> integers(n);
      std::vector<float> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        sum[i] = (static_cast<double>(i) - 20.0) * 0.0123 + 0.5 * kGrid;
        integers[i] = static_cast<std::int64_t>(i * i) - 400;
        x[i] = static_cast<float>(i) * 0.25F;
      }
      sum[0] = std::nan("");
      kernels::scale_integers(kGrid, integers.data(), noise.data(), n);
      kernels::scaled(-1.5, x.data(), scaled.data(), n);
      kernels::step_on_grid({0.9, 0.125, kGrid, noise.data()}, sum.data(), w.data(), n);
      std::vector<double> of_row(n, 0.75), of_sum(n, 0.75);
      kernels::step_row_on_grid({0.9, 0.125, kGrid, noise.data()}, {-1.5, x.data()}, of_row.data(), n);
      kernels::step_on_grid({0.9, 0.125, kGrid, noise.data()}, scaled.data(), of_sum.data(), n);
      EXPECT_EQ(of_row, of_sum) << target;
      std::vector<double> noised = sum;
      kernels::add_on_grid(kGrid, noise.data(), noised.data(), n);
      EXPECT_EQ(noised[0], -0x1p50 * kGrid + noise[0]);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(noise[i], kGrid * static_cast<double>(integers[i]));
        EXPECT_EQ(scaled[i], -1.5 * static_cast<double>(x[i]));
        EXPECT_EQ(w[i], 0.9 * 0.75 - 0.125 * noised[i]) << target;
        if (i > 0) {
          EXPECT_EQ(noised[i], kGrid * std::nearbyint(sum[i] / kGrid) + noise[i]) << target;
        }
      }
    }
  }
  kernels::use_target("");
}

}  // namespace
}  // namespace sotto
