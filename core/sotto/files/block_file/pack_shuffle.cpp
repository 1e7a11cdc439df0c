// A uniformly random order of records that do not fit in memory.
//
// Every record draws an independent 64-bit ticket; the order is that of the tickets, equal tickets in a random order of
// their own. Independent equally distributed tickets are exchangeable, hence every order is exactly equally likely.
// Tickets are drawn in order of arrival and nothing else is read from a record, so the order is a function of
// positions and coins (spec 3.7), and the same for every memory limit.
// Sorting: bucket by the leading 8 bits of the ticket, into chunks of a temporary file; a bucket that does not fit is
// divided by the next 8 bits, one that fits is sorted in memory. Memory M: chunks of all buckets M/4, a bucket with its
// tickets M/2, the rest is left to whoever receives the records.
// Would fail if wrong: tests/unit/files_block_file_pack_test.cpp (all orders equally likely, same order for any memory).
#include "sotto/files/block_file/pack_shuffle.h"

#include <algorithm>
#include <cstring>

#include "sotto/random/samplers.h"

namespace sotto {
namespace {

struct Stamp {
  std::uint64_t ticket;
  std::uint64_t bytes;  ///< of the record without its padding
};
struct ChunkHead {
  std::uint64_t previous;
  std::uint64_t bytes;
};

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

ExternalShuffle::ExternalShuffle(const std::string& directory, std::size_t memory_bytes, BitSource& bits)
    : bits_(bits),
      file_(FileHandle::open_anonymous(directory)),
      leaf_bytes_(memory_bytes / 2),
      chunk_bytes_(memory_bytes / 4 / kFan),
      first_{},
      pending_(kFan) {}

void ExternalShuffle::add(std::span<const std::byte> record) {
  const Stamp stamp{bits_.next(), record.size()};
  stamped_.resize(sizeof stamp + padded(record.size()));
  std::memcpy(stamped_.data(), &stamp, sizeof stamp);
  if (!record.empty()) std::memcpy(stamped_.data() + sizeof stamp, record.data(), record.size());
  put(first_, 0, stamped_);
}

void ExternalShuffle::put(Level& level, unsigned depth, std::span<const std::byte> stamped) {
  std::uint64_t ticket = 0;
  std::memcpy(&ticket, stamped.data(), sizeof ticket);
  const std::size_t which = (ticket >> (64 - kFanBits * (depth + 1))) % kFan;
  Bucket& bucket = level[which];
  std::vector<std::byte>& pending = pending_[which];
  bucket.bytes += stamped.size();
  bucket.records += 1;
  if (pending.size() + stamped.size() > chunk_bytes_) {
    write_chunk(bucket, pending);
    pending.clear();
  }
  if (stamped.size() > chunk_bytes_) return write_chunk(bucket, stamped);
  pending.reserve(chunk_bytes_);
  pending.insert(pending.end(), stamped.begin(), stamped.end());
}

void ExternalShuffle::write_chunk(Bucket& bucket, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const ChunkHead head{bucket.last_chunk, bytes.size()};
  file_.write_exactly(end_, std::as_bytes(std::span(&head, 1)));
  file_.write_exactly(end_ + sizeof head, bytes);
  bucket.last_chunk = end_;
  end_ += sizeof head + bytes.size();
}

void ExternalShuffle::flush(Level& level) {
  for (std::size_t i = 0; i < kFan; ++i) {
    write_chunk(level[i], pending_[i]);
    pending_[i].clear();
  }
}

template <class Visitor>
void ExternalShuffle::for_each_chunk(const Bucket& bucket, Visitor&& visit) {
  for (std::uint64_t at = bucket.last_chunk; at != kNone;) {
    ChunkHead head{};
    file_.read_exactly(at, std::as_writable_bytes(std::span(&head, 1)));
    visit(at + sizeof head, head.bytes);
    at = head.previous;
  }
}

void ExternalShuffle::drain(const Receiver& receive) {
  flush(first_);
  // Room for the largest leaf at once: growing would hold the old and the new memory together. Untouched pages are
  // free.
  leaf_.reserve(leaf_bytes_ / 8);
  order_.reserve(leaf_bytes_ / (sizeof(Stamp) + sizeof(Ticketed)));
  drain_level(first_, 0, receive);
}

void ExternalShuffle::drain_level(const Level& level, unsigned depth, const Receiver& receive) {
  for (const Bucket& bucket : level) {
    const bool fits = bucket.bytes + bucket.records * sizeof(Ticketed) <= leaf_bytes_;
    // A single record cannot be divided; nor can tickets of which every bit has been used.
    if (fits || bucket.records <= 1 || (depth + 1) * kFanBits >= 64) {
      drain_leaf(bucket, receive);
      continue;
    }
    std::vector<Level> deeper(1);
    for_each_chunk(bucket, [&](std::uint64_t offset, std::uint64_t bytes) {
      chunk_.resize(bytes / 8);
      const auto chunk = std::as_writable_bytes(std::span(chunk_));
      file_.read_exactly(offset, chunk);
      for (std::size_t at = 0; at < bytes;) {
        const std::size_t length = sizeof(Stamp) + padded(chunk_[at / 8 + 1]);
        put(deeper[0], depth + 1, chunk.subspan(at, length));
        at += length;
      }
    });
    flush(deeper[0]);
    drain_level(deeper[0], depth + 1, receive);
  }
}

void ExternalShuffle::load_leaf(const Bucket& bucket) {
  leaf_.resize(bucket.bytes / 8);
  const auto leaf = std::as_writable_bytes(std::span(leaf_));
  std::size_t filled = 0;
  for_each_chunk(bucket, [&](std::uint64_t offset, std::uint64_t bytes) {
    file_.read_exactly(offset, leaf.subspan(filled, bytes));
    filled += bytes;
  });
  order_.clear();
  order_.reserve(bucket.records);
  for (std::size_t at = 0; at < filled; at += sizeof(Stamp) + padded(leaf_[at / 8 + 1])) {
    order_.push_back({leaf_[at / 8], at});
  }
  std::sort(order_.begin(), order_.end(), [](const Ticketed& a, const Ticketed& b) { return a.ticket < b.ticket; });
}

void ExternalShuffle::drain_leaf(const Bucket& bucket, const Receiver& receive) {
  load_leaf(bucket);
  const auto leaf = std::as_bytes(std::span(leaf_));
  for (std::size_t first = 0; first < order_.size();) {
    std::size_t last = first + 1;
    while (last < order_.size() && order_[last].ticket == order_[first].ticket) ++last;
    for (; first < last; ++first) {
      std::swap(order_[first], order_[first + draw_below(bits_, last - first)]);
      const std::size_t at = order_[first].offset;
      receive(leaf.subspan(at + sizeof(Stamp), leaf_[at / 8 + 1]));
    }
  }
}

}  // namespace sotto
