#pragma once
#include <memory>
#include <string>
#include <vector>

#include "capi/sotto_c.h"
#include "sotto/optim/engine.h"
#include "sotto/optim/shard_psgd.h"

namespace sotto::capi {

/// What a shard says about itself, sealed along with its result.
struct ShardNote {
  std::uint64_t rows = 0;
  std::string fingerprint;
};

/// Shards that a host reaches by sending them a task. No row comes back: each shard makes its passes where its rows
/// are, and what it sends is sealed.
class ShardEngine final : public Engine, public ShardHost {
 public:
  ShardEngine(const sotto_shards& shards, std::string schema, std::string request);

  Facts facts() const override;
  std::uint32_t block_rows() const override { return 1; }
  /// Throws Error{unsupported}: rows are not shipped.
  void scan(const ScanOrder& order, std::uint32_t pass, RowConsumer& consumer) override;
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  /// Throws Error{invalid_data} if a shard does not answer, or its rows are not those the ledger is about.
  std::vector<Sensitive<Vector>> run_shards(std::span<const ShardTask> tasks) override;

 private:
  sotto_shards shards_;
  std::string schema_;
  std::string request_;
};

class ShardSource final : public RowSource {
 public:
  ShardSource(const sotto_shards& shards, std::string schema, std::string request)
      : shards_(shards), schema_(std::move(schema)), request_(std::move(request)) {}
  Facts facts(std::uint64_t rows) const override;
  Digest fingerprint() const override;
  std::unique_ptr<Engine> open() override { return std::make_unique<ShardEngine>(shards_, schema_, request_); }
  /// The shards' own fingerprints come with their results, and are compared then.
  Opened open_fingerprinted() override { return {open(), fingerprint()}; }

 private:
  sotto_shards shards_;
  std::string schema_;
  std::string request_;
};

}  // namespace sotto::capi
