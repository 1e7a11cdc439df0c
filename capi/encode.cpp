#include "capi/encode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "capi/boundary.h"
#include "sotto/data/row_encoder.h"
#include "sotto/data/schema_json.h"

namespace sotto::capi {
namespace {

std::string_view view_of(const sotto_cell& cell) {
  return cell.data == nullptr ? std::string_view() : std::string_view(cell.data, cell.size);
}

std::uint32_t values_of(const Schema& schema) { return schema.format == FileFormat::idx ? schema.features : 0; }

std::vector<std::size_t> order_by_name(const std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  return order;
}

}  // namespace

RowMultiset::RowMultiset(std::uint64_t rows, std::string_view sum) : rows_(rows) {
  Digest bytes{};
  if (!digest_from_hex(sum, bytes)) throw Error(ErrorKind::invalid_data, "sum: must be 64 hexadecimal digits");
  std::memcpy(sum_.data(), bytes.data(), sizeof sum_);
}

void RowMultiset::add_sum(const Sum& words) noexcept {
  bool carry = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t partial = sum_[i] + words[i];
    const std::uint64_t total = partial + (carry ? 1 : 0);
    carry = partial < words[i] || total < partial;
    sum_[i] = total;
  }
}

void RowMultiset::add(const Digest& row) noexcept {
  Sum words{};
  static_assert(sizeof words == sizeof row);
  std::memcpy(words.data(), row.data(), sizeof words);
  add_sum(words);
  ++rows_;
}

void RowMultiset::add(const RowMultiset& other) noexcept {
  add_sum(other.sum_);
  rows_ += other.rows_;
}

std::string RowMultiset::sum_text() const {
  Digest bytes{};
  std::memcpy(bytes.data(), sum_.data(), sizeof sum_);
  return hex_of(bytes);
}

std::string RowMultiset::fingerprint() const {
  Sha256 hash;
  hash.add_text("sotto table 1");
  hash.add_number(rows_);
  for (const std::uint64_t word : sum_) hash.add_number(word);
  return hex_of(hash.finish());
}

TableEncoder::TableEncoder(const std::string& schema, std::vector<std::string> columns, LabelUse use,
                           RowHashing hashing)
    : encoder_(schema_from_json(schema)),
      values_(values_of(encoder_.schema())),
      table_(values_ > 0 ? RowShape::dense : RowShape::cells, std::move(columns), values_),
      hashing_(hashing),
      hashed_order_(order_by_name(table_.columns())),
      row_encoder_(encoder_, table_, use) {
  require(!encoder_.sparse(), "storage", "must be dense");
}

void TableEncoder::count() {
  tally_ = encoder_.empty_tally();
  row_encoder_.count_into(&tally_);
}

void TableEncoder::put(float* row, float& label) {
  std::copy(encoded_.values.begin(), encoded_.values.end(), row);
  label = encoded_.label;
}

// Rows of the other shape would be read where nothing is: whoever calls, it is refused here.
void TableEncoder::require_shape(bool array) const {
  if ((values_ > 0) == array) return;
  throw Error(ErrorKind::invalid_argument,
              array ? "row: columns were declared, not an array" : "row: an array was declared, not columns", "row");
}

void TableEncoder::hash_cells(std::span<const sotto_cell> cells) {
  Sha256 hash;
  for (const std::size_t column : hashed_order_) {
    hash.add_number(cells[column].data == nullptr ? 0 : 1);
    hash.add_text(view_of(cells[column]));
  }
  raw_.add(hash.finish());
}

void TableEncoder::encode_cells(std::span<const sotto_cell> cells, float* row, float& label) {
  require_shape(false);
  if (cells.size() != column_count())
    throw Error(ErrorKind::invalid_argument, "row: has another number of cells", "row");
  if (hashing_ == RowHashing::on) hash_cells(cells);
  texts_.clear();
  for (const sotto_cell& cell : cells) texts_.push_back(view_of(cell));
  RawRow raw;
  raw.cells = texts_;
  row_encoder_.encode(raw, encoded_);
  put(row, label);
}

// The bytes of add_text(label), add_text(values), in one piece: the calls would take longer than the hash.
void TableEncoder::hash_values(std::span<const double> values, std::string_view label) {
  const std::uint64_t sizes[] = {label.size(), values.size_bytes()};
  hashed_.resize(sizeof sizes + sizes[0] + sizes[1]);
  char* at = hashed_.data();
  const auto put_bytes = [&](const void* bytes, std::size_t size) {
    if (size > 0) std::memcpy(at, bytes, size);
    at += size;
  };
  static_assert(std::endian::native == std::endian::little);  // as add_number writes them
  put_bytes(&sizes[0], sizeof sizes[0]);
  put_bytes(label.data(), sizes[0]);
  put_bytes(&sizes[1], sizeof sizes[1]);
  put_bytes(values.data(), sizes[1]);
  Sha256 hash;
  hash.add(hashed_);
  raw_.add(hash.finish());
}

void TableEncoder::encode_values(std::span<const double> values, const sotto_cell& label, float* row,
                                 float& label_out) {
  require_shape(true);
  if (hashing_ == RowHashing::on) hash_values(values, view_of(label));
  numbers_.assign(values.begin(), values.end());
  if (values.size() != values_) numbers_.assign(values_, std::numeric_limits<double>::quiet_NaN());
  RawRow raw;
  raw.values = numbers_;
  raw.label = view_of(label);
  row_encoder_.encode(raw, encoded_);
  put(row, label_out);
}

}  // namespace sotto::capi

using namespace sotto;
using namespace sotto::capi;

sotto_status sotto_encoder_new(const char* schema, const char* const* columns, size_t column_count,
                               sotto_label_use label, sotto_encoder** encoder, sotto_error* error) {
  return guarded(error, [&] {
    const LabelUse use = label == SOTTO_LABEL_REQUIRED ? LabelUse::required : LabelUse::ignored;
    *encoder = new sotto_encoder{TableEncoder(schema, {columns, columns + column_count}, use)};
  });
}

void sotto_encoder_free(sotto_encoder* encoder) { delete encoder; }

sotto_facts sotto_encoder_facts(const sotto_encoder* encoder) {
  const Facts facts = encoder->table.facts();
  return {facts.rows, facts.features, facts.classes, facts.data_norm};
}

uint32_t sotto_encoder_values(const sotto_encoder* encoder) { return encoder->table.values(); }

sotto_status sotto_encode_cells(sotto_encoder* encoder, const sotto_cell* cells, float* row, float* label) {
  return guarded(nullptr, [&] { encoder->table.encode_cells({cells, encoder->table.column_count()}, row, *label); });
}

sotto_status sotto_encode_values(sotto_encoder* encoder, const double* values, size_t count, sotto_cell label,
                                 float* row, float* label_out) {
  return guarded(nullptr, [&] { encoder->table.encode_values({values, count}, label, row, *label_out); });
}

int sotto_encoder_usable(const sotto_encoder* encoder) { return encoder->table.usable() ? 1 : 0; }

sotto_status sotto_encoder_count(sotto_encoder* encoder) {
  return guarded(nullptr, [&] { encoder->table.count(); });
}

sotto_status sotto_encoder_check(const sotto_encoder* encoder, sotto_text* table, sotto_error* error) {
  return guarded(error, [&] {
    const RowCheck check = encoder->table.check();
    *table = copy_text(check_text(check));
    require_sound(check);
  });
}

void sotto_encoder_fingerprint(const sotto_encoder* encoder, char hex[65]) {
  guarded(nullptr, [&] { std::strcpy(hex, encoder->table.fingerprint().c_str()); });
}
