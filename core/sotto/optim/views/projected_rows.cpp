// What: rows under a public random projection, clipped again, and weights taken back through it.
// Formula: a row x becomes clip(G x); weights v of images score G x as w = G' v scores x. Where an image was clipped
//   the scores of all classes are scaled alike, so that the class that wins is the same.
// Conditions: G depends on no row (spec 2.1: the clip comes after the projection; spec 8: row-wise and public, free).
// Reference: [Johnson84]; docs/auto.md.
// Fails if wrong: ProjectedRows.* (norms, images against the definition, same bits kept or not), Replay.*
#include "sotto/optim/views/projected_rows.h"

#include <algorithm>

#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/linalg/kernels.h"
#include "sotto/optim/row_sum.h"

namespace sotto {
namespace {

constexpr std::size_t kChunkRows = 256;
constexpr std::uint64_t kRowsBetweenPolls = 4096;

/// Makes images, one at a time.
class RowImage {
 public:
  RowImage(const Projection& map, const Facts& facts)
      : map_(map), norm_(facts.data_norm), columns_(facts.features), values_(facts.features) {
    image_.resize(map.output_features());
  }

  void write(const RowBlock& rows, std::size_t i, std::span<float> out) noexcept {
    const std::size_t entries = rows.sparse() ? take_sparse(rows, i) : take_dense(rows.dense + i * rows.features, rows);
    map_.mix({columns_.data(), entries}, {values_.data(), entries}, image_);
    clip_and_store(image_, norm_, out);
  }

 private:
  std::size_t take_dense(const float* row, const RowBlock& rows) noexcept {
    std::size_t entries = 0;
    for (std::uint32_t k = 0; k < rows.features; ++k) {
      columns_[entries] = k;
      values_[entries] = row[k];
      entries += row[k] != 0;
    }
    return entries;
  }
  std::size_t take_sparse(const RowBlock& rows, std::size_t i) noexcept {
    const std::uint64_t first = rows.offsets[i];
    const std::uint64_t count = std::min<std::uint64_t>(rows.offsets[i + 1] - first, columns_.size());
    std::copy_n(rows.columns + first, count, columns_.begin());
    std::copy_n(rows.values + first, count, values_.begin());
    return count;
  }

  const Projection& map_;
  double norm_;
  std::vector<std::uint32_t> columns_;
  Vector values_, image_;
};

/// Hands on images in place of rows.
class Projector final : public RowConsumer {
 public:
  Projector(const Projection& map, const Facts& facts, RowConsumer& next)
      : image_(map, facts), features_(map.output_features()), images_(kChunkRows * features_), next_(next) {}

  void consume(const RowBlock& block) noexcept override {
    for (std::size_t done = 0; done < block.rows; done += kChunkRows) {
      const RowBlock part = block.slice(done, std::min(kChunkRows, block.rows - done));
      for (std::size_t i = 0; i < part.rows; ++i) image_.write(part, i, {images_.data() + i * features_, features_});
      next_.consume({part.rows, features_, part.labels, images_.data(), nullptr, nullptr, nullptr, part.weights});
    }
  }

 private:
  RowImage image_;
  std::uint32_t features_;
  std::vector<float> images_;
  RowConsumer& next_;
};

/// Writes images and labels to where their rows are. A row's weight has no place there: that there was one is noted.
class KeptImages final : public RowSum {
 public:
  struct Place {
    std::span<float> images, labels;
  };
  KeptImages(const Projection& map, const Facts& facts, const Place& to)
      : map_(map), facts_(facts), to_(to), image_(map, facts), features_(map.output_features()) {}

  void go_to(std::uint64_t position) noexcept override { at_ = position; }
  void consume(const RowBlock& block) noexcept override {
    weighted = weighted || block.weights != nullptr;
    for (std::size_t i = 0; i < block.rows && at_ < to_.labels.size(); ++i, ++at_, ++count) {
      image_.write(block, i, to_.images.subspan(at_ * features_, features_));
      to_.labels[at_] = block.labels[i];
    }
  }
  std::unique_ptr<RowSum> empty_copy() const override { return std::make_unique<KeptImages>(map_, facts_, to_); }
  void clear() noexcept override { count = 0; }
  void merge(const RowSum& other) noexcept override {
    const auto& more = static_cast<const KeptImages&>(other);
    count += more.count;
    weighted = weighted || more.weighted;
  }

  std::uint64_t count = 0;  // rows
  bool weighted = false;

 private:
  const Projection& map_;
  Facts facts_;
  Place to_;
  RowImage image_;
  std::uint32_t features_;
  std::uint64_t at_ = 0;
};

}  // namespace

ProjectedRows::ProjectedRows(const Engine& rows, const Projection& map, std::uint64_t most_bytes)
    : RowView(rows), map_(map), facts_(rows.facts()) {
  require(map.mixes(), "projection", "must be one that mixes features");
  const Facts before = facts_;
  facts_.features = map.output_features();
  facts_.sparse = false;
  if (before.rows > most_bytes / ((facts_.features + 1) * sizeof(float))) return;
  images_.resize(before.rows * facts_.features);
  labels_.resize(before.rows);
  KeptImages kept(map, before, {images_, labels_});
  sum_rows(rows, kept);
  if (kept.count != before.rows) {
    throw Error(ErrorKind::internal, "the engine did not feed as many rows as its facts say");
  }
  if (kept.weighted) throw Error(ErrorKind::internal, "rows with weights of their own are not projected");
}

void ProjectedRows::scan_rows(std::uint64_t first, std::uint64_t count, RowConsumer& consumer) const {
  if (labels_.empty()) {
    Projector projector(map_, rows().facts(), consumer);
    rows().scan_rows(first, count, projector);
    return;
  }
  const RowBlock all{facts_.rows, facts_.features, labels_.data(), images_.data(), nullptr, nullptr, nullptr};
  for (const std::uint64_t end = first + count; first < end;) {
    const std::uint64_t some = std::min<std::uint64_t>(kRowsBetweenPolls, end - first);
    consumer.consume(all.slice(first, some));
    first += some;
    rows().poll(some);
  }
}

void ProjectedRows::scan_positions(std::span<const std::uint64_t> positions, RowConsumer& consumer) const {
  if (!labels_.empty()) return Engine::scan_positions(positions, consumer);
  Projector projector(map_, rows().facts(), consumer);
  rows().scan_positions(positions, projector);
}

Vector before_projection(const Projection& map, const Vector& weights) {
  const std::size_t outputs = weights.size() / map.output_features();
  Vector before;
  before.reserve(outputs * map.input_features());
  for (std::size_t k = 0; k < outputs; ++k) {
    const Vector part = map.transposed({weights.data() + k * map.output_features(), map.output_features()});
    before.insert(before.end(), part.begin(), part.end());
  }
  return before;
}

}  // namespace sotto
