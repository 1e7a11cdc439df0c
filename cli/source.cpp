#include "source.h"

#include <filesystem>

#include "sotto/data/block_file.h"
#include "sotto/data/fingerprint.h"
#include "sotto/data/load.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"

namespace sotto::cli {
namespace {

/// Notices a file that was replaced or written to between its fingerprint and its rows.
class FileWatch {
 public:
  explicit FileWatch(std::string path) : path_(std::move(path)), size_(size()), written_(written()) {}
  void require_unchanged() const {
    if (size() == size_ && written() == written_) return;
    throw Error(ErrorKind::io, path_ + ": changed while it was being read", "data");
  }

 private:
  std::uintmax_t size() const {
    std::error_code ignored;
    return std::filesystem::file_size(path_, ignored);
  }
  std::filesystem::file_time_type written() const {
    std::error_code ignored;
    return std::filesystem::last_write_time(path_, ignored);
  }
  std::string path_;
  std::uintmax_t size_;
  std::filesystem::file_time_type written_;
};

class TextRows final : public RowSource {
 public:
  TextRows(const std::string& path, Schema schema) : path_(path), watch_(path), encoder_(std::move(schema)) {}
  Facts facts(std::uint64_t rows) const override { return encoder_.facts(rows); }
  Digest fingerprint() const override { return fingerprint_of(path_, encoder_.schema()); }
  std::unique_ptr<Engine> open() override {
    auto rows = std::make_shared<const Dataset>(read_dataset(path_, encoder_));
    watch_.require_unchanged();
    return std::make_unique<InMemoryEngine>(rows->facts(), rows->view(), rows);
  }

 private:
  std::string path_;
  FileWatch watch_;
  Encoder encoder_;
};

class BlockRows final : public RowSource {
 public:
  BlockRows(const std::string& path, EngineChoice choice)
      : path_(path), watch_(path), choice_(std::move(choice)), facts_(BlockFile(path).facts()) {}
  Facts facts(std::uint64_t rows) const override {
    if (rows == facts_.rows) return facts_;
    throw Error(
        ErrorKind::invalid_data,
        path_ + ": has " + std::to_string(facts_.rows) + " rows, the ledger was made for " + std::to_string(rows),
        "data");
  }
  Digest fingerprint() const override { return fingerprint_of(path_, {}); }
  std::unique_ptr<Engine> open() override {
    watch_.require_unchanged();
    if (choice_.name == "in_memory") return std::make_unique<InMemoryEngine>(load_rows(BlockFile(path_)));
    return std::make_unique<OutOfCoreEngine>(path_, OutOfCoreOptions{static_cast<std::uint32_t>(choice_.memory_mb)});
  }

 private:
  std::string path_;
  FileWatch watch_;
  EngineChoice choice_;
  Facts facts_;
};

void check_engine(const EngineChoice& choice) {
  const bool known = choice.name == "auto" || choice.name == "in_memory" || choice.name == "out_of_core";
  require(known, "engine", "got '" + choice.name + "', must be auto, in_memory or out_of_core");
}

}  // namespace

Source open_source(const std::string& path, const SchemaFlags& flags, const EngineChoice& choice) {
  check_engine(choice);
  if (is_block_file(path)) {
    require(!flags.given(), "schema", "a block file carries its own declarations; give none here");
    return {std::make_unique<BlockRows>(path, choice), schema_from_json(BlockFile(path).metadata())};
  }
  return open_text(path, flags.schema(path), choice);
}

Source open_text(const std::string& path, const Schema& declared, const EngineChoice& choice) {
  check_engine(choice);
  require(choice.name != "out_of_core", "engine", "out_of_core needs a block file; make one with 'sotto data pack'");
  Schema schema = complete_for(path, declared);
  return {std::make_unique<TextRows>(path, schema), schema};
}

}  // namespace sotto::cli
