#include "sotto/train.h"

#include <memory>
#include <utility>

#include "bounds_flags.h"
#include "check.h"
#include "data_flags.h"
#include "personal.h"
#include "released_text.h"
#include "request.h"
#include "sotto/base/fields.h"
#include "sotto/base/out_file.h"
#include "sotto/data/encoder.h"
#include "sotto/files/load.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/training_ahead.h"
#include "source.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

struct TrainVerb {
  explicit TrainVerb(CLI::App& app) : request(app), schema(app), bounds(app, schema), personal(app), check(app) {
    add_threads(app);
    app.add_option("--data", data, "file to train on: CSV, TSV, LIBSVM, IDX (also .gz), or a block file")
        ->required()
        ->type_name("FILE");
    app.add_option("--out", out, "where the model is written")->type_name("FILE");
    app.add_option("--engine", engine,
                   "auto (in memory if the rows fit --memory-mb), in_memory or out_of_core (block files only)")
        ->type_name(one_of(choices_of<EngineKind>()))
        ->capture_default_str();
    add_count(app, "--memory-mb", memory_mb, "block files: all that is kept in memory; 0: half of the free memory")
        ->capture_default_str();
    add_count(app, "--order-seed", order_seed, "repeat the order of the rows; the guarantee does not rest on it");
    add_count(app, "--noise-seed", noise_seed, "repeat the noise, for tests and replication: the model is NOT PRIVATE");
    app.add_option("--ledger", ledger, "charge this ledger before a row is read; refused if it does not fit")
        ->type_name("FILE");
    app.add_flag("--again", again, "with a ledger: train and charge again although the same request was answered");
  }

  void run(const Output& output) const {
    require(!out.empty() || !ledger.empty(), "out",
            "say where the model is written, by --out FILE; without it the model would be lost (a --ledger keeps one)");
    TrainRequest asked = request.request();
    require(ledger.empty() || !schema.bounds_from_data(), "ledger",
            "takes private requests only; bounds must be declared, not taken from the rows");
    require(ledger.empty() || !personal.reads_data(), "personal_epsilon_column",
            "is read from the data before a ledger is charged; give the ledger --personal-epsilons, a file of its own");
    require(!bounds.wanted() || !personal.given(), "private_bounds",
            "take a share of one epsilon; with personal epsilons find bounds first, by 'data bounds'");
    require(!ledger.empty() || !again, "again", "is for training with a ledger");
    BitSource bits = noise_seed ? BitSource(ReproducibleSeed{*noise_seed}) : BitSource();
    std::optional<SqliteLedger> book;
    if (!ledger.empty()) book.emplace(ledger);
    const LedgerTerms* terms = book ? &book->terms() : nullptr;
    const EngineChoice choice{enum_by_name<EngineKind>(engine, "engine"), memory_mb};
    if (bounds.wanted()) check_text_engine(choice);  // before anything is paid for
    asked.check = check.hear(output);
    Source source = bounds.wanted() ? open_text(data, found_schema(asked, bits, book), choice, terms)
                                    : open_source(data, schema, choice, terms);
    take_schema(asked, source.schema);
    asked.order_seed = order_seed;
    asked.personal = personal.read(data, source.schema, source.block_file);
    asked.progress = [&output](double fraction) { output.progress("training", fraction); };
    const Released released = run_request(*source.rows, asked, bits, book);
    if (!out.empty()) write_file(out, released.text);
    print_released(output, asked, released, {!ledger.empty(), out});
  }

  /// Spends its share on the bounds and leaves the rest in the budget of the request.
  Schema found_schema(TrainRequest& asked, BitSource& bits, std::optional<SqliteLedger>& book) const {
    BoundsRequest wanted = bounds.share_of(asked.budget);
    // Neither is paid for unless both fit, whatever is found.
    TrainingAhead training(asked, book ? &*book : nullptr);
    const std::uint64_t rows = book ? book->terms().rows : count_rows(data, wanted.schema).value.rows;
    const BoundsPlan plan = plan_bounds(data, wanted, book ? &book->terms().columns : nullptr);
    training.require(possible_facts(plan, wanted, rows));
    wanted.leave = training.most();
    wanted.check = std::exchange(asked.check, {});  // later something would be charged already
    Schema found = book ? find_bounds(data, wanted, bits, {*book, again}).schema : find_bounds(data, wanted, bits);
    if (wanted.data_norm) found.data_norm = training.norm_for(*found.data_norm, Encoder(found).facts(rows));
    return found;
  }

  Released run_request(RowSource& rows, const TrainRequest& asked, BitSource& bits,
                       std::optional<SqliteLedger>& book) const {
    if (book) return train(rows, asked, bits, {*book, again});
    Released released;
    released.model = train(rows, asked, bits);
    released.text = model_text(released.model);
    return released;
  }

  RequestFlags request;
  SchemaFlags schema;
  TrainBoundsFlags bounds;
  PersonalFlags personal;
  CheckFlag check;
  std::string data;
  std::string out;
  std::string ledger;
  bool again = false;
  std::string engine = "auto";
  std::uint32_t memory_mb = 0;
  std::optional<std::uint64_t> order_seed;
  std::optional<std::uint64_t> noise_seed;
};

}  // namespace

void add_train(CLI::App& program, Output& output) {
  add<TrainVerb>(program, output, "train", "train a model on a file and print its privacy card");
}

}  // namespace sotto::cli
