#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "sotto/data/raw_row.h"

namespace sotto {

/// What becomes of some rows that follow each other in a file. One thread calls begin, take for each row, and end; the
/// caller's thread then calls deliver, in the order of the file. What was begun may be begun again without a delivery.
class RowWork {
 public:
  virtual ~RowWork() = default;
  virtual void begin() = 0;
  /// The line of the row is counted from where `deliver` says.
  virtual void take(const RawRow& row) = 0;
  virtual void end() {}
  virtual void deliver(std::uint64_t lines_before) = 0;
  /// True if no more rows should be taken before a delivery: it bounds the memory.
  virtual bool full() const { return false; }
};
using MakeRowWork = std::function<std::unique_ptr<RowWork>()>;

/// Reads what is left of a file with so many threads (base/threads.h; 0: one for each processor), in bounded memory.
/// Rows, their order and errors are those of reader.next(), whatever the number of threads: what fails on a thread of
/// its own is read again in the order of the file, and fails there. Rows just before a fault may not be delivered. Bytes are read, unpacked and hashed on the caller's
/// thread, which also reads rows while it waits. Throws what the reader and the work throw.
void read_rows(RowReader& reader, unsigned threads, const MakeRowWork& make);

}  // namespace sotto
