#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/sha256.h"
#include "sotto/privacy/accountant/filter.h"
#include "sotto/privacy/ledger/share.h"

namespace sotto {

/// How the deltas of requests meet the budget's. A consequence of the filter, kept for readers of the ledger.
enum class DeltaPolicy {
  added,     ///< sum: deltas of requests add up to the budget's
  converted  ///< the other filters: the budget's delta is used once, at the conversion; a thousandth pays for numerics
};
constexpr auto enum_names(DeltaPolicy) {
  return std::array{std::pair{std::string_view("added"), DeltaPolicy::added},
                    std::pair{std::string_view("converted"), DeltaPolicy::converted}};
}

/// What a ledger is about, fixed when it is created but for ChangedTerms.
struct LedgerTerms {
  std::string id;        ///< random, 64 hexadecimal digits
  Filter::State filter;  ///< kind, budget, relation, limit; nothing spent
  std::string unit = "one row";
  /// Identifies the raw data: HMAC-SHA-256 of its fingerprint (files/fingerprint.h) under a random key that is stored in
  /// the ledger and printed nowhere, so that records say nothing to someone who guesses the data.
  std::string data_tag;
  std::string key_check;     ///< SHA-256 of that key
  std::string public_key{};  ///< that signs what is released (signing.h); empty in older ledgers, which have one too
  std::uint64_t rows = 0;    ///< public under replace_one; 0 under add_remove, where it is private
  /// How a text file of the data is read (files/reading.h), and the names of its columns: by the holder's word public,
  /// and fixed, since what fails under another reading would tell about rows. Empty: no text is.
  std::string reading{};
  std::vector<std::string> columns{};
  /// Of every analyst who was granted no other share, in millionths of the limit.
  std::uint32_t analyst_share = kWholeBudget;
  /// No request checks the rows (data/row_check.h): for a holder who runs the requests of others and shows them what is printed.
  bool blind = false;

  DeltaPolicy delta_policy() const noexcept {
    return filter.kind == FilterKind::sum ? DeltaPolicy::added : DeltaPolicy::converted;
  }
};

/// The raw rows a ledger is about from a place on, where the ledger outlives them: when they are read anew it is bound
/// to what is there then, and what was spent stays spent.
struct RowBinding {
  std::string fingerprint;
  std::uint64_t rows = 0;
  std::string key{};  ///< the ledger's random key: 64 hexadecimal digits, the same in all bindings
};

/// Where the one valid copy of a ledger is.
struct LedgerPlace {
  std::string path;
  std::string anchor;       ///< absolute, so that a copied folder still meets the original's anchor
  std::uint64_t inode = 0;  ///< of the ledger's file: a copy has another; 0 where the path alone tells
  std::optional<RowBinding> bound{};
};

/// What may change of the terms: the filter with its limit, nothing spent, and the share of analysts.
struct ChangedTerms {
  Filter::State filter;
  std::uint32_t analyst_share = kWholeBudget;
};

/// opened and placed carry terms and place, granted a share, lowered and corrected changed terms; an entry is reserved,
/// then perhaps released or voided. A budget is lowered whatever was spent, and corrected only where nothing was.
enum class RecordKind { opened, placed, reserved, released, voided, granted, lowered, corrected };
constexpr auto enum_names(RecordKind) {
  return std::array{std::pair{std::string_view("opened"), RecordKind::opened},
                    std::pair{std::string_view("placed"), RecordKind::placed},
                    std::pair{std::string_view("reserved"), RecordKind::reserved},
                    std::pair{std::string_view("released"), RecordKind::released},
                    std::pair{std::string_view("voided"), RecordKind::voided},
                    std::pair{std::string_view("granted"), RecordKind::granted},
                    std::pair{std::string_view("lowered"), RecordKind::lowered},
                    std::pair{std::string_view("corrected"), RecordKind::corrected}};
}

/// One link of the chain. Records are only ever added.
struct LedgerRecord {
  std::uint64_t sequence = 0;
  RecordKind kind = RecordKind::opened;
  std::uint64_t entry = 0;  ///< the sequence of the reservation it is about; 0 for opened and placed
  std::int64_t time = 0;    ///< seconds since 1970 by the writer's clock: for readers, never for order
  Filter::Cost cost;        ///< of the entry
  Filter::Cost spent;       ///< after this record
  std::string request;      ///< reserved: the digest of the request
  std::string detail;       ///< terms, place, the event reserved, or the digest of the bytes released
  std::string token;  ///< reserved: SHA-256 of a random nonce; released and voided: that nonce, told for the first time
  std::string analyst{};  ///< reserved: who is charged, where the store knows; empty otherwise
  Digest previous{};
  Digest hash{};
};

/// 256 random bits, for an id, a key or a nonce.
Digest random_digest();
/// SHA-256 over the previous hash and every field, lengths included.
Digest hash_of(const LedgerRecord& record);

std::string text_of(const LedgerTerms& terms);
std::string text_of(const LedgerPlace& place);
std::string text_of(const ChangedTerms& changed);  ///< by the keys of the terms
/// Throw Error{invalid_data} for anything but what text_of wrote.
LedgerTerms terms_from(const std::string& text);
LedgerPlace place_from(const std::string& text);
ChangedTerms changed_terms_from(const std::string& text);

}  // namespace sotto
