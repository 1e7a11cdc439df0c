// Data that change between their fingerprint and their rows: nothing is released, the charge stands.
#include <fcntl.h>
#include <sys/stat.h>

#include <set>

#include "ledger_testing.h"
#include "sotto/base/fields.h"
#include "sotto/engines/file_rows.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/pack.h"
#include "sotto/files/complete.h"
#include "sotto/files/fingerprint.h"
#include "sotto/train.h"

namespace sotto::test {
namespace {

std::string table(double first) {
  std::string text = "x1,y\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i == 0 ? first : 0.5) + (i % 2 == 0 ? ",1\n" : ",-1\n");
  return text;
}
std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}
/// Twenty items of two bytes, and their labels.
std::string items(char first) {
  return std::string("\0\0\x08\x02", 4) + big_endian(20) + big_endian(2) + first + std::string(39, 'a');
}
std::string labels(char first) {
  std::string text = std::string("\0\0\x08\x01", 4) + big_endian(20);
  for (int i = 0; i < 20; ++i) text += i == 0 ? first : static_cast<char>(i % 2);
  return text;
}

class ChangedData : public LedgerTest {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    overwrite(folder_ + "/" + name, bytes);
    return folder_ + "/" + name;
  }
  /// As someone would who covers the traces: another file under the name, of the same size and time.
  static void swap(const std::string& path, const std::string& bytes) {
    struct stat before {};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    overwrite(path + ".other", bytes);
    std::filesystem::rename(path + ".other", path);
    const timespec times[2] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), static_cast<const timespec*>(times), 0), 0);
  }
  Schema csv_schema(const std::string& path) const {
    Schema schema;
    schema.intercept = 0;
    schema.label.column = "y";
    schema.data_norm = 1;
    return complete_for(path, schema);
  }
  void open(const Digest& fingerprint, const std::string& reading = "csv, separator ,, a header, 0 lines skipped") {
    LedgerTerms terms = terms_of(FilterKind::sum, 1, 1e-9);
    terms.rows = 20;
    terms.reading = reading;
    SqliteLedger::create(path_, terms, fingerprint);
    // The clock is asked while the reservation is written: after the fingerprint, before the first row.
    ledger_.emplace(path_, [this] {
      if (between_) std::exchange(between_, nullptr)();
      return std::int64_t{0};
    });
  }
  Released run(RowSource& rows) {
    TrainRequest request;
    request.problem = {Logistic{}, 0.1};
    request.budget = {0.5, 0, Relation::replace_one};
    return train(rows, request, bits_, {*ledger_});
  }
  void expect_charged_and_nothing_released() {
    ASSERT_EQ(ledger_->entries().size(), 1U);
    EXPECT_EQ(ledger_->entries()[0].state, EntryState::reserved);
    EXPECT_EQ(ledger_->filter().spent().loss, Filter::kLossUnits / 2);
    EXPECT_EQ(ledger_->verify().models, 0U);
  }

  std::optional<SqliteLedger> ledger_;
  std::function<void()> between_;
  BitSource bits_;
};

TEST_F(ChangedData, AFileThatStaysIsTrainedOn) {
  const std::string path = write("a.csv", table(0.5));
  open(fingerprint_of(path, {}));
  bool asked = false;
  between_ = [&] { asked = true; };
  const auto rows = text_rows(path, csv_schema(path));
  EXPECT_NO_THROW(run(*rows));
  EXPECT_TRUE(asked) << "the moment at which the tests below change the file";
}

TEST_F(ChangedData, ATextFileSwappedAfterItsFingerprintIsNoticed) {
  const std::string path = write("a.csv", table(0.5));
  open(fingerprint_of(path, {}));
  const auto rows = text_rows(path, csv_schema(path));
  between_ = [&] { swap(path, table(0.4)); };
  EXPECT_EQ(refused([&] { run(*rows); }), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("stays spent"), std::string::npos) << message_;
  expect_charged_and_nothing_released();
}

TEST_F(ChangedData, ItemsAndLabelsOfAnIdxFileAreBothCovered) {
  for (const bool swap_labels : {false, true}) {
    path_ = folder_ + (swap_labels ? "/L1" : "/L2");
    const std::string path = write("t-images-idx3-ubyte", items('x'));
    const std::string beside = write("t-labels-idx1-ubyte", labels(0));
    Schema schema;
    schema.intercept = 0;
    open(fingerprint_of(path, schema), "idx");
    const auto rows = text_rows(path, complete_for(path, schema));
    between_ = [&] { swap_labels ? swap(beside, labels(1)) : swap(path, items('z')); };
    EXPECT_EQ(refused([&] { run(*rows); }), ErrorKind::invalid_data);
    EXPECT_NE(message_.find("it changed after"), std::string::npos) << message_;
    expect_charged_and_nothing_released();
  }
}

class ChangedBlocks : public ChangedData {
 protected:
  /// Files of one seed have the same id and order.
  std::string pack(const std::string& name, const Digest& source, float value, const std::string& metadata = "{}",
                   std::uint64_t seed = 1) {
    const std::string path = folder_ + "/" + name;
    BitSource bits(ReproducibleSeed{seed});
    BlockFileWriter writer(
        path, {.features = 1, .data_norm = 1, .sparse = false, .metadata = metadata, .fingerprint = Digest{}}, bits);
    for (int i = 0; i < 20; ++i) writer.add_dense(std::span(&value, 1), i % 2 == 0 ? 1.0F : -1.0F);
    writer.identify(source);
    writer.finish();
    return path;
  }
};

TEST_F(ChangedBlocks, ABlockFileSwappedForOneOfOtherDataIsNoticed) {
  for (const EngineKind engine : {EngineKind::in_memory, EngineKind::out_of_core}) {
    path_ = folder_ + "/" + std::string(enum_name(engine));
    const std::string path = pack("rows.blk", kSomeData, 0.5F);
    open(kSomeData);
    const auto rows = block_rows(BlockFile(path), {engine, 8});
    between_ = [&] { std::filesystem::rename(pack("other.blk", sha256("other"), 0.25F), path); };
    EXPECT_EQ(refused([&] { run(*rows); }), ErrorKind::invalid_data) << enum_name(engine);
    EXPECT_NE(message_.find("it changed after"), std::string::npos) << message_;
    expect_charged_and_nothing_released();
  }
}

TEST_F(ChangedBlocks, ABlockFileSwappedForTheSameDataReadInAnotherWayIsNoticed) {
  const std::string path = pack("rows.blk", kSomeData, 0.5F);
  open(kSomeData);
  const auto rows = block_rows(BlockFile(path), {});
  between_ = [&] { std::filesystem::rename(pack("other.blk", kSomeData, 0.5F, R"({"other":1})"), path); };
  EXPECT_EQ(refused([&] { run(*rows); }), ErrorKind::invalid_data);
  EXPECT_NE(message_.find("replaced by another file"), std::string::npos) << message_;
  expect_charged_and_nothing_released();
}

TEST_F(ChangedBlocks, ABlockFileSwappedForTheSameDataInAnotherOrderIsNoticed) {
  for (const EngineKind engine : {EngineKind::in_memory, EngineKind::out_of_core}) {
    path_ = folder_ + "/" + std::string(enum_name(engine));
    const std::string path = pack("rows.blk", kSomeData, 0.5F);
    open(kSomeData);
    const auto rows = block_rows(BlockFile(path), {engine, 8});
    between_ = [&] { std::filesystem::rename(pack("again.blk", kSomeData, 0.5F, "{}", 2), path); };
    EXPECT_EQ(refused([&] { run(*rows); }), ErrorKind::invalid_data) << enum_name(engine);
    EXPECT_NE(message_.find("replaced by another file"), std::string::npos) << message_;
    expect_charged_and_nothing_released();
  }
}

TEST_F(ChangedBlocks, EpsilonsByPositionAreAnotherRequestForEveryOrder) {
  TrainRequest request;
  request.problem = {Logistic{}, 0.1};
  request.budget = {0.5, 0, Relation::replace_one};
  request.method = Scs13{};
  const PlanInput input = plan_input(request, {20, 1, 1.0, false, 2});
  const auto digest = [&] { return digest_of(request, input, terms_of(FilterKind::sum, 1, 1e-9)); };
  std::vector<double> epsilons(20, 0.5);
  epsilons[3] = 0.1;
  std::set<std::string> all = {digest()};
  request.personal = personal_epsilons(epsilons);
  all.insert(digest());
  for (const std::uint64_t id : {1, 2}) {
    request.personal->block_file = id;
    all.insert(digest());
  }
  EXPECT_EQ(all.size(), 4U);
}

TEST_F(ChangedBlocks, ABlockChangedInPlaceFailsItsChecksum) {
  const std::string path = pack("rows.blk", kSomeData, 0.5F);
  open(kSomeData);
  const auto rows = block_rows(BlockFile(path), {});
  between_ = [&] {
    std::string bytes = bytes_of_file(path);
    bytes[bytes.size() - 40] = static_cast<char>(bytes[bytes.size() - 40] ^ 1);
    overwrite(path, bytes);
  };
  EXPECT_EQ(refused([&] { run(*rows); }), ErrorKind::io);
  EXPECT_NE(message_.find("checksum"), std::string::npos) << message_;
  expect_charged_and_nothing_released();
}

}  // namespace
}  // namespace sotto::test
