#include "sotto/engines/file_rows.h"

#include <algorithm>
#include <filesystem>
#include <new>

#include "sotto/base/error.h"
#include "sotto/base/free_memory.h"
#include "sotto/engines/in_memory.h"
#include "sotto/engines/out_of_core.h"
#include "sotto/files/block_file/load.h"
#include "sotto/files/fingerprint.h"
#include "sotto/files/load.h"
#include "sotto/files/reading.h"

namespace sotto {
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
  std::string reading() const override { return reading_of(path_, encoder_.schema()); }
  Digest fingerprint() const override { return fingerprint_of(path_, encoder_.schema()); }
  std::unique_ptr<Engine> open() override {
    if (checked_.engine) return std::move(checked_.engine);
    auto engine = std::make_unique<InMemoryEngine>(read_dataset(path_, encoder_));
    watch_.require_unchanged();
    return engine;
  }
  Opened open_fingerprinted() override {
    if (checked_.engine) return std::move(checked_);
    auto [rows, fingerprint] = read_fingerprinted(path_, encoder_);
    return {std::make_unique<InMemoryEngine>(std::move(rows)), fingerprint};
  }
  /// One reading serves for the check and for the training.
  std::optional<RowCheck> check(Opening way) override {
    auto [counted, fingerprint] = way == Opening::plain ? Fingerprinted<CountedDataset>{read_counted(path_, encoder_)}
                                                        : read_counted_fingerprinted(path_, encoder_);
    if (way == Opening::plain) watch_.require_unchanged();
    checked_ = {std::make_unique<InMemoryEngine>(std::move(counted.rows)), fingerprint};
    return check_of(encoder_, std::move(counted.tally));
  }

 private:
  std::string path_;
  FileWatch watch_;
  Encoder encoder_;
  Opened checked_;  ///< what a check has read; of the opening it was made for
};

class BlockRows final : public RowSource {
 public:
  BlockRows(const BlockFile& file, const EngineChoice& choice)
      : path_(file.path()),
        metadata_(file.metadata()),
        file_id_(file.file_id()),
        choice_(choice),
        facts_(file.facts()),
        rows_bytes_(loaded_bytes(file)) {}
  Facts facts(std::uint64_t rows) const override {
    if (rows == facts_.rows) return facts_;
    throw Error(ErrorKind::invalid_data,
                path_ + ": has not the " + std::to_string(rows) + " rows the ledger was made for", "data");
  }
  Digest fingerprint() const override { return fingerprint_of(path_, {}); }
  std::unique_ptr<Engine> open() override {
    return open_checked([](const BlockFile&) {});
  }
  Opened open_fingerprinted() override {
    Opened opened;
    opened.engine = open_checked([&](const BlockFile& file) { opened.fingerprint = fingerprint_of(file); });
    return opened;
  }

 private:
  /// What counts is the header of the open file, whose blocks are read, and not one that had the name before.
  template <class Look>
  std::unique_ptr<Engine> open_checked(const Look& look) const {
    const std::uint64_t memory = allowed_memory_bytes(choice_.memory_mb);
    if (choice_.kind == EngineKind::in_memory) return load_checked(look, memory);
    if (choice_.kind == EngineKind::automatic && rows_bytes_ <= memory) {
      try {
        return load_checked(look, memory);
      } catch (const std::bad_alloc&) {
        // Another process was faster, or a limit is set that is not looked at: the file can still be read.
      }
    }
    auto engine = std::make_unique<OutOfCoreEngine>(path_, OutOfCoreOptions{choice_.memory_mb});
    require_same(engine->file());
    look(engine->file());
    return engine;
  }
  /// A permuted copy, which makes later passes faster, is for what the rows leave of the memory.
  template <class Look>
  std::unique_ptr<Engine> load_checked(const Look& look, std::uint64_t memory) const {
    const BlockFile file(path_);
    require_same(file);
    look(file);
    const InMemoryOptions options{.copy_limit_bytes = memory - std::min(memory, rows_bytes_)};
    return std::make_unique<InMemoryEngine>(load_rows(file), options);
  }
  /// The same rows packed again have another order, and who is where may be what was promised about (personal.h).
  void require_same(const BlockFile& file) const {
    if (file.metadata() == metadata_ && file.file_id() == file_id_) return;
    throw Error(ErrorKind::invalid_data, path_ + ": was replaced by another file while it was in use", "data");
  }

  std::string path_;
  std::string metadata_;
  std::uint64_t file_id_;
  EngineChoice choice_;
  Facts facts_;
  std::uint64_t rows_bytes_;  ///< in memory
};

}  // namespace

std::unique_ptr<RowSource> text_rows(const std::string& path, const Schema& schema) {
  return std::make_unique<TextRows>(path, schema);
}

std::unique_ptr<RowSource> block_rows(const BlockFile& file, const EngineChoice& choice) {
  return std::make_unique<BlockRows>(file, choice);
}

}  // namespace sotto
