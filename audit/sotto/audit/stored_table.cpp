#include "sotto/audit/stored_table.h"

#include <unistd.h>

#include <filesystem>

#include "sotto/base/error.h"
#include "sotto/base/free_memory.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/pack.h"

namespace sotto::audit {
namespace {

constexpr std::uint32_t kMemoryMb = kMinMemoryMb;

Dataset clipped(const Table& table, bool sparse) {
  DatasetBuilder builder(table.facts(sparse));
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Row row = table.raw(i);
    const std::vector<float> values(row.x.begin(), row.x.end());
    builder.add_dense(values, row.label);
  }
  return builder.finish();
}

void pack(const Dataset& rows, const std::string& path) {
  const Facts& facts = rows.facts();
  BitSource bits(ReproducibleSeed{7});
  BlockFileWriter writer(path, {facts.features, facts.data_norm, facts.sparse, "{}", facts.classes}, bits,
                         {.memory_mb = kMinMemoryMb});
  const RowBlock all = rows.view();
  for (std::size_t i = 0; i < all.rows; ++i) {
    if (!facts.sparse) {
      writer.add_dense({all.dense + i * facts.features, facts.features}, all.labels[i]);
      continue;
    }
    const std::uint64_t first = all.offsets[i], count = all.offsets[i + 1] - first;
    writer.add_sparse({all.columns + first, count}, {all.values + first, count}, all.labels[i]);
  }
  writer.finish();
}

/// One of the product's engines, asked for the same order every time.
class SameOrder final : public Engine {
 public:
  explicit SameOrder(std::unique_ptr<Engine> rows) : rows_(std::move(rows)) {}
  Facts facts() const override { return rows_->facts(); }
  std::uint32_t block_rows() const override { return rows_->block_rows(); }
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override {
    ScanOrder same = order;
    same.key = {1, 2, 3, 4};
    rows_->scan(same, pass, consumer);
  }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override {
    rows_->scan_rows(first, count, consumer);
  }
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override {
    rows_->scan_positions(positions, consumer);
  }

 private:
  std::unique_ptr<Engine> rows_;
};

}  // namespace

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "sotto-audit-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) throw Error(ErrorKind::io, "cannot make a temporary folder " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(std::string_view name) const { return path_ + "/" + std::string(name); }

StoredTable::StoredTable(const Table& table, Feeder feeder, bool sparse)
    : rows_(std::make_shared<const Dataset>(clipped(table, sparse))) {
  if (feeder != Feeder::out_of_core) return;
  folder_ = std::make_shared<const TemporaryFolder>();
  pack(*rows_, folder_->file("rows"));
}

std::unique_ptr<Engine> StoredTable::open() const { return std::make_unique<SameOrder>(open_as_asked()); }

std::unique_ptr<Engine> StoredTable::open_as_asked() const {
  if (!folder_) return std::make_unique<InMemoryEngine>(rows_->facts(), rows_->view(), rows_);
  return std::make_unique<OutOfCoreEngine>(folder_->file("rows"), OutOfCoreOptions{kMemoryMb});
}

}  // namespace sotto::audit
