#include <gtest/gtest.h>

#include "sotto/engines/file_rows.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/train.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

std::unique_ptr<Engine> opened(const std::string& path, const EngineChoice& choice) {
  return block_rows(BlockFile(path), choice)->open();
}
bool in_memory(const Engine& engine) { return dynamic_cast<const InMemoryEngine*>(&engine) != nullptr; }

Vector weights(const std::string& path, const EngineChoice& choice, const Method& method) {
  TrainRequest request;
  request.problem = {Logistic{}, 0.1};
  request.budget = {1, 1e-6, Relation::replace_one};
  request.method = method;
  request.order_seed = 7;
  BitSource bits(ReproducibleSeed{5});
  return train(*opened(path, choice), request, bits).weights;
}

TEST(FileRows, AnAutomaticEngineKeepsRowsThatFitAndReadsOthers) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows");
  pack_rows(path, make_rows(50000, 50, false), 50, false);  // 10.2 MB
  EXPECT_TRUE(in_memory(*opened(path, {.memory_mb = 16})));
  EXPECT_FALSE(in_memory(*opened(path, {.memory_mb = 8})));
  EXPECT_TRUE(in_memory(*opened(path, {EngineKind::in_memory, 8})));
  EXPECT_FALSE(in_memory(*opened(path, {EngineKind::out_of_core, 16})));
}

TEST(FileRows, TheChoiceOfTheEngineDoesNotChangeTheWeights) {
  for (const bool sparse : {false, true}) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("rows");
    pack_rows(path, make_rows(50000, sparse ? 150 : 50, sparse), sparse ? 150 : 50, sparse);
    for (const Method& method : {Method{BoltOn{{.passes = 3, .batch_rows = 50}}}, Method{Dpgd{}}}) {
      const Vector first = weights(path, {EngineKind::in_memory}, method);
      for (const std::uint32_t memory_mb : {0U, 8U, 16U, 64U}) {
        EXPECT_EQ(weights(path, {EngineKind::automatic, memory_mb}, method), first) << sparse << memory_mb;
        EXPECT_EQ(weights(path, {EngineKind::out_of_core, memory_mb}, method), first) << sparse << memory_mb;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
