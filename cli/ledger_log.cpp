#include <fmt/format.h>

#include "ledger_verb.h"
#include "sotto/base/fields.h"
#include "sotto/base/out_file.h"
#include "sotto/base/rounded_text.h"
#include "sotto/base/time_text.h"
#include "sotto/model/filter_json.h"
#include "sotto/privacy/ledger/budget_words.h"
#include "sotto/privacy/ledger/sqlite_ledger.h"
#include "verbs.h"

namespace sotto::cli {

Json entries_json(const std::vector<LedgerEntry>& entries) {
  Json list = Json::array();
  for (const LedgerEntry& entry : entries) {
    list.push_back(Json{{"entry", entry.number},
                        {"state", enum_name(entry.state)},
                        {"cost", to_json(entry.cost)},
                        {"event", entry.event},
                        {"request", entry.request},
                        {"released", entry.released},
                        {"time", time_text(entry.time)}});
  }
  return list;
}

namespace {

/// What an entry gave out, where it says so: "model of epsilon 0.5 by auto".
std::string released_words(SqliteLedger& ledger, const LedgerEntry& entry) {
  if (entry.state != EntryState::released) return {};
  const Json json = Json::parse(ledger.bytes_of(entry), nullptr, false);
  if (!json.is_object()) return {};
  const Json card = json.value("card", Json::object());
  if (card.contains("method") && card.contains("guarantee")) {
    const Json& epsilon = card["guarantee"]["epsilon"];
    if (!epsilon.is_number()) return {};
    return fmt::format("model of epsilon {} by {}", up_text(epsilon.get<double>(), 4),
                       card["method"].get<std::string>());
  }
  const Json cost = json.value("bounds_cost", Json::object());
  return cost.contains("epsilon") ? fmt::format("bounds of epsilon {}", up_text(cost["epsilon"].get<double>(), 4)) : "";
}

struct LogVerb : LedgerVerb {
  using LedgerVerb::LedgerVerb;
  void run(const Output& output) const {
    SqliteLedger ledger(path);
    if (output.json) return output.print(Json{{"entries", entries_json(ledger.entries())}}.dump(2));
    const Filter filter = ledger.filter();
    std::string text;
    for (const LedgerEntry& entry : ledger.entries()) {
      const std::string words = released_words(ledger, entry);
      text += fmt::format("{:>6}  {}  {:<9} {}{}\n        [{}: {}; {}; request {:.12}]\n", entry.number,
                          time_text(entry.time), enum_name(entry.state), part_words(filter, entry.cost),
                          words.empty() ? "" : ", " + words, filter.currency(), Filter::text_of(entry.cost),
                          entry.event, entry.request);
    }
    if (text.empty()) text = "no entries\n";
    text.pop_back();
    output.print(text);
  }
};

struct ExportVerb : LedgerVerb {
  explicit ExportVerb(CLI::App& app) : LedgerVerb(app) {
    app.add_option("--out", out, "write here instead of to standard output")->type_name("FILE");
    app.add_flag("--models", models, "with the stored models");
  }
  void run(const Output& output) const {
    SqliteLedger ledger(path);
    ledger.verify();
    std::string text;
    for (const LedgerRecord& record : ledger.records()) {
      Json json = record_json(record);
      if (models && record.kind == RecordKind::released) json["model"] = model_of(ledger, record.entry);
      text += json.dump() + "\n";
    }
    text.pop_back();
    if (out.empty()) return output.print(text);
    write_file(out, text + "\n");
  }
  static std::string model_of(SqliteLedger& ledger, std::uint64_t number) {
    for (const LedgerEntry& entry : ledger.entries()) {
      if (entry.number == number) return ledger.bytes_of(entry);
    }
    return {};
  }
  static Json record_json(const LedgerRecord& record) {
    return Json{{"sequence", record.sequence},     {"kind", enum_name(record.kind)},
                {"entry", record.entry},           {"time", record.time},
                {"cost_loss", record.cost.loss},   {"cost_delta", record.cost.delta},
                {"spent_loss", record.spent.loss}, {"spent_delta", record.spent.delta},
                {"request", record.request},       {"detail", record.detail},
                {"token", record.token},           {"previous", hex_of(record.previous)},
                {"hash", hex_of(record.hash)}};
  }
  std::string out;
  bool models = false;
};

}  // namespace

void add_ledger_log(CLI::App& ledger, Output& output) {
  add<LogVerb>(ledger, output, "log", "the entries, the oldest first");
  add<ExportVerb>(ledger, output, "export", "every record with its hash as JSON lines, for an independent replay");
}

}  // namespace sotto::cli
