// Solvers that run themselves give the same bits on every engine with the same noise, dense and sparse.
#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <variant>

#include "sotto/base/error.h"
#include "sotto/base/fields.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/load.h"
#include "sotto/train.h"
#include "unit/block_file_fixture.h"

namespace sotto {
namespace {

using namespace testing_support;

Vector trained(Engine& engine, const Method& method, const Problem& problem = {Logistic{}, 0.05}, double delta = 1e-5) {
  TrainRequest request;
  request.problem = problem;
  request.order_seed = 6;
  request.method = method;
  request.budget = {.epsilon = 1, .delta = delta};
  BitSource bits(ReproducibleSeed{4});
  return train(engine, request, bits).weights;
}

TEST(SolverEngines, GiveTheSameBitsInMemoryAndOutOfCore) {
  const Method methods[] = {Dpgd{.passes = 3, .bound = DescentBound::composition},
                            Auto{},
                            WhitenedDpgd{.passes = 3},
                            Dpgd{.passes = 3, .bound = DescentBound::hidden_state},
                            Dpgd{.passes = 2, .batch_rows = 300, .bound = DescentBound::hidden_state},
                            Dpsgd{.passes = 1, .batch_rows = 200},
                            Bst14{.passes = 1, .batch_rows = 200},
                            Correlated{.passes = 2, .batch_rows = 200, .order = RowOrder::stored},
                            PrivGene{.population = 20, .parents = 4, .rounds = 3}};
  const TemporaryDirectory directory;
  for (const bool sparse : {false, true}) {
    const std::string path = directory.file("rows.sotto");
    pack_rows(path, make_rows(1234, 20, sparse, 8), 20, sparse);
    InMemoryEngine memory(load_rows(BlockFile(path)));
    OutOfCoreEngine mapped(path), read(path, {.memory_mb = 8, .map_file = false});
    for (const Method& method : methods) {
      const Vector expected = trained(memory, method);
      EXPECT_EQ(trained(mapped, method), expected) << name_of(method);
      EXPECT_EQ(trained(read, method), expected) << name_of(method);
    }
  }
}

/// With as few steps as a method lets one ask for.
template <class Method>
Method quick() {
  Method method;
  if constexpr (requires { method.population; }) {
    method.population = 20;
    method.parents = 4;
    method.rounds = 3;
  }
  return method;
}

TEST(SolverEngines, EveryMethodGivesTheSameBitsInMemoryAndOutOfCore) {
  const TemporaryDirectory directory;
  std::size_t compared = 0;
  for (const bool sparse : {false, true}) {
    const std::string path = directory.file("rows.sotto");
    pack_rows(path, make_rows(700, 12, sparse, 8), 12, sparse);
    InMemoryEngine memory(load_rows(BlockFile(path)));
    OutOfCoreEngine mapped(path);
    for (const Loss& loss : {Loss(Logistic{}), Loss(Softmax{})}) {
      for_each_member<Method>([&]<class Tag>(Tag) {
        using Method = typename Tag::type;
        const double delta = std::is_same_v<Method, Cms11> ? 0 : 1e-5;
        try {
          const Vector expected = trained(memory, quick<Method>(), {loss, 0.05}, delta);
          EXPECT_EQ(trained(mapped, quick<Method>(), {loss, 0.05}, delta), expected) << Method::kName;
          ++compared;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::unsupported) << Method::kName << ": " << error.what();
        }
      });
    }
  }
  // Of 19 methods all take the logistic loss, and all but cms11, kst12 and amp the softmax.
  EXPECT_EQ(compared, 2 * (2 * std::variant_size_v<Method> - 3));
}

TEST(SolverEngines, GiveTheSameBitsOfBatchesThatAreSummedInParts) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("rows.sotto");
  pack_rows(path, make_rows(9000, 5, false, 8), 5, false);
  InMemoryEngine memory(load_rows(BlockFile(path)));
  OutOfCoreEngine mapped(path);
  const Dpsgd method{.passes = 2, .batch_rows = 6000};
  EXPECT_EQ(trained(mapped, method), trained(memory, method));
}

}  // namespace
}  // namespace sotto
