#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "sotto/base/fields.h"
#include "sotto/base/out_file.h"
#include "sotto/data/encoder.h"
#include "sotto/engines/in_memory.h"
#include "sotto/files/load.h"
#include "sotto/files/schema_file.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "sotto/report/page.h"
#include "sotto/report/replication.h"
#include "sotto/report/training.h"
#include "sotto/train.h"
#include "verbs.h"
#include "whole_file.h"

namespace sotto::cli {
namespace {

namespace pages = sotto::report;

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

struct ReportVerb {
  explicit ReportVerb(CLI::App& app) {
    add_threads(app);
    app.add_option("--model", model, "the page of this model: card, trade-off curve, noise, other budgets")
        ->type_name("FILE");
    app.add_option(
           "--ledger", ledger,
           "with --model: the ledger that released this file, and what is left of it; alone: the page of this ledger")
        ->type_name("FILE");
    app.add_option("--data", data, "with --model: labelled rows to evaluate on; what they say is marked NOT PRIVATE")
        ->type_name("FILE");
    app.add_option("--labels-file", labels_file, kLabelsFileHelp)->type_name("FILE");
    app.add_flag("--public-data", is_public, "the rows of --data are public, so the figures may be released");
    app.add_option("--figures", figures, "the page of a replication: report.json and a file a figure in this folder")
        ->type_name("DIR");
    app.add_option("--out", out, "where the page is written")->required()->type_name("FILE");
  }

  void run(const Output& output) const {
    require(model.empty() || figures.empty(), "model", "give --model FILE or --figures DIR, not both");
    require(!(model.empty() && figures.empty() && ledger.empty()), "model",
            "give --model FILE, --ledger FILE or --figures DIR");
    if (!figures.empty()) return run_figures(output);
    if (model.empty()) return run_ledger(output);
    require(!is_public || !data.empty(), "public_data", "is about the rows of --data");
    require(labels_file.empty() || !data.empty(), "labels_file", "is about the rows of --data");
    const std::string text = whole_file(model, "model");
    pages::TrainingReport report = pages::training_report(file_name(model), model_from_text(text, model));
    std::vector<Model> others;
    if (!ledger.empty()) {
      SqliteLedger open(ledger);
      pages::add_ledger(report, open, text);
      if (!data.empty()) others = pages::other_models(open, text);
    }
    if (!data.empty()) report.held_out = evaluated(report, others);
    write_file(out, pages::html_of(report));
    Json json = pages::to_json(report);
    json["page"] = out;
    output.print(output.json ? json.dump(2) : text_of(report));
  }

  void run_ledger(const Output& output) const {
    require(data.empty() && labels_file.empty() && !is_public, "data", "is for the page of a model; give --model too");
    SqliteLedger open(ledger);
    const pages::LedgerView view = pages::view_of(open);
    write_file(out, pages::html_of(view));
    Json json = pages::to_json(view);
    json["page"] = out;
    output.print(output.json ? json.dump(2) : fmt::format("the page of ledger {} is {}", ledger, out));
  }

  void run_figures(const Output& output) const {
    require(ledger.empty() && data.empty(), "figures", "takes neither --ledger nor --data");
    const pages::Replication replication = pages::read_replication(figures, out);
    write_file(out, pages::html_of(replication));
    Json counts = Json::object();
    for (const auto& [name, kind] : enum_names(pages::VerdictKind{})) counts[std::string(name)] = 0;
    for (const auto& figure : replication.figures) {
      Json& count = counts[std::string(enum_name(figure.figure.verdict->kind))];
      count = count.get<int>() + 1;
    }
    const Json json{{"page", out}, {"figures", replication.figures.size()}, {"verdicts", counts}};
    output.print(output.json ? json.dump(2) : fmt::format("{} figures in {}", replication.figures.size(), out));
  }

  pages::HeldOut evaluated(const pages::TrainingReport& report, const std::vector<Model>& others) const {
    std::map<std::string, UsableRows> read;
    const auto rows_for = [&](const Model& one) {
      const auto found = read.find(one.encoding);
      if (found != read.end()) return found->second.rows.view();
      const Encoder encoder(schema_for_other_rows(one.encoding, labels_file));
      return read.emplace(one.encoding, read_usable(data, encoder)).first->second.rows.view();
    };
    pages::HeldOut found = pages::held_out(report, rows_for(report.model));
    found.name = file_name(data);
    found.evaluation.unusable = read.at(report.model.encoding).unusable;
    if (report.plan) {
      found.convergence = pages::convergence(report.model, *report.plan, rows_for(report.model), train_again);
    }
    found.is_public = is_public;
    for (const Model& one : others) {
      if (!(one.card.epsilon > 0)) continue;
      found.released.push_back({one.card.epsilon, evaluate(one, rows_for(one)).accuracy, 0, 1, one.card.method});
    }
    return found;
  }

  static Model train_again(const Method& method, const PlanInput& input, const RowBlock& rows, std::uint64_t seed) {
    TrainRequest request;
    request.problem = input.problem;
    request.method = method;
    request.budget = input.budget;
    request.order_seed = seed;
    InMemoryEngine engine(input.facts, rows);
    BitSource bits(ReproducibleSeed{seed});
    return train(engine, request, bits);
  }

  std::string text_of(const pages::TrainingReport& report) const {
    std::string text = fmt::format("the page of {} is {}", model, out);
    if (report.held_out && !is_public) text += "\nit shows figures computed from the rows of --data: NOT PRIVATE";
    return text;
  }

  std::string model, ledger, data, labels_file, figures, out;
  bool is_public = false;
};

}  // namespace

void add_report(CLI::App& program, Output& output) {
  add<ReportVerb>(program, output, "report",
                  "one page to read: of a model, of a ledger, or of a replication's figures");
}

}  // namespace sotto::cli
