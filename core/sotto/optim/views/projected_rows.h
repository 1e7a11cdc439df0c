#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/data/projection.h"
#include "sotto/linalg/vector.h"
#include "sotto/optim/views/row_view.h"

/// Rows seen through a public random projection and clipped again.
namespace sotto {

/// Images that take at most so much memory are kept from the first scan on.
inline constexpr std::uint64_t kMaxImageBytes = std::uint64_t{1} << 28U;

/// Another engine's rows under a map that mixes, each clipped to facts().data_norm: a function of the row and the map
/// alone. Images are dense; those that are not kept are made anew in every scan, with the same bits.
class ProjectedRows final : public RowView {
 public:
  /// `rows` and `map` must outlive it; reads the rows once if images are kept. Throws what the engine throws.
  ProjectedRows(const Engine& rows, const Projection& map, std::uint64_t most_bytes = kMaxImageBytes);

  Facts facts() const override { return facts_; }
  void scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const override;
  void scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const override;

 private:
  const Projection& map_;
  Facts facts_;
  std::vector<float> images_;  // empty: not kept
  std::vector<float> labels_;
};

/// The weights that score a row as `weights` score its image before it is clipped; those of several outputs lie one
/// after the other. Public to public.
Vector before_projection(const Projection& map, const Vector& weights);

}  // namespace sotto
