#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/audit/neighbours.h"
#include "sotto/data/dataset.h"

/// Tables of an audit as the product keeps them, fed by the product's own engines.
namespace sotto::audit {

/// Who feeds the rows of an audit: its own engine, which takes any order, or one of the product's.
enum class Feeder { table, in_memory, out_of_core };
constexpr auto enum_names(Feeder) {
  return std::array{std::pair{std::string_view("table"), Feeder::table},
                    std::pair{std::string_view("in_memory"), Feeder::in_memory},
                    std::pair{std::string_view("out_of_core"), Feeder::out_of_core}};
}

/// A folder that goes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::string file(std::string_view name) const;

 private:
  std::string path_;
};

/// The rows as they came, longer than the bound perhaps, clipped by the product's data set; for out_of_core packed into
/// a block file, in an order that depends on the number of rows alone. It is opened as often as one likes, by any
/// thread.
class StoredTable {
 public:
  StoredTable(const Table& table, Feeder feeder, bool sparse = false);
  /// Fed in one and the same shuffled order whatever key is asked for: not every method takes its order from the
  /// request, and two runs can be compared only in the same one.
  std::unique_ptr<Engine> open() const;
  /// Fed in the order that is asked for, as whoever goes by positions needs it.
  std::unique_ptr<Engine> open_as_asked() const;

 private:
  std::shared_ptr<const Dataset> rows_;
  std::shared_ptr<const TemporaryFolder> folder_;
};

struct StoredPair {
  StoredPair(const Pair& pair, Feeder feeder, bool sparse = false)
      : first(pair.first, feeder, sparse), second(pair.second, feeder, sparse) {}
  const StoredTable& table(bool second_one) const { return second_one ? second : first; }
  StoredTable first, second;
};

}  // namespace sotto::audit
