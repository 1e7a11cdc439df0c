#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/catalog.h"
#include "sotto/data/facts.h"

/// What is declared in public about a file before any row is read (spec 8): how it is written, what its columns are,
/// which values they may take, how rows become vectors. A model stores it and predicts from raw columns with it.
namespace sotto {

/// A public interval. Values outside are moved to its nearer end.
struct Range {
  double min = 0.0;
  double max = 1.0;
  bool operator==(const Range&) const = default;
};

enum class NumericScale { linear, log1p };
constexpr auto enum_names(NumericScale) {
  return std::array{std::pair{std::string_view("linear"), NumericScale::linear},
                    std::pair{std::string_view("log1p"), NumericScale::log1p}};
}

/// One feature: (v - min) / (max - min), or log(1 + v - min) / log(1 + max - min), in [0, 1]. Without a range the value
/// passes as it is, which needs a declared data_norm. With texts that mean a missing value there is a second feature,
/// which is 1 for those and 0 for numbers; the first is 0 for them. So a cell gives one entry, of at most 1 in a range.
struct NumericColumn {
  static constexpr std::string_view kName = "numeric";
  static constexpr std::string_view kSummary = "a number, scaled from its declared range to [0, 1]";
  std::optional<Range> range;
  NumericScale scale = NumericScale::linear;
  std::vector<std::string> missing = {};
  bool operator==(const NumericColumn&) const = default;
};

/// One feature a listed value, 1 where the cell has that value. A value that is not listed gives zeros: it is the
/// nameless other value, not an error.
struct CategoryColumn {
  static constexpr std::string_view kName = "category";
  static constexpr std::string_view kSummary = "a text out of a declared list, one feature a value";
  std::vector<std::string> values;
  bool operator==(const CategoryColumn&) const = default;
};

struct IgnoredColumn {
  static constexpr std::string_view kName = "ignore";
  static constexpr std::string_view kSummary = "read past";
  bool operator==(const IgnoredColumn&) const = default;
};

using ColumnKind = std::variant<NumericColumn, CategoryColumn, IgnoredColumn>;

struct Column {
  std::string name;  ///< in a file without header and names: its 1-based position
  ColumnKind kind;
  bool is_public = true;  ///< false: suggested from the rows (draft.h), and not confirmed yet
  bool operator==(const Column&) const = default;
};

/// The label: its public classes. Either `classes` lists one text per class, two being negative and positive; or, for
/// two classes, `positive` and `negative` list the texts that mean each. Texts that both spell numbers are compared as
/// numbers; "*" means every text that is not listed elsewhere. Any other text makes the row the zero row.
struct Label {
  std::string column;  ///< a name, or a 1-based position in a file without header; unused for LIBSVM and IDX
  std::vector<std::string> positive = {"1", "+1", "1.0"};
  std::vector<std::string> negative = {"-1", "0", "-1.0", "0.0"};
  std::vector<std::string> classes = {};  ///< empty: two classes, by the lists above
  bool is_public = true;                  ///< as of a column
  bool operator==(const Label&) const = default;
};

/// How many classes are declared, at least 2.
std::uint32_t class_count(const Label& label) noexcept;
/// One text per class, in the order of the labels: those of `classes`, or the first of `negative` and of `positive`.
std::vector<std::string> class_texts(const Label& label);

struct NoProjection {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary = "features as encoded";
  static constexpr auto fields() { return std::tuple{}; }
  bool operator==(const NoProjection&) const = default;
};
struct GaussianProjection {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kSummary = "random projection to fewer dimensions, entries N(0, 1/dimensions)";
  std::uint32_t dimensions = 0;  ///< 0 = not declared
  std::uint64_t key = 0;
  static constexpr auto fields() {
    return std::tuple{
        field("dimensions", &GaussianProjection::dimensions, "dimensions a projection leaves; to declare"),
        field("key", &GaussianProjection::key, "public key the matrix is drawn from")};
  }
  bool operator==(const GaussianProjection&) const = default;
};
struct ChooseFeatures {
  static constexpr std::string_view kName = "choose_features";
  static constexpr std::string_view kSummary = "a random choice of the features; the intercept stays in addition";
  std::uint32_t dimensions = 0;  ///< 0 = not declared
  std::uint64_t key = 0;
  static constexpr auto fields() {
    return std::tuple{field("dimensions", &ChooseFeatures::dimensions, "features to keep; to declare"),
                      field("key", &ChooseFeatures::key, "public key the choice is drawn from")};
  }
  bool operator==(const ChooseFeatures&) const = default;
};
using Reduction = std::variant<NoProjection, GaussianProjection, ChooseFeatures>;

enum class FileFormat { automatic, csv, libsvm, idx };
constexpr auto enum_names(FileFormat) {
  return std::array{
      std::pair{std::string_view("auto"), FileFormat::automatic}, std::pair{std::string_view("csv"), FileFormat::csv},
      std::pair{std::string_view("libsvm"), FileFormat::libsvm}, std::pair{std::string_view("idx"), FileFormat::idx}};
}
/// Whether the first line of a delimited text names the columns. Names are public: they stand in models, schemas and
/// messages. `automatic` takes the line for names too, but refuses one in which any name spells a number, as it is
/// likely a row; `present` is the word of the file's holder and takes numbers for names as well.
enum class HeaderLine { automatic, present, absent };
constexpr auto enum_names(HeaderLine) {
  return std::array{std::pair{std::string_view("auto"), HeaderLine::automatic},
                    std::pair{std::string_view("true"), HeaderLine::present},
                    std::pair{std::string_view("false"), HeaderLine::absent}};
}
enum class Storage { automatic, dense, sparse };
constexpr auto enum_names(Storage) {
  return std::array{std::pair{std::string_view("auto"), Storage::automatic},
                    std::pair{std::string_view("dense"), Storage::dense},
                    std::pair{std::string_view("sparse"), Storage::sparse}};
}

/// What it cost to find bounds in the rows, where they were found privately (bounds.h).
struct BoundsCost {
  struct Spent {
    std::string event;
    double epsilon = 0;
    std::uint64_t times = 1;
    bool operator==(const Spent&) const = default;
  };
  std::string relation;
  double epsilon = 0;
  double delta = 0;
  std::vector<Spent> events;
  std::string ledger;  ///< id of the ledger that was charged; empty: none was
  bool operator==(const BoundsCost&) const = default;
};

struct Schema {
  FileFormat format = FileFormat::automatic;  ///< automatic: by the file's name
  std::string separator = "auto";             ///< "auto", "blank", "tab" or one character
  HeaderLine header = HeaderLine::automatic;
  std::vector<std::string> names;  ///< column names of a file without a header
  std::uint32_t skip_lines = 0;
  std::string labels_file;  ///< IDX: where the labels are; empty: beside the items, by the usual name

  std::vector<Column> columns;
  std::optional<Range> range;  ///< of every numeric column that declares none
  std::uint32_t features = 0;  ///< LIBSVM: the number of features; 0 = not declared
  Label label;

  std::optional<double> data_norm;  ///< rows are clipped to this L2 norm, last; 1 when everything has a range
  std::optional<double> intercept;  ///< a constant feature of this value, 0 for none; see mark_complete
  Reduction projection;
  Storage storage = Storage::automatic;

  bool complete = false;                  ///< columns lists every column of the file the model was trained from
  bool bounds_from_data = false;          ///< something here was read from the rows: the model is not private
  std::optional<BoundsCost> bounds_cost;  ///< something here was found in the rows, privately, for this

  static constexpr auto fields() {
    return std::tuple{
        field("format", &Schema::format, "how the file is written; auto goes by its name"),
        field("separator", &Schema::separator, "between cells: auto, blank, tab or one character"),
        field("header", &Schema::header,
              "whether the first line names the columns; auto: it does, and is refused if a name is a number"),
        field("skip_lines", &Schema::skip_lines, "lines to pass over before the header or the first row"),
        field("labels_file", &Schema::labels_file, "IDX: the file of labels, if not beside the items"),
        field("features", &Schema::features, "LIBSVM: the public number of features"),
        field("data_norm", &Schema::data_norm, "public bound on a row's L2 norm; longer rows are clipped to it"),
        field("intercept", &Schema::intercept,
              "value of the constant feature that is appended, mostly 1 if it is not said; 0 for none"),
        field("storage", &Schema::storage, "how encoded rows are kept; auto chooses by the declared columns")};
  }
  bool operator==(const Schema&) const = default;
};

/// The columns whose declarations were suggested from the rows and are not confirmed, and "label" for its classes. A
/// model that is trained with any is not private.
std::vector<std::string> unconfirmed(const Schema& schema);
/// The word of the holder that everything declared here is public.
void confirm(Schema& schema) noexcept;
/// "age, job and 3 more".
std::string list_of(const std::vector<std::string>& names);

/// The bound rows are clipped to: data_norm, or 1 when it is not declared.
double row_norm_bound(const Schema& schema) noexcept;

/// Throws Error{invalid_argument} naming the field if the declarations contradict each other or themselves.
void check_schema(const Schema& schema);

/// Throws Error{invalid_argument} that lists what must still be declared about a file with these columns: a label
/// column that is there, a kind and range for each other one unless `range` or `data_norm` covers it. Column names are
/// shown only if the label's is among them and no lines are skipped, as otherwise the names may be a row.
void check_declared(const Schema& schema, const std::vector<std::string>& column_names);

/// The declarations made explicit for a file with these columns: every column of the file in its order, `complete`
/// set, and a header that was taken for granted declared. Checks first.
Schema complete_schema(Schema schema, const std::vector<std::string>& column_names);

/// Every column is listed: from here on no file decides what is a name. An intercept that was left open is 1, beside
/// features in [0, 1]; beside numbers that are taken as they are it is at most data_norm, or rows would be clipped to
/// little else.
void mark_complete(Schema& schema) noexcept;
/// The intercept of a complete schema; one that was stored without has none.
double intercept_of(const Schema& schema) noexcept;

const Column* find_column(const Schema& schema, std::string_view name) noexcept;

}  // namespace sotto
