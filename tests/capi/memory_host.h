#pragma once
#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capi/sotto_c.h"
#include "sotto/random/bit_source.h"

/// A host with rows and a ledger's store in memory. It writes down the order of what it is asked.
namespace sotto::test {

struct MemoryHost {
  struct Record {
    sotto_record fields;
    std::string kind, request, detail, previous, hash, token, analyst;
  };
  /// What it keeps beside the records.
  struct Head {
    std::uint64_t sequence = 0;
    std::string hash, filter, relation, fingerprint;
    std::uint64_t spent_loss = 0, spent_delta = 0, limit_loss = 0, limit_delta = 0;
    double epsilon = 0, delta = 0;
  };

  static constexpr std::uint32_t kFeatures = 3;
  static constexpr std::uint32_t kBlockRows = 37;
  std::uint64_t rows = 1000;
  std::vector<float> blocks;
  std::vector<Record> records;
  std::map<std::uint64_t, std::string> released;
  Head head;
  std::string analyst;             ///< who is charged; empty: nobody is named
  std::vector<std::string> asked;  ///< "append reserved", "read", ...
  std::string fingerprint = std::string(64, 'a');
  std::string place = "here";
  std::string stop_at;  ///< an entry of `asked` to stop at
  /// A record whose session was stopped while the host still commits it: it is there before the next one.
  std::vector<Record> abandoned;
  bool abandon = false;  ///< the next record
  std::string anchor;
  std::uint64_t polls_left = UINT64_MAX;
  bool holds_all = false;  ///< says where all blocks lie
  std::thread::id own = std::this_thread::get_id();
  std::atomic<bool> asked_by_another = false;  ///< a thread that is not its own

  explicit MemoryHost(std::uint64_t row_count = 1000) : rows(row_count) {
    const auto name = "sotto_capi_" + std::to_string(BitSource().next()) + ".anchor";
    anchor = (std::filesystem::temp_directory_path() / name).string();
    BitSource bits(ReproducibleSeed{1});
    blocks.resize((rows + kBlockRows - 1) / kBlockRows * kBlockRows * (kFeatures + 1));
    for (std::uint64_t i = 0; i < rows; ++i) {
      float* block = blocks.data() + i / kBlockRows * kBlockRows * (kFeatures + 1);
      float* row = block + kBlockRows + i % kBlockRows * kFeatures;
      for (std::uint32_t k = 0; k < kFeatures; ++k) row[k] = static_cast<float>(bits.next() >> 40U) * 0x1p-24F - 0.5F;
      block[i % kBlockRows] = row[0] > 0 ? 1.0F : -1.0F;
    }
  }
  MemoryHost(const MemoryHost&) = delete;
  MemoryHost& operator=(const MemoryHost&) = delete;
  ~MemoryHost() { std::filesystem::remove(anchor); }

  int note(const std::string& what) {
    if (std::this_thread::get_id() != own) asked_by_another = true;
    asked.push_back(what);
    return what == stop_at ? 1 : 0;
  }
  void keep(const Record& record, const sotto_terms* terms) {
    records.push_back(record);
    if (terms != nullptr) {
      head.filter = terms->filter;
      head.relation = terms->relation;
      head.epsilon = terms->epsilon;
      head.delta = terms->delta;
      head.limit_loss = terms->limit_loss;
      head.limit_delta = terms->limit_delta;
    }
    head.sequence = record.fields.sequence;
    head.hash = record.hash;
    head.spent_loss = record.fields.spent_loss;
    head.spent_delta = record.fields.spent_delta;
    if (record.kind == "placed") head.fingerprint = nlohmann::json::parse(record.detail).at("fingerprint");
  }
  sotto_rows source() {
    sotto_rows source{};
    source.context = this;
    source.facts = {rows, kFeatures, 2, 1.0};
    source.block_rows = kBlockRows;
    source.fingerprint = fingerprint.c_str();
    source.read = [](void* self, std::uint64_t block, const float** bytes) {
      auto& host = *static_cast<MemoryHost*>(self);
      *bytes = host.blocks.data() + block * kBlockRows * (kFeatures + 1);
      return host.note("read");
    };
    source.poll = [](void* self) {
      auto& host = *static_cast<MemoryHost*>(self);
      if (std::this_thread::get_id() != host.own) host.asked_by_another = true;
      return host.polls_left-- == 0 ? 1 : 0;
    };
    source.all = [](void* self, float** bytes) {
      auto& host = *static_cast<MemoryHost*>(self);
      *bytes = host.holds_all ? host.blocks.data() : nullptr;
      return 0;
    };
    return source;
  }
  sotto_store store() {
    sotto_store store{};
    store.context = this;
    store.place = place.c_str();
    store.records = [](void* self, std::uint64_t first, void (*take)(void*, const sotto_record*), void* taker) {
      for (const Record& each : static_cast<MemoryHost*>(self)->records) {
        sotto_record record = each.fields;
        record.kind = each.kind.c_str();
        record.request = each.request.c_str();
        record.detail = each.detail.c_str();
        record.previous = each.previous.c_str();
        record.hash = each.hash.c_str();
        record.token = each.token.c_str();
        record.analyst = each.analyst.c_str();
        if (record.sequence >= first) take(taker, &record);
      }
      return 0;
    };
    store.append = [](void* self, const sotto_record* record, const sotto_terms* terms, const char* bytes,
                      std::size_t size) {
      auto& host = *static_cast<MemoryHost*>(self);
      if (host.note(std::string("append ") + record->kind) != 0) return 1;
      const Record copy{
          *record,          record->kind, record->request, record->detail,
          record->previous, record->hash, record->token,   record->analyst != nullptr ? record->analyst : ""};
      if (std::exchange(host.abandon, false)) {
        host.abandoned.push_back(copy);
        return 1;
      }
      for (const Record& late : std::exchange(host.abandoned, {})) host.keep(late, nullptr);
      if (record->sequence != host.records.size()) return SOTTO_APPEND_OUTDATED;
      host.keep(copy, terms);
      if (bytes != nullptr) host.released[record->entry] = std::string(bytes, size);
      return 0;
    };
    store.head = [](void* self, void (*take)(void*, const sotto_head*), void* taker) {
      const Head& kept = static_cast<MemoryHost*>(self)->head;
      const sotto_head given{
          kept.sequence,
          kept.hash.c_str(),
          kept.spent_loss,
          kept.spent_delta,
          {kept.filter.c_str(), kept.relation.c_str(), kept.epsilon, kept.delta, kept.limit_loss, kept.limit_delta},
          kept.fingerprint.c_str()};
      take(taker, &given);
      return 0;
    };
    store.analyst = analyst.c_str();
    store.bytes = [](void* self, std::uint64_t entry, void (*take)(void*, const char*, std::size_t), void* taker) {
      const std::string& text = static_cast<MemoryHost*>(self)->released.at(entry);
      take(taker, text.data(), text.size());
      return 0;
    };
    return store;
  }
};

}  // namespace sotto::test
