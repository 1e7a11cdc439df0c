#include "sotto/data/encoder.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/data/raw_row.h"

namespace sotto {

namespace {

Schema checked(Schema schema) {
  check_schema(schema);
  require(schema.complete && schema.format != FileFormat::automatic, "schema",
          "must be completed for a file before rows are encoded");
  const bool cells = schema.format == FileFormat::csv;
  require(cells || schema.features > 0, "features", "must be declared");
  require(cells || schema.columns.empty(), "columns", "are for delimited text; this format has none");
  require(schema.format != FileFormat::libsvm || !schema.range || (schema.range->min <= 0 && schema.range->max >= 0),
          "range", "must contain 0 for LIBSVM, where entries left out are 0");
  return schema;
}

Projection make_projection(const Schema& schema, std::uint32_t raw_features) {
  const bool intercept = intercept_of(schema) != 0.0;
  const std::uint32_t features = raw_features + (intercept ? 1 : 0);
  require(features > 0, "columns", "no column is left to be a feature");
  require(features <= kMaxFeatures, "columns", "encode to more than " + std::to_string(kMaxFeatures) + " features");
  return {schema.projection, features, intercept};
}

std::uint32_t width_of(const ColumnKind& kind) {
  if (const auto* category = std::get_if<CategoryColumn>(&kind)) {
    return static_cast<std::uint32_t>(category->values.size());
  }
  const auto* numeric = std::get_if<NumericColumn>(&kind);
  if (numeric == nullptr) return 0;
  return numeric->missing.empty() ? 1 : 2;
}

std::uint32_t count_features(const Schema& schema) {
  if (schema.format != FileFormat::csv) return schema.features;
  std::uint64_t count = 0;
  for (const Column& column : schema.columns) count += width_of(column.kind);
  require(count <= kMaxFeatures, "columns", "encode to more than " + std::to_string(kMaxFeatures) + " features");
  return static_cast<std::uint32_t>(count);
}

}  // namespace

Encoder::Encoder(Schema schema)
    : schema_(checked(std::move(schema))),
      raw_features_(count_features(schema_)),
      labels_(schema_.label),
      projection_(make_projection(schema_, raw_features_)) {
  lay_out_columns();
  sparse_ = decide_sparse();
}

void Encoder::lay_out_columns() {
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
    const ColumnKind& kind = schema_.columns[i].kind;
    const std::uint32_t width = width_of(kind);
    if (width == 0) continue;
    Slot slot{.column = i, .first_feature = next, .categories = {}};
    if (const auto* category = std::get_if<CategoryColumn>(&kind)) {
      for (std::uint32_t v = 0; v < width; ++v) slot.categories.emplace(category->values[v], next + v);
    }
    slots_.push_back(std::move(slot));
    next += width;
  }
  most_entries_ = schema_.format == FileFormat::csv ? slots_.size() : raw_features_;
}

bool Encoder::decide_sparse() const {
  // Below one entry in eight the vector units of a dense row no longer pay for the zeros.
  constexpr std::size_t kDensePays = 8;
  require(schema_.storage != Storage::sparse || !projection_.mixes(), "storage",
          "a gaussian projection makes dense rows");
  if (projection_.mixes() || schema_.storage != Storage::automatic) return schema_.storage == Storage::sparse;
  if (schema_.format == FileFormat::libsvm) return true;
  return kDensePays * (most_entries_ + 1) < raw_features_;
}

// Every entry lies in [-1, 1]; a column gives one, a missing number too. The intercept is beside those that a choice of features keeps.
std::optional<double> Encoder::largest_norm() const {
  const bool cells = schema_.format == FileFormat::csv;
  const auto is_open = [&](const Slot& slot) {
    const auto* numeric = std::get_if<NumericColumn>(&schema_.columns[slot.column].kind);
    return numeric != nullptr && !numeric->range;
  };
  const bool bounded = cells ? std::ranges::none_of(slots_, is_open) : schema_.range.has_value();
  if (!bounded || most_entries_ == 0 || projection_.mixes()) return std::nullopt;
  auto entries = static_cast<double>(most_entries_);
  if (const auto* some = std::get_if<ChooseFeatures>(&schema_.projection)) {
    entries = std::min(entries, static_cast<double>(some->dimensions));
  }
  return std::hypot(std::sqrt(entries), intercept());
}

std::vector<const Column*> Encoder::used_columns() const {
  std::vector<const Column*> used;
  for (const Slot& slot : slots_) used.push_back(&schema_.columns[slot.column]);
  return used;
}

std::vector<std::string> Encoder::tallied_columns() const {
  std::vector<std::string> names;
  for (const Slot& slot : slots_) names.push_back(schema_.columns[slot.column].name);
  if (schema_.format != FileFormat::csv) names.emplace_back("values");
  names.emplace_back("the constant feature");
  return names;
}

RowTally Encoder::empty_tally() const {
  RowTally tally;
  tally.start(schema_.format == FileFormat::csv ? slots_.size() + 1 : 2, classes());
  return tally;
}

std::size_t Encoder::tally_column(std::uint32_t feature) const noexcept {
  if (schema_.format != FileFormat::csv) return feature < raw_features_ ? 0 : 1;
  if (feature == raw_features_) return slots_.size();
  const auto next = std::ranges::upper_bound(slots_, feature, {}, &Slot::first_feature);
  return static_cast<std::size_t>(next - slots_.begin()) - 1;
}

std::string Encoder::feature_name(std::uint32_t feature) const {
  require(feature < features(), "feature", "there are " + std::to_string(features()) + " features");
  if (projection_.mixes()) return "projection_" + std::to_string(feature + 1);
  const std::uint32_t raw = projection_.source_of(feature);
  if (raw == raw_features_) return "intercept";
  if (schema_.format != FileFormat::csv) return std::to_string(raw + 1);
  std::size_t slot = 0;
  while (slot + 1 < slots_.size() && slots_[slot + 1].first_feature <= raw) ++slot;
  const Column& column = schema_.columns[slots_[slot].column];
  const auto* category = std::get_if<CategoryColumn>(&column.kind);
  const std::uint32_t place = raw - slots_[slot].first_feature;
  if (category == nullptr) return place == 0 ? column.name : column.name + " missing";
  return column.name + "=" + category->values[place];
}

}  // namespace sotto
