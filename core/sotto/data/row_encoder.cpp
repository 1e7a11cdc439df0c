#include "sotto/data/row_encoder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/data/number.h"
#include "sotto/data/scaling.h"

namespace sotto {
namespace {

/// Nothing in these values has to be reported.
bool are_plain(std::span<const double> values, const std::optional<Range>& range) noexcept {
  const double low = range ? range->min : std::numeric_limits<double>::lowest();
  const double high = range ? range->max : std::numeric_limits<double>::max();
  bool plain = true;
  for (const double value : values) plain &= value >= low && value <= high;  // a NaN is neither
  return plain;
}

RowShape shape_of(FileFormat format) noexcept {
  if (format == FileFormat::libsvm) return RowShape::sparse;
  return format == FileFormat::idx ? RowShape::dense : RowShape::cells;
}

}  // namespace

void EncodedRow::send(RowSink& sink) const {
  if (sparse) {
    sink.add_sparse(columns, values, label);
  } else {
    sink.add_dense(values, label);
  }
}

RowEncoder::RowEncoder(const Encoder& encoder, const RowReader& reader, LabelUse use)
    : encoder_(encoder), shape_(reader.shape()), use_(use) {
  require(shape_ == shape_of(encoder.schema().format), "format", "the file is not of the format the encoding is for");
  if (shape_ == RowShape::cells) {
    bind_columns(reader.columns());
  } else {
    require(shape_ == RowShape::sparse || reader.features() == encoder.raw_features_, "features",
            "the file has " + std::to_string(reader.features()) + " values a row, " +
                std::to_string(encoder.raw_features_) + " are required");
  }
  if (encoder.projection_.mixes()) mixed_.resize(encoder.features());
}

void RowEncoder::bind_columns(const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  const auto place_of = [&](const std::string& name) {
    const auto found = places.find(name);
    require(found != places.end(), "columns", "the file has no column " + name);
    return found->second;
  };
  for (const Encoder::Slot& slot : encoder_.slots_) {
    positions_.push_back(place_of(encoder_.schema_.columns[slot.column].name));
  }
  if (use_ == LabelUse::required) label_position_ = place_of(encoder_.schema_.label.column);
}

void RowEncoder::encode(const RawRow& raw, EncodedRow& row) {
  row.problems.clear();
  row.label = 1.0F;
  zero_ = false;
  columns_.clear();
  values_.clear();
  if (shape_ == RowShape::cells) {
    take_cells(raw, row);
  } else {
    take_values(raw, row);
  }
  finish(row);
}

void RowEncoder::take_cells(const RawRow& raw, EncodedRow& row) {
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const Encoder::Slot& slot = encoder_.slots_[i];
    const std::string_view cell = raw.cells[positions_[i]];
    place_ = static_cast<std::uint32_t>(positions_[i] + 1);
    slot_ = i;
    if (const auto* numeric = std::get_if<NumericColumn>(&encoder_.schema_.columns[slot.column].kind)) {
      take_numeric(*numeric, cell, slot.first_feature, row);
    } else if (const auto found = slot.categories.find(cell); found != slot.categories.end()) {
      if (tally_ != nullptr) count(found->second);
      add_entry(found->second, 1.0);
    } else {
      report(row, ProblemKind::undeclared_category);
    }
  }
  place_ = static_cast<std::uint32_t>(label_position_ + 1);
  if (use_ == LabelUse::required) take_label(raw.cells[label_position_], row);
}

void RowEncoder::take_numeric(const NumericColumn& numeric, std::string_view cell, std::uint32_t feature,
                              EncodedRow& row) {
  if (std::ranges::find(numeric.missing, cell) != numeric.missing.end()) {
    if (tally_ != nullptr) ++tally_->columns[slot_].missing;
    return add_entry(feature + 1, 1.0);
  }
  const double value = parse_number(cell);
  if (!std::isfinite(value)) {
    zero_ = true;
    report(row, cell.empty()        ? ProblemKind::empty_cell
                : std::isnan(value) ? ProblemKind::not_a_number
                                    : ProblemKind::not_finite);
    return;
  }
  if (tally_ != nullptr) count(value);
  const std::optional<Range>& range = numeric.range;
  if (range && (value < range->min || value > range->max)) report(row, ProblemKind::out_of_range);
  add_entry(feature, scaled(numeric, value));
}

void RowEncoder::take_values(const RawRow& raw, EncodedRow& row) {
  const std::optional<Range>& range = encoder_.schema_.range;
  const bool sparse = shape_ == RowShape::sparse;
  // An entry that is left out is 0 and must stay 0: sparse values are divided, not shifted.
  const double divisor = range ? std::max(std::abs(range->min), std::abs(range->max)) : 1.0;
  const bool plain = !sparse && are_plain(raw.values, range);
  slot_ = 0;
  if (plain) take_plain_values(raw.values);
  if (plain && tally_ != nullptr) {
    for (const double value : raw.values) count(value);
  }
  for (std::size_t i = 0; i < raw.values.size() && !plain; ++i) {
    const auto feature = sparse ? raw.indices[i] : static_cast<std::uint32_t>(i);
    const double value = raw.values[i];
    place_ = feature + 1;
    if (!std::isfinite(value)) {
      zero_ = true;
      report(row, std::isnan(value) ? ProblemKind::not_a_number : ProblemKind::not_finite);
      continue;
    }
    if (tally_ != nullptr) count(value);
    if (range && (value < range->min || value > range->max)) report(row, ProblemKind::out_of_range);
    if (range && sparse) {
      add_entry(feature, std::clamp(value, range->min, range->max) / divisor);
    } else {
      add_entry(feature, scaled({range, NumericScale::linear}, value));
    }
  }
  if (tally_ != nullptr && raw.values.size() < encoder_.raw_features_) count(0.0);  // entries that are left out
  place_ = 0;
  if (use_ == LabelUse::required) take_label(raw.label, row);
}

/// What take_values does with such values, quicker.
void RowEncoder::take_plain_values(std::span<const double> given) {
  const std::optional<Range>& range = encoder_.schema_.range;
  columns_.resize(given.size());
  values_.resize(given.size());
  std::size_t taken = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double value = range ? (given[i] - range->min) / (range->max - range->min) : given[i];
    columns_[taken] = static_cast<std::uint32_t>(i);
    values_[taken] = value;
    taken += value != 0.0 ? 1 : 0;
  }
  columns_.resize(taken);
  values_.resize(taken);
}

void RowEncoder::take_label(std::string_view text, EncodedRow& row) {
  if (const std::optional<float> meaning = encoder_.labels_.match(text)) {
    row.label = *meaning;
  } else {
    zero_ = true;
    report(row, ProblemKind::unknown_label);
  }
}

void RowEncoder::report(EncodedRow& row, ProblemKind kind) const {
  row.problems.push_back({place_, kind});
  if (tally_ != nullptr) tally_->note(kind, slot_);
}

void RowEncoder::count(double value) const noexcept { tally_->columns[slot_].take(value); }

/// Of a row before the clip: `columns_` and `values_` are its entries, not yet mixed.
void RowEncoder::count_row(const EncodedRow& row, double length) const noexcept {
  if (!row.usable) {
    ++tally_->unusable;
    return;
  }
  ++tally_->classes[class_of_label(row.label, encoder_.classes())];
  if (!tally_->take_length(length, encoder_.data_norm())) return;
  const double whole = safe_norm(values_);
  const Projection& projection = encoder_.projection_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::uint32_t feature = projection.mixes() ? columns_[i] : projection.source_of(columns_[i]);
    tally_->columns[encoder_.tally_column(feature)].pull_by(values_[i], whole);
  }
}

void RowEncoder::add_entry(std::uint32_t feature, double value) {
  if (value == 0.0) return;
  columns_.push_back(feature);
  values_.push_back(value);
}

void RowEncoder::finish(EncodedRow& row) {
  const Projection& projection = encoder_.projection_;
  row.usable = !zero_;
  if (zero_) {
    columns_.clear();
    values_.clear();
    row.label = 1.0F;
  } else if (encoder_.has_intercept()) {
    add_entry(encoder_.intercept_feature(), encoder_.intercept());
  }
  if (tally_ != nullptr) ++tally_->rows;
  if (!projection.mixes()) {
    projection.choose(columns_, values_);
    if (tally_ != nullptr) count_row(row, safe_norm(values_));
    return store(row, values_, 0);
  }
  // The projection is linear: a row near the end of binary64 is scaled down first so that no sum overflows.
  constexpr int kLarge = 500;
  double largest = 0.0;
  for (const double value : values_) largest = std::max(largest, std::abs(value));
  const int exponent = largest > 0.0 && std::ilogb(largest) > kLarge ? std::ilogb(largest) : 0;
  if (exponent != 0) {
    for (double& value : values_) value = std::ldexp(value, -exponent);
  }
  projection.mix(columns_, values_, mixed_);
  if (tally_ != nullptr) count_row(row, std::ldexp(safe_norm(mixed_), exponent));
  store(row, mixed_, exponent);
}

void RowEncoder::store(EncodedRow& row, std::span<const double> values, int exponent) {
  row.sparse = encoder_.sparse();
  stored_.resize(values.size());
  clip_and_store(values, encoder_.data_norm(), stored_, exponent);
  if (row.sparse) {
    row.columns.assign(columns_.begin(), columns_.end());
    row.values.assign(stored_.begin(), stored_.end());
  } else if (encoder_.projection_.mixes()) {
    row.values.assign(stored_.begin(), stored_.end());
  } else {
    row.values.assign(encoder_.features(), 0.0F);
    for (std::size_t i = 0; i < stored_.size(); ++i) row.values[columns_[i]] = stored_[i];
  }
}

}  // namespace sotto
