#include "utility/real_data.h"

#include <algorithm>
#include <map>

#include "sotto/base/error.h"
#include "sotto/files/load.h"

namespace sotto::utility {
namespace {

Schema schema_of(const std::string& stem, std::uint32_t classes) {
  Schema schema;
  schema.format = FileFormat::idx;
  schema.labels_file = stem + ".labels.idx1";
  schema.data_norm = 1;
  schema.storage = Storage::dense;
  for (std::uint32_t k = 0; classes > 2 && k < classes; ++k) schema.label.classes.push_back(std::to_string(k));
  return schema;
}

std::unique_ptr<Dataset> read(const std::string& stem, std::uint32_t classes) {
  return std::make_unique<Dataset>(read_dataset(stem + ".idx2", schema_of(stem, classes)));
}

}  // namespace

RealData::RealData(const std::string& folder, const std::string& set, int split) {
  const std::uint32_t classes = real_set(set).classes;
  const std::string stem = folder + "/" + set + "." + std::to_string(split);
  train_ = read(stem + ".train", classes);
  test_ = read(stem + ".test", classes);
  engine_ = std::make_unique<InMemoryEngine>(train_->facts(), train_->view());
}

Loss RealData::loss() const { return facts().classes == 2 ? Loss{Logistic{}} : Loss{Softmax{}}; }

double RealData::majority() const {
  const RowBlock rows = test();
  std::map<float, std::size_t> counts;
  for (std::size_t i = 0; i < rows.rows; ++i) ++counts[rows.labels[i]];
  std::size_t most = 0;
  for (const auto& [label, count] : counts) most = std::max(most, count);
  return static_cast<double>(most) / static_cast<double>(rows.rows);
}

const std::vector<RealSet>& real_sets() {
  static const std::vector<RealSet> kSets = {
      {"adult"},     {"a9a"},    {"bank", 2, 1, true}, {"kddcup99"},  {"nslkdd", 2, 1, false, true},
      {"covertype"}, {"mnist0"}, {"mnist10", 10},      {"occupancy"}, {"banknote", 2, 10}};
  return kSets;
}

const RealSet& real_set(const std::string& name) {
  for (const RealSet& set : real_sets()) {
    if (set.name == name) return set;
  }
  throw Error(ErrorKind::invalid_argument, "sets: got '" + name + "', which prepare.py does not know", "sets");
}

}  // namespace sotto::utility
