#include "capi/collected_rows.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>

#include "capi/boundary.h"
#include "sotto/data/row_encoder.h"
#include "sotto/random/bit_source.h"
#include "sotto/random/samplers.h"

namespace sotto::capi {
namespace {

constexpr std::size_t kBlockBytes = 8192;
constexpr std::uint64_t kRowsBetweenPolls = 4096;
constexpr std::uint64_t kDrawnAhead = 16;

}  // namespace

CollectedRows::CollectedRows(const std::string& schema, std::vector<std::string> columns)
    : encoder_(schema, std::move(columns), LabelUse::required),
      features_(encoder_.facts().features),
      block_rows_(
          static_cast<std::uint32_t>(std::max<std::size_t>(1, kBlockBytes / (sizeof(float) * (features_ + 1))))) {}

float* CollectedRows::label_at(std::uint64_t row) noexcept {
  return blocks_.data() + row / block_rows_ * block_rows_ * (features_ + 1) + row % block_rows_;
}

float* CollectedRows::row_at(std::uint64_t row) noexcept {
  return blocks_.data() + row / block_rows_ * block_rows_ * (features_ + 1) + block_rows_ +
         row % block_rows_ * features_;
}

void CollectedRows::reserve(std::uint64_t rows) {
  blocks_.reserve((rows + block_rows_ - 1) / block_rows_ * block_rows_ * (features_ + 1));
#ifdef MADV_HUGEPAGE
  // Fewer faults where the system has large pages; no matter if it has not.
  constexpr std::uintptr_t kLarge = 2 << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(blocks_.data());
  const std::uintptr_t first = (begin + kLarge - 1) & ~(kLarge - 1);
  const std::uintptr_t last = (begin + blocks_.capacity() * sizeof(float)) & ~(kLarge - 1);
  if (first < last) static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
#endif
}

void CollectedRows::prefetch(std::uint64_t row) noexcept {
  constexpr std::size_t kLine = 64 / sizeof(float);
  constexpr std::size_t kMax = 64 * kLine;
  __builtin_prefetch(label_at(row), 1);
  for (std::size_t i = 0; i < std::min(features_, kMax); i += kLine) __builtin_prefetch(row_at(row) + i, 1);
}

std::uint64_t CollectedRows::add_place() {
  if (rows_ % block_rows_ == 0) blocks_.resize(blocks_.size() + block_rows_ * (features_ + 1));
  return rows_++;
}

void CollectedRows::add_cells(std::span<const sotto_cell> cells) {
  const std::uint64_t place = add_place();
  encoder_.encode_cells(cells, row_at(place), *label_at(place));
}

void CollectedRows::add_values(std::span<const double> values, const sotto_cell& label) {
  const std::uint64_t place = add_place();
  encoder_.encode_values(values, label, row_at(place), *label_at(place));
}

int CollectedRows::read(void* self, std::uint64_t block, const float** bytes) {
  auto& rows = *static_cast<CollectedRows*>(self);
  *bytes = rows.blocks_.data() + block * rows.block_rows_ * (rows.features_ + 1);
  return 0;
}

int CollectedRows::all(void* self, float** bytes) {
  *bytes = static_cast<CollectedRows*>(self)->blocks_.data();
  return 0;
}

int CollectedRows::ask(void* self) {
  auto& rows = *static_cast<CollectedRows*>(self);
  return rows.poll_(rows.poll_context_);
}

sotto_rows CollectedRows::shuffled(int (*poll)(void*), void* context) {
  require(rows_ > 0, "data", "has no rows");
  poll_ = poll;
  poll_context_ = context;
  BitSource coins;  // of the operating system: nobody can foresee or repeat this order
  // Places are drawn ahead, so that their rows are in the cache when they are swapped.
  std::array<std::uint64_t, kDrawnAhead> drawn{};
  std::uint64_t next = rows_;
  const auto draw = [&] {
    if (next <= 1) return;
    drawn[next % kDrawnAhead] = draw_below(coins, next);
    prefetch(drawn[next % kDrawnAhead]);
    --next;
  };
  for (std::uint64_t i = 0; i < kDrawnAhead; ++i) draw();
  for (std::uint64_t left = rows_; left > 1; --left) {
    if (left % kRowsBetweenPolls == 0) proceed(ask(this));
    const std::uint64_t other = drawn[left % kDrawnAhead];
    draw();
    if (other == left - 1) continue;
    std::swap_ranges(row_at(left - 1), row_at(left - 1) + features_, row_at(other));
    std::swap(*label_at(left - 1), *label_at(other));
  }
  fingerprint_ = encoder_.fingerprint();
  sum_ = encoder_.raw().sum_text();
  const Facts facts = encoder_.facts();
  sotto_rows rows{};
  rows.context = this;
  rows.facts = {facts.rows, facts.features, facts.classes, facts.data_norm};
  rows.block_rows = block_rows_;
  rows.fingerprint = fingerprint_.c_str();
  rows.sum = sum_.c_str();
  rows.read = read;
  rows.poll = ask;
  rows.all = all;
  return rows;
}

}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_collected_new(const char* schema, const char* const* columns, size_t column_count,
                                 sotto_collected** collected, sotto_error* error) {
  return guarded(error, [&] {
    *collected = new sotto_collected{CollectedRows(schema, {columns, columns + column_count})};
  });
}

void sotto_collected_free(sotto_collected* collected) { delete collected; }

uint32_t sotto_collected_values(const sotto_collected* collected) { return collected->rows.values(); }

size_t sotto_collected_columns(const sotto_collected* collected) { return collected->rows.column_count(); }

sotto_status sotto_collected_reserve(sotto_collected* collected, uint64_t rows) {
  return guarded(nullptr, [&] { collected->rows.reserve(rows); });
}

sotto_status sotto_collect_cells(sotto_collected* collected, const sotto_cell* cells) {
  return guarded(nullptr, [&] { collected->rows.add_cells({cells, collected->rows.column_count()}); });
}

sotto_status sotto_collect_values(sotto_collected* collected, const double* values, size_t count, sotto_cell label) {
  return guarded(nullptr, [&] { collected->rows.add_values({values, count}, label); });
}

sotto_status sotto_collected_rows(sotto_collected* collected, int (*poll)(void*), void* context, sotto_rows* rows,
                                  sotto_error* error) {
  return guarded(error, [&] { *rows = collected->rows.shuffled(poll, context); });
}
