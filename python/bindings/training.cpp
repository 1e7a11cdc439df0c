#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "interruptible.h"
#include "request.h"
#include "rows.h"
#include "sotto/base/error.h"
#include "sotto/bounds.h"
#include "sotto/catalogue.h"
#include "sotto/files/fingerprint.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/quote_json.h"
#include "sotto/train.h"
#include "sotto/tune.h"
#include "sotto/warnings.h"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// Rows for the library's training under a ledger.
class SharedRows final : public RowSource {
 public:
  SharedRows(const Rows& rows, bool part) : rows_(rows), part_(part) {}
  /// A block file's header names the data it was made from; how many rows there are it cannot name. A ledger that does
  /// not tell has 0.
  Facts facts(std::uint64_t rows) const override {
    if (part_ || rows == 0 || rows == rows_.facts.rows) return rows_.facts;
    throw Error(ErrorKind::invalid_data, "data: has not the " + std::to_string(rows) + " rows the ledger was made for",
                "data");
  }
  Digest fingerprint() const override { return rows_.fingerprint.value_or(Digest{}); }
  std::unique_ptr<Engine> open() override { return rows_.open(); }
  /// An array in memory is whoever calls fit's; its engine looks at the end whether it stayed as it was.
  Opened open_fingerprinted() override {
    if (rows_.source) return rows_.source->open_fingerprinted();
    return {rows_.open(), fingerprint()};
  }
  /// They were counted when they were encoded.
  std::optional<RowCheck> check(Opening /*way*/) override { return rows_.check; }

 private:
  const Rows& rows_;
  bool part_;
};

/// What the caller, who has the rows, is told about them. Not for release.
struct Heard {
  std::string text;  ///< empty: nothing was checked
  bool notable = false;
};

/// How a training is run, what it is charged to, and what is known about its rows.
struct RunOptions {
  std::string encoding = "{}";           ///< of rows in memory; a block file has its own
  std::vector<std::string> not_private;  ///< why their preparation was not private
  std::optional<FoundNorm> found_norm;   ///< what they are clipped to, if it was found in them
  std::optional<PersonalEpsilons> personal;
  std::optional<std::uint64_t> order_seed;
  std::optional<std::uint64_t> noise_seed;
  std::string ledger;       ///< a path; empty: none
  std::string fingerprint;  ///< what the ledger knows the rows by
  bool part = false;        ///< of the ledger's data
  bool again = false;
  std::optional<double> norm_assumed;  ///< TrainRequest
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
};

using Epsilons = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// What a run was asked for.
struct Asked {
  Rows rows;
  TrainRequest request;
  RunOptions options;
};

TrainRequest with_options(TrainRequest request, const Rows& rows, const RunOptions& options) {
  request.not_private = options.not_private;
  if (!rows.schema.complete) {
    request.encoding = options.encoding;
  } else {
    take_schema(request, rows.schema);
  }
  if (options.order_seed) request.order_seed = options.order_seed;
  request.personal = options.personal;
  if (rows.check) {
    request.check = [heard = options.heard](const RowCheck& check) { *heard = {check_text(check), is_notable(check)}; };
  }
  if (options.norm_assumed) request.norm_assumed = options.norm_assumed;
  if (!options.found_norm) return request;
  request.bounds_cost = options.found_norm->cost;
  for (const std::string& why : options.found_norm->not_private) request.not_private.push_back(why);
  return request;
}

/// A training on the rows alone, or under a ledger, where what was reserved stays spent, however this ends.
template <class Alone, class UnderLedger>
Released on_ledger_or_alone(const Asked& asked, const Alone& alone, const UnderLedger& under) {
  const RunOptions& options = asked.options;
  BitSource bits = options.noise_seed ? BitSource(ReproducibleSeed{*options.noise_seed}) : BitSource();
  if (!options.ledger.empty()) {
    SqliteLedger open(options.ledger);
    SharedRows source(asked.rows, options.part);
    return under(source, ChargedTo{{open, options.again, options.part}, bits});
  }
  Released made;
  SharedRows source(asked.rows, false);
  made.model = alone(source, bits);
  made.text = model_text(made.model);
  return made;
}

Released work(Asked asked, const Report& report) {
  TrainRequest& request = asked.request;
  request.progress = report;
  return on_ledger_or_alone(
      asked, [&](RowSource& rows, BitSource& bits) { return train(rows, request, bits); },
      [&](RowSource& rows, const ChargedTo& to) { return train(rows, request, to.bits, to.use); });
}

Released tune_work(const Asked& asked, TuneRequest request, const Report& report) {
  request.train = asked.request;
  request.train.progress = report;
  return on_ledger_or_alone(
      asked,
      [&](RowSource& rows, BitSource& bits) {
        check_rows(rows, request.train.check, RowSource::Opening::plain);
        return tune(*rows.open(), nullptr, request, bits);
      },
      [&](RowSource& rows, const ChargedTo& to) { return tune(rows, nullptr, request, to); });
}

Asked asked_for(const Rows& rows, const GivenFields& given, const RunOptions& options) {
  Asked asked{rows, with_options(request_from(given), rows, options), options};
  Digest fingerprint{};
  if (digest_from_hex(options.fingerprint, fingerprint)) asked.rows.fingerprint = fingerprint;
  if (options.norm_assumed && asked.rows.check) asked.rows.check->norm_declared = false;
  return asked;
}

nb::tuple told(const TrainRequest& request, Released made) {
  std::vector<std::pair<std::string, std::string>> warned;
  for (Warning& each : warnings_of(request, made.model.card)) {
    warned.emplace_back(std::move(each.code), std::move(each.text));
  }
  return nb::make_tuple(nb::cast(std::move(made.model)), made.text, made.stored, warned);
}

nb::tuple run_training(const Rows& rows, const GivenFields& given, const RunOptions& options,
                       const nb::object& progress) {
  const Asked asked = asked_for(rows, given, options);
  return told(asked.request,
              interruptible<Released>([asked](const Report& report) { return work(asked, report); }, progress));
}

/// `by`, and the mean number of runs.
using How = std::pair<std::string, std::uint32_t>;

/// Tries every setting of the grid, on these rows alone.
nb::tuple run_tuning(const Rows& rows, const GivenFields& given, const RunOptions& options,
                     const std::vector<Setting>& grid, const How& how, const nb::object& progress) {
  TuneRequest request;
  request.grid = grid;
  request.by = enum_by_name<TuneBy>(how.first, "by");
  request.mean_runs = how.second;
  require(request.by != TuneBy::public_data, "by",
          "public rows cost nothing: tune on them by any means, and train on these rows with what was found");
  const Asked asked = asked_for(rows, given, options);
  return told(asked.request,
              interruptible<Released>(
                  [asked, request](const Report& report) { return tune_work(asked, request, report); }, progress));
}

/// JSON, text and words of a card.
using ShownCard = std::tuple<std::string, std::string, std::string>;

ShownCard planned_card(const Facts& facts, const TrainRequest& request, const std::string& ledger) {
  if (ledger.empty()) {
    const PrivacyCard card = card_of(request, facts);
    return {planned_json(request, card).dump(2), card_text(card), card_words(card)};
  }
  SqliteLedger open(ledger);
  const Quote quoted = quote(request, facts, open);
  return {to_json(quoted).dump(2), quote_text(quoted), card_words(card_of(quoted))};
}

ShownCard plan_card(const nb::dict& facts, const GivenFields& given, const std::string& ledger,
                    std::optional<double> norm_assumed) {
  TrainRequest request = request_from(given);
  request.norm_assumed = norm_assumed;
  return interruptible<ShownCard>([about = facts_from(facts), request = std::move(request), ledger](const Report&) {
    return planned_card(about, request, ledger);
  });
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("catalog", [] { return catalogue().dump(); });
  nb::class_<RunOptions>(module, "RunOptions", "How a training is run and what it is charged to.")
      .def(nb::init<>())
      .def_rw("encoding", &RunOptions::encoding)
      .def_rw("not_private", &RunOptions::not_private)
      .def_rw("found_norm", &RunOptions::found_norm)
      .def_rw("order_seed", &RunOptions::order_seed)
      .def_rw("noise_seed", &RunOptions::noise_seed)
      .def_rw("ledger", &RunOptions::ledger)
      .def_rw("fingerprint", &RunOptions::fingerprint)
      .def_rw("part", &RunOptions::part)
      .def_rw("again", &RunOptions::again)
      .def_rw("norm_assumed", &RunOptions::norm_assumed)
      .def_prop_ro("check_text", [](const RunOptions& options) { return options.heard->text; })
      .def_prop_ro("check_is_notable", [](const RunOptions& options) { return options.heard->notable; })
      .def(
          "promise",
          [](RunOptions& options, const Epsilons& values) {
            options.personal = personal_epsilons(std::span(values.data(), values.size()));
          },
          nb::arg("personal_epsilons"));
  module.def("train", &run_training, nb::arg("rows"), nb::arg("fields"), nb::arg("options"),
             nb::arg("progress").none() = nb::none());
  module.def("tune", &run_tuning, nb::arg("rows"), nb::arg("fields"), nb::arg("options"), nb::arg("grid"),
             nb::arg("how"), nb::arg("progress").none() = nb::none());
  module.def(
      "chosen_setting",
      [](const Model& model, const std::vector<Setting>& grid) { return chosen_setting(model.card, grid); },
      nb::arg("model"), nb::arg("grid"));
  module.def("plan", &plan_card, nb::arg("facts"), nb::arg("fields"), nb::arg("ledger") = "",
             nb::arg("norm_assumed") = nb::none());
}

}  // namespace sotto::python
