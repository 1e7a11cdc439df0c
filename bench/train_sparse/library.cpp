#include <memory>

#include "library_pass.h"
#include "sotto/engines/in_memory.h"
#include "train_sparse/task.h"

namespace sotto::bench::train_sparse {

std::vector<Contender> library(const std::shared_ptr<const SparseProblem>& problem) {
  const Facts facts{problem->rows, static_cast<std::uint32_t>(problem->features), 1.0, true};
  RowBlock rows;
  rows.rows = problem->rows;
  rows.features = facts.features;
  rows.labels = problem->labels.data();
  rows.offsets = problem->offsets.data();
  rows.columns = problem->columns.data();
  rows.values = problem->values.data();
  const auto engine = std::make_shared<InMemoryEngine>(facts, rows, problem);
  std::vector<Contender> list;
  for (const std::size_t batch : {std::size_t{50}, std::size_t{1}}) {
    const std::string suffix = "_batch_" + std::to_string(batch);
    const double lambda = batch == 1 ? 0 : kLambda;  // as plain_sparse_pass()
    const auto run = [=](const Method& method) { return [=] { return run_pass(*engine, {method, lambda}); }; };
    const auto plain = [=] { return plain_sparse_pass(*problem, batch); };
    list.push_back(
        {"noiseless" + suffix, run(Noiseless{pass_options(batch)}), plain, {{"hand_written" + suffix, 1.3}}});
    // A million steps without regularisation or projection round too much for a guarantee.
    if (lambda == 0) continue;
    const auto slowly = [=] {
      RowByRow one_by_one(*engine);
      return run_pass(one_by_one, {BoltOn{pass_options(batch)}, lambda});
    };
    list.push_back({"bolt_on" + suffix, run(BoltOn{pass_options(batch)}), slowly, {{"noiseless" + suffix, 1.02}}});
  }
  return list;
}

}  // namespace sotto::bench::train_sparse
