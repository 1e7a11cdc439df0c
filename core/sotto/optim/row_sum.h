#pragma once
#include <cstdint>
#include <memory>

#include "sotto/data/row_block.h"

namespace sotto {

class Engine;

/// A sum over rows: an aggregate that can be merged. Whoever runs it may give parts of the rows to empty copies, in any
/// order and any cut: the result is the same.
class RowSum : public RowConsumer {
 public:
  /// The rows that are consumed next are those from this position on; for what depends on where a row is.
  virtual void go_to(std::uint64_t /*position*/) noexcept {}
  /// The sum of no rows, to be fed elsewhere and merged into this one.
  virtual std::unique_ptr<RowSum> empty_copy() const = 0;
  virtual void clear() noexcept = 0;
  /// Adds what `other`, an empty_copy() of this, has consumed.
  virtual void merge(const RowSum& other) noexcept = 0;
};

/// Feeds every row of the engine to `sum` on `threads` threads (0: one a processor). Whoever is free takes the next part.
/// Throws what the engine throws.
void sum_rows(const Engine& engine, RowSum& sum, unsigned threads = 0);

/// For a process that ends inside an engine's callback, on the thread that called sum_rows: the other threads leave the
/// rows alone when this returns. The sum is not to be gone on with.
void abandon_sums() noexcept;

}  // namespace sotto
