#include "rows.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.h"
#include "interruptible.h"
#include "sotto/base/error.h"
#include "sotto/data/dataset.h"
#include "sotto/data/raw_row.h"
#include "sotto/data/schema_json.h"
#include "sotto/engines/file_rows.h"
#include "sotto/engines/in_memory.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/files/block_file/format.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// Values that are read in a moment: less than a thread and a look at signals are worth.
constexpr std::size_t kMoment = 1 << 20;

/// Reads `values` values by work that owns what it uses and calls what it is given from time to time.
template <class Result, class Work>
Result read_values(std::size_t values, Work work) {
  if (values > kMoment) {
    return interruptible<Result>(
        [work = std::move(work)](const Report& report) { return work([&report] { report(0); }); });
  }
  const nb::gil_scoped_release unlocked;
  return work([] {});
}

/// Passes rows on, and looks now and then whether anybody waits for them.
class WatchedSink final : public RowSink {
 public:
  WatchedSink(RowSink& next, const Look& look) : next_(next), look_(look) {}
  void add_dense(std::span<const float> row, float label) override {
    next_.add_dense(row, label);
    count(row.size());
  }
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override {
    next_.add_sparse(columns, values, label);
    count(values.size());
  }

 private:
  void count(std::size_t values) {
    values_ += values + 1;
    if (values_ < kMoment) return;
    values_ = 0;
    look_();
  }
  RowSink& next_;
  const Look& look_;
  std::size_t values_ = 0;
};

bool is_float(const Array& array, std::uint8_t bits) {
  return array.dtype() == nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), bits, 1};
}
bool is_integer(const Array& array, std::uint8_t bits) {
  return array.dtype() == nb::dlpack::dtype{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int), bits, 1};
}

bool all_declared(Codes codes, std::uint32_t classes) noexcept {
  return std::ranges::all_of(
      codes, [&](std::int32_t code) { return code >= 0 && static_cast<std::uint32_t>(code) < classes; });
}

Rows rows_of(Dataset built) {
  auto held = std::make_shared<const Dataset>(std::move(built));
  Rows rows;
  rows.facts = held->facts();
  rows.view = held->view();
  rows.owner = held;
  return rows;
}

/// Of an array, or none; the array itself, as a converted copy would be gone when they are read.
Codes codes_in(const nb::object& codes, std::size_t rows) {
  if (codes.is_none()) return {};
  const CodeArray array = nb::cast<CodeArray>(codes, false);
  return codes_of(&array, rows);
}

std::uint64_t checksum_of(const float* values, std::size_t count) noexcept {
  return checksum(std::as_bytes(std::span(values, count)), 0);
}

/// Rows in an array that its owner may write to while they are read.
class BorrowedEngine final : public InMemoryEngine {
 public:
  explicit BorrowedEngine(const Rows& rows)
      : InMemoryEngine(rows.facts, rows.view, rows.owner), view_(rows.view), checksum_(rows.checksum) {}
  void require_unchanged() const override {
    if (checksum_of(view_.dense, view_.rows * view_.features) == checksum_) return;
    throw Error(
        ErrorKind::invalid_data,
        "X: was changed while it was read, so that no guarantee holds; nothing is released, and what was charged "
        "stays charged",
        "X");
  }

 private:
  RowBlock view_;
  std::uint64_t checksum_;
};

/// The caller's values with labels of our own.
struct BorrowedRows {
  std::vector<float> labels;
  std::shared_ptr<const void> array;
};

Rows borrow(const DenseArray& dense, Codes codes, const ArrayEncoder& encoder, std::shared_ptr<const void> array) {
  auto held = std::make_shared<BorrowedRows>();
  held->array = std::move(array);
  held->labels.resize(dense.rows);
  for (std::size_t i = 0; i < dense.rows; ++i) held->labels[i] = label_of(codes, i, encoder.encoder().classes());
  Rows rows;
  rows.facts = encoder.facts(dense.rows, false);
  rows.view.rows = dense.rows;
  rows.view.features = dense.features;
  rows.view.labels = held->labels.data();
  rows.view.dense = static_cast<const float*>(dense.data);
  rows.owner = std::move(held);
  rows.copied = false;
  return rows;
}

/// Without a copy where that can be: the checksum first, so that no change after it goes unnoticed.
std::optional<Rows> borrowed(const DenseArray& dense, Codes codes, const ArrayEncoder& encoder,
                             const std::shared_ptr<const void>& array) {
  if (!all_declared(codes, encoder.encoder().classes()) || !encoder.has_stored_form(dense)) return std::nullopt;
  const std::uint64_t before = checksum_of(static_cast<const float*>(dense.data), dense.rows * dense.features);
  if (!encoder.usable_as_they_are(dense)) return std::nullopt;
  Rows rows = borrow(dense, codes, encoder, array);
  rows.checksum = before;
  return rows;
}

template <class Values>
std::optional<RowCheck> check_if(bool counted, const ArrayEncoder& encoder, const Values& values, Codes codes,
                                 const Look& look) {
  if (!counted) return std::nullopt;
  return check_of(encoder.encoder(), encoder.tally(values, codes, look));
}

Rows with(Rows rows, const std::optional<RowCheck>& check) {
  rows.check = check;
  return rows;
}

Rows dense_rows(nb::object values, nb::object codes, const Encoder& encoding, bool counted) {
  const Array array = nb::cast<Array>(values);
  const DenseArray dense = dense_of(array);
  const Codes labels = codes_in(codes, dense.rows);
  const ArrayEncoder check(encoding, dense.features);
  const std::shared_ptr<const void> held = keep(std::move(values));
  return read_values<Rows>(dense.rows * dense.features,
                           [dense, labels, encoding, held, counted, kept = keep(codes)](const Look& look) {
                             const ArrayEncoder encoder(encoding, dense.features);
                             const auto found = check_if(counted, encoder, dense, labels, look);
                             if (auto rows = borrowed(dense, labels, encoder, held))
                               return with(std::move(*rows), found);
                             DatasetBuilder builder(encoder.facts(dense.rows, false));
                             WatchedSink watched(builder, look);
                             encoder.send(dense, labels, watched);
                             return with(rows_of(builder.finish()), found);
                           });
}

struct SparseParts {
  Array values;
  Array columns;
  Array offsets;
};

void check_parts(const SparseParts& parts) {
  const bool shapes = parts.values.ndim() == 1 && parts.columns.ndim() == 1 && parts.offsets.ndim() == 1 &&
                      parts.offsets.shape(0) >= 1 && parts.values.shape(0) == parts.columns.shape(0);
  require(shapes, "X", "the parts of a sparse matrix do not belong together");
  const auto in_order = [](const Array& part) { return part.shape(0) < 2 || part.stride(0) == 1; };
  require(in_order(parts.values) && in_order(parts.columns) && in_order(parts.offsets), "X",
          "the parts of a sparse matrix must be contiguous");
  const bool types = (is_float(parts.values, 32) || is_float(parts.values, 64)) &&
                     (is_integer(parts.columns, 32) || is_integer(parts.columns, 64)) &&
                     (is_integer(parts.offsets, 32) || is_integer(parts.offsets, 64));
  require(types, "X", "a sparse matrix must have float32 or float64 values and int32 or int64 indices");
}

Rows sparse_rows(const nb::tuple& matrix, const nb::object& codes, const Encoder& encoding, bool counted) {
  const SparseArray sparse = sparse_of(matrix);
  const Codes labels = codes_in(codes, sparse.rows);
  const ArrayEncoder check(encoding, sparse.features);
  return read_values<Rows>(
      sparse.entries, [sparse, labels, encoding, counted, held = keep(matrix), kept = keep(codes)](const Look& look) {
        const ArrayEncoder encoder(encoding, sparse.features);
        const auto found = check_if(counted, encoder, sparse, labels, look);
        DatasetBuilder builder(encoder.facts(sparse.rows, true));
        WatchedSink watched(builder, look);
        encoder.send(sparse, labels, watched);
        return with(rows_of(builder.finish()), found);
      });
}

Rows block_rows(const std::string& path) {
  const BlockFile file(path);
  Rows rows;
  rows.facts = file.facts();
  rows.path = path;
  rows.source = sotto::block_rows(file, {});
  try {
    rows.schema = schema_from_json(file.metadata());
  } catch (const Error& error) {
    throw Error(ErrorKind::invalid_data, std::string("block file: its declarations are not a schema; ") + error.what(),
                error.field());
  }
  rows.fingerprint = file.fingerprint();
  return rows;
}

/// The fingerprint of arrays: values, then the text of each row's label.
template <class Values>
Digest fingerprint_of_values(const Values& values, Codes codes, const std::vector<std::string>& classes,
                             const Look& look) {
  Sha256 hash;
  hash.add_text("sotto array 1");
  add_values(hash, values, look);
  for (const std::int32_t code : codes) {
    const bool known = code >= 0 && static_cast<std::size_t>(code) < classes.size();
    hash.add_text(known ? classes[static_cast<std::size_t>(code)] : "");
  }
  return hash.finish();
}

std::string fingerprint_dense(const nb::object& values, const nb::object& codes,
                              const std::vector<std::string>& classes) {
  const DenseArray dense = dense_of(nb::cast<Array>(values));
  const Codes labels = codes_in(codes, dense.rows);
  const auto work = [held = keep(values), kept = keep(codes), dense, labels, classes](const Look& look) {
    return fingerprint_of_values(dense, labels, classes, look);
  };
  return hex_of(read_values<Digest>(dense.rows * dense.features, work));
}

std::string fingerprint_sparse(const nb::tuple& matrix, const nb::object& codes,
                               const std::vector<std::string>& classes) {
  const SparseArray sparse = sparse_of(matrix);
  const Codes labels = codes_in(codes, sparse.rows);
  const auto work = [held = keep(matrix), kept = keep(codes), sparse, labels, classes](const Look& look) {
    return fingerprint_of_values(sparse, labels, classes, look);
  };
  return hex_of(read_values<Digest>(sparse.entries, work));
}

}  // namespace

std::unique_ptr<Engine> Rows::open() const {
  if (path.empty() && !copied) return std::make_unique<BorrowedEngine>(*this);
  if (path.empty()) return std::make_unique<InMemoryEngine>(facts, view, owner);
  return source->open();
}

SparseArray sparse_of(const nb::tuple& matrix) {
  const SparseParts parts{nb::cast<Array>(matrix[0]), nb::cast<Array>(matrix[1]), nb::cast<Array>(matrix[2])};
  check_parts(parts);
  SparseArray sparse;
  sparse.values = parts.values.data();
  sparse.doubles = is_float(parts.values, 64);
  sparse.columns = parts.columns.data();
  sparse.wide_columns = is_integer(parts.columns, 64);
  sparse.offsets = parts.offsets.data();
  sparse.wide_offsets = is_integer(parts.offsets, 64);
  sparse.rows = parts.offsets.shape(0) - 1;
  sparse.entries = parts.values.shape(0);
  sparse.features = nb::cast<std::uint32_t>(matrix[3]);
  return sparse;
}

DenseArray dense_of(const Array& array) {
  require(array.ndim() == 2, "X", "got an array of " + std::to_string(array.ndim()) + " dimensions, 2 are required");
  require(is_float(array, 32) || is_float(array, 64), "X", "must be an array of float32 or float64");
  DenseArray dense;
  dense.data = array.data();
  dense.doubles = is_float(array, 64);
  dense.rows = array.shape(0);
  require(array.shape(1) < kMaxFeatures, "X", "has too many features");
  dense.features = static_cast<std::uint32_t>(array.shape(1));
  dense.row_stride = array.stride(0);
  dense.column_stride = array.stride(1);
  return dense;
}

Codes codes_of(const CodeArray* codes, std::size_t rows) {
  if (codes == nullptr) return {};
  require(codes->shape(0) == rows, "y",
          "got " + std::to_string(codes->shape(0)) + " labels for " + std::to_string(rows) + " rows");
  return {codes->data(), codes->shape(0)};
}

void bind_rows(nb::module_& module) {
  nb::class_<Rows>(module, "Rows", "Encoded rows: in memory, or a block file.")
      .def_prop_ro("rows", [](const Rows& r) { return r.facts.rows; })
      .def_prop_ro("features", [](const Rows& r) { return r.facts.features; })
      .def_prop_ro("data_norm", [](const Rows& r) { return r.facts.data_norm; })
      .def_prop_ro("classes", [](const Rows& r) { return r.facts.classes; })
      .def_prop_ro("sparse", [](const Rows& r) { return r.facts.sparse; })
      .def_prop_ro("copied", [](const Rows& r) { return r.copied; })
      .def_prop_ro("path", [](const Rows& r) { return r.path; })
      .def_prop_ro("encoding", [](const Rows& r) { return to_json(r.schema); })
      .def_prop_ro("fingerprint", [](const Rows& r) { return r.fingerprint ? hex_of(*r.fingerprint) : std::string(); });
  module.def("dense_rows", &dense_rows, nb::arg("values"), nb::arg("codes").none(), nb::arg("encoding"),
             nb::arg("counted") = false);
  module.def("sparse_rows", &sparse_rows, nb::arg("matrix"), nb::arg("codes").none(), nb::arg("encoding"),
             nb::arg("counted") = false);
  module.def("block_rows", &block_rows, nb::arg("path"));
  module.def("fingerprint_dense", &fingerprint_dense, nb::arg("values"), nb::arg("codes"), nb::arg("classes"));
  module.def("fingerprint_sparse", &fingerprint_sparse, nb::arg("matrix"), nb::arg("codes"), nb::arg("classes"));
}

}  // namespace sotto::python
