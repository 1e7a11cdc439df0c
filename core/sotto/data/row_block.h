#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

/// A view of consecutive rows and their labels, dense or CSR, in 32-bit floats; it owns nothing. Arithmetic on it is
/// binary64. Every row has been clipped to the declared data_norm. Labels are +1 or -1, or 0 to classes - 1 where there
/// are more than two classes; a row with a bad value was replaced by the zero row, whose label has no effect.
struct RowBlock {
  std::size_t rows = 0;
  std::uint32_t features = 0;
  const float* labels = nullptr;

  const float* dense = nullptr;  ///< rows x features, row-major; null when sparse
  /// CSR: entries of row i are [offsets[i], offsets[i+1]) of columns and values; columns ascend within a row.
  /// The offsets index `columns` and `values` directly: offsets[0] need not be 0.
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* columns = nullptr;
  const float* values = nullptr;

  /// Public weights in [0, 1], one per row, that multiply the gradient of the row. Null: all are 1.
  const float* weights = nullptr;

  bool sparse() const noexcept { return dense == nullptr; }
  /// The rows [first, first + count) of this block.
  RowBlock slice(std::size_t first, std::size_t count) const noexcept {
    RowBlock part = *this;
    part.rows = count;
    part.labels += first;
    if (weights != nullptr) part.weights += first;
    if (sparse()) {
      part.offsets += first;
    } else {
      part.dense += first * features;
    }
    return part;
  }
};

/// What reads rows: the consuming side of an aggregate. `consume` never fails because of a row's value.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  virtual void consume(const RowBlock& block) noexcept = 0;
};

}  // namespace sotto
