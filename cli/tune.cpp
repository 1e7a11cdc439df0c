#include "sotto/tune.h"

#include <memory>

#include "check.h"
#include "data_flags.h"
#include "released_text.h"
#include "request.h"
#include "sotto/base/out_file.h"
#include "sotto/files/block_file/block_file.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "source.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

struct TuneVerb {
  explicit TuneVerb(CLI::App& app) : request(app), schema(app), check(app) {
    add_threads(app);
    app.add_option("--data", data, "file to train on: CSV, TSV, LIBSVM, IDX (also .gz), or a block file")
        ->required()
        ->type_name("FILE");
    app.add_option("--public-data", public_data, "public: rows to tune on, with the same columns")->type_name("FILE");
    app.add_option("--public-labels-file", public_labels_file,
                   "IDX: the file with the labels of --public-data, if it is not beside it")
        ->type_name("FILE");
    app.add_option("--out", out, "where the model is written")->type_name("FILE");
    app.add_option("--grid", grid, "what is tried: \"lambda=1e-4,1e-3;passes=5,10\"")->required()->type_name("");
    app.add_option("--tune-by", tune_by, "how the best is found: public, parts or random_stopping")
        ->type_name(one_of(choices_of<TuneBy>()))
        ->capture_default_str();
    add_count(app, "--mean-runs", mean_runs, "random_stopping: the mean of the secret number of runs")
        ->capture_default_str();
    add_count(app, "--noise-seed", noise_seed, "repeat the noise, for tests and replication: the model is NOT PRIVATE");
    app.add_option("--ledger", ledger, "charge this ledger before a row is read; refused if it does not fit")
        ->type_name("FILE");
    app.add_flag("--again", again, "with a ledger: tune and charge again although the same request was answered");
  }

  void run(const Output& output) const {
    require(!out.empty() || !ledger.empty(), "out",
            "say where the model is written, by --out FILE; without it the model would be lost (a --ledger keeps one)");
    TuneRequest asked;
    asked.train = request.request();
    asked.grid = parse_grid(grid);
    asked.by = enum_by_name<TuneBy>(tune_by, "tune_by");
    asked.mean_runs = mean_runs;
    asked.train.check = check.hear(output);
    asked.train.progress = [&output](double fraction) { output.progress("tuning", fraction); };
    require(ledger.empty() || !schema.bounds_from_data(), "ledger",
            "takes private requests only; bounds must be declared, not taken from the rows");
    require(!ledger.empty() || !again, "again", "is for tuning with a ledger");
    require(public_labels_file.empty() || !public_data.empty(), "public_labels_file", "is about --public-data");
    require(public_data.empty() || asked.by == TuneBy::public_data, "public_data", "is for --tune-by public only");
    std::optional<SqliteLedger> book;
    if (!ledger.empty()) book.emplace(ledger);
    Source source = open_source(data, schema, {}, book ? &book->terms() : nullptr);
    std::optional<Source> open_rows;
    if (!public_data.empty()) open_rows = open_public(book ? &book->terms() : nullptr);
    take_schema(asked.train, source.schema);
    BitSource bits = noise_seed ? BitSource(ReproducibleSeed{*noise_seed}) : BitSource();
    RowSource* public_rows = open_rows ? open_rows->rows.get() : nullptr;
    const Released released = run_request(*source.rows, public_rows, asked, {book, bits});
    if (!out.empty()) write_file(out, released.text);
    print_released(output, asked.train, released, {!ledger.empty(), out});
  }

  /// The declarations are those of --data; a file of labels belongs to its rows.
  Source open_public(const LedgerTerms* terms) const {
    if (is_block_file(public_data)) return open_source(public_data, schema, {}, terms);
    Schema declared = schema.schema(public_data);
    declared.labels_file = public_labels_file;
    return open_text(public_data, declared, {}, terms);
  }

  struct Charging {
    std::optional<SqliteLedger>& book;
    BitSource& bits;
  };
  Released run_request(RowSource& rows, RowSource* public_rows, const TuneRequest& asked, Charging to) const {
    if (to.book) return tune(rows, public_rows, asked, {{*to.book, again}, to.bits});
    require(public_rows == nullptr || public_rows->fingerprint() != rows.fingerprint(), "public_data",
            "are the rows to train on; they are not public");
    const std::unique_ptr<Engine> open_engine = public_rows != nullptr ? public_rows->open() : nullptr;
    Released released;
    check_rows(rows, asked.train.check, RowSource::Opening::plain);
    released.model = tune(*rows.open(), open_engine.get(), asked, to.bits);
    released.text = model_text(released.model);
    return released;
  }

  RequestFlags request;
  SchemaFlags schema;
  CheckFlag check;
  std::string data;
  std::string public_data;
  std::string public_labels_file;
  std::string out;
  std::string grid;
  std::string tune_by = "random_stopping";
  std::uint32_t mean_runs = 10;
  std::string ledger;
  bool again = false;
  std::optional<std::uint64_t> noise_seed;
};

}  // namespace

void add_tune(CLI::App& program, Output& output) {
  add<TuneVerb>(program, output, "tune", "find parameters privately, train with them, print the card");
}

}  // namespace sotto::cli
