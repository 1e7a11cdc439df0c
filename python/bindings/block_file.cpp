#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "bindings.h"
#include "rows.h"
#include "sotto/base/error.h"
#include "sotto/data/clip.h"
#include "sotto/data/schema_json.h"
#include "sotto/files/block_file/pack.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// A block file refuses rows that are too long or have no declared label; this clips the first and makes the second
/// zero rows, as the data set in memory does.
class ClippedRows final : public RowSink {
 public:
  ClippedRows(RowSink& next, double data_norm, std::uint32_t classes)
      : next_(next), data_norm_(data_norm), classes_(classes) {}
  void add_dense(std::span<const float> row, float label) override {
    const float kept = prepare(row, label);
    next_.add_dense(row_, kept);
  }
  void add_sparse(std::span<const std::uint32_t> columns, std::span<const float> values, float label) override {
    const float kept = prepare(values, label);
    next_.add_sparse(columns, row_, kept);
  }

 private:
  float prepare(std::span<const float> values, float label) {
    row_.assign(values.begin(), values.end());
    const bool declared = is_label(label, classes_);
    if (!declared) std::ranges::fill(row_, 0.0F);
    return enforce_norm(row_, data_norm_) && declared ? label : 1.0F;
  }
  RowSink& next_;
  double data_norm_;
  std::uint32_t classes_;
  std::vector<float> row_;
};

/// Streams arrays into a block file.
class BlockPacker {
 public:
  BlockPacker(const std::string& path, const Encoder& encoding, const nb::dict& about)
      : encoding_(encoding), features_(static_cast<std::uint32_t>(encoding.used_columns().size())) {
    const Facts facts = ArrayEncoder(encoding_, features_).facts(0, false);
    BlockFileSpec spec;
    spec.features = facts.features;
    spec.data_norm = facts.data_norm;
    spec.classes = facts.classes;
    // A file of the command line may declare more than an array needs.
    spec.metadata = about.contains("encoding") ? nb::cast<std::string>(about["encoding"]) : to_json(encoding_.schema());
    const auto fingerprint = nb::cast<std::string>(about["fingerprint"]);
    Digest digest;
    if (digest_from_hex(fingerprint, digest)) spec.fingerprint = digest;
    counted_ = about.contains("check") && nb::cast<bool>(about["check"]);
    PackOptions options;
    options.memory_mb = nb::cast<std::uint32_t>(about["memory_mb"]);
    writer_.emplace(path, spec, bits_, options);
  }
  void add(const Array& values, const CodeArray& codes) {
    require(writer_.has_value(), "path", "the file is finished");
    const DenseArray dense = dense_of(values);
    require(dense.features == features_, "X", "every batch must have the same features");
    const Codes labels = codes_of(&codes, dense.rows);
    const nb::gil_scoped_release unlocked;
    if (counted_) tally_.add(ArrayEncoder(encoding_, features_).tally(dense, labels, [] {}));
    ClippedRows clipped(*writer_, encoding_.data_norm(), encoding_.classes());
    ArrayEncoder(encoding_, features_).send(dense, labels, clipped);
  }
  std::uint64_t finish() {
    require(writer_.has_value(), "path", "the file is finished");
    const nb::gil_scoped_release unlocked;
    if (counted_) require_sound(check_of(encoding_, tally_));
    const std::uint64_t rows = writer_->finish().rows;
    writer_.reset();
    return rows;
  }

  bool check_is_notable() const { return counted_ && is_notable(check()); }
  RowCheck check() const { return check_of(encoding_, tally_.columns.empty() ? encoding_.empty_tally() : tally_); }

 private:
  Encoder encoding_;
  std::uint32_t features_;
  BitSource bits_;
  std::optional<BlockFileWriter> writer_;
  bool counted_ = false;
  RowTally tally_;
};

}  // namespace

void bind_block_file(nb::module_& module) {
  nb::class_<BlockPacker>(module, "BlockPacker", "Streams rows into a block file, shuffled, in bounded memory.")
      .def(nb::init<const std::string&, const Encoder&, const nb::dict&>(), nb::arg("path"), nb::arg("encoding"),
           nb::arg("about"))
      .def("add", &BlockPacker::add, nb::arg("values"), nb::arg("codes"))
      .def("finish", &BlockPacker::finish)
      .def_prop_ro("check_text", [](const BlockPacker& packer) { return check_text(packer.check()); })
      .def_prop_ro("check_is_notable", [](const BlockPacker& packer) { return packer.check_is_notable(); });
}

}  // namespace sotto::python
