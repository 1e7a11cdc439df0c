#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sotto/data/dataset.h"
#include "sotto/engines/in_memory.h"
#include "sotto/losses/loss.h"

namespace sotto::utility {

/// A real data set as prepare.py wrote it: rows to train on and to test on. Split s of a set with several is another
/// cut of the same rows.
class RealData {
 public:
  /// Throws Error{io} if it was not prepared.
  RealData(const std::string& folder, const std::string& set, int split);

  Engine& train() { return *engine_; }
  RowBlock test() const { return test_->view(); }
  const Facts& facts() const { return train_->facts(); }
  /// logistic for two classes, softmax for more.
  Loss loss() const;
  /// The share of the largest class among the rows to test on.
  double majority() const;

 private:
  std::unique_ptr<Dataset> train_, test_;
  std::unique_ptr<InMemoryEngine> engine_;
};

/// The sets of prepare.py, and how many splits each has.
struct RealSet {
  std::string name;
  std::uint32_t classes = 2;
  int splits = 1;
  bool by_auc = false;   ///< accuracy says little: one class is rare
  bool shifted = false;  ///< rows to test on are of another distribution: better fits need not do better there
};
const std::vector<RealSet>& real_sets();
const RealSet& real_set(const std::string& name);

}  // namespace sotto::utility
