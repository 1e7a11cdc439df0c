// The audit with one training run, its canaries planted among the rows of a real data set. Skipped where it is not at
// hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "sotto/audit/one_run.h"
#include "sotto/data/dataset.h"
#include "sotto/data/encoder.h"
#include "sotto/files/complete.h"
#include "sotto/files/load.h"
#include "sotto/files/open_rows.h"

namespace sotto::audit {
namespace {

constexpr std::uint32_t kCanaries = 1000;

/// Adult as published for LIBSVM, 123 features that are 0 or 1, or nothing.
std::optional<Dataset> adult() {
  const char* given = std::getenv("SOTTO_DATA");
  const std::string path = std::string(given != nullptr ? given : "../shared/data") + "/a9a/a9a.gz";
  if (!std::filesystem::exists(path)) return std::nullopt;
  Schema schema;
  schema.intercept = 0;
  schema.format = FileFormat::libsvm;
  schema.features = 123;
  schema.data_norm = 1.0;
  const Encoder encoder(complete_for(path, schema));
  DatasetBuilder builder(encoder.facts(0));
  load(path, encoder, ReadMode::lenient, builder);
  return builder.finish();
}

Finding audited(const Dataset& rows, const Method& method, double epsilon) {
  TrainRequest request;
  request.problem = {Logistic{}, 1e-3};
  request.budget = {epsilon, 1e-9};
  request.method = method;
  const RowBlock among = rows.view();
  const Facts facts{among.rows + kCanaries, among.features + kCanaries, 1.0, true};
  return one_run(request, facts, {.seed = 3, .among = &among});
}

TEST(OneRunOnRealData, ThousandCanariesAmongTheRowsOfAdultDoNotBreakTheClaim) {
  const std::optional<Dataset> rows = adult();
  if (!rows) GTEST_SKIP() << "a9a/a9a.gz is not at hand";
  for (const Method& method : {Method(Output{}), Method(Objective{}), Method(Dpgd{.passes = 5})}) {
    const Finding finding = audited(*rows, method, 2);
    EXPECT_TRUE(finding.holds()) << finding.subject << ": " << finding.found;
    EXPECT_TRUE(finding.has_power());
  }
}

TEST(OneRunOnRealData, NoiseForAHundredthOfThePrivacyIsTold) {
  const std::optional<Dataset> rows = adult();
  if (!rows) GTEST_SKIP() << "a9a/a9a.gz is not at hand";
  EXPECT_GT(audited(*rows, Output{}, 200).found, 2);
}

}  // namespace
}  // namespace sotto::audit
