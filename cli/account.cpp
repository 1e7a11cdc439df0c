#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "account_flags.h"
#include "sotto/base/out_file.h"
#include "sotto/base/rounded_text.h"
#include "sotto/privacy/accountant/curve.h"
#include "sotto/report/curves.h"
#include "verbs.h"

namespace sotto::cli {
namespace {

constexpr std::size_t kProfilePoints = 41;

Json bound_json(const Bound& bound) { return Json{{"lower", bound.lower}, {"upper", bound.upper}}; }

/// Which of the two was asked for, and what was given.
struct Asked {
  bool epsilon = true;
  double given = 0;
  const char* name() const { return epsilon ? "epsilon" : "delta"; }
};

Json lines_json(const AccountReport& report, const Asked& asked) {
  Json lines = Json::array();
  for (const AccountLine& line : report.lines) {
    Json entry{{"accountant", enum_name(line.accountant)}};
    if (line.value) {
      entry[asked.name()] = bound_json(*line.value);
      if (!line.detail.empty()) entry["detail"] = line.detail;
      entry["theorem"] = line.theorem;
    } else {
      entry["refused"] = line.refused;
    }
    lines.push_back(entry);
  }
  return lines;
}

/// Whether numerics, not a theorem, may be what keeps the bounds apart.
bool is_wide(const AccountReport& report, const Asked& asked) {
  const double floor = asked.epsilon ? 1e-6 : 0;
  return report.tightest == AccountantChoice::pld &&
         report.value.upper - report.value.lower > 1e-3 * std::max(report.value.upper, floor);
}

std::string report_text(const AccountReport& report, const Asked& asked, Relation relation) {
  std::string text =
      fmt::format("{} at most {} ({} at least {}) at {} {}, {}, by {}\n", asked.name(), up_text(report.value.upper),
                  asked.name(), down_text(report.value.lower), asked.epsilon ? "delta" : "epsilon",
                  number_text(asked.given), enum_name(relation), enum_name(report.tightest));
  for (const AccountLine& line : report.lines) {
    const std::string value = line.value ? up_text(line.value->upper) : "refused";
    const std::string why = line.value ? std::string(line.theorem) : line.refused;
    text += fmt::format("  {:<5} {:<12} {}{}{}\n", enum_name(line.accountant), value, line.detail,
                        line.detail.empty() ? "" : "; ", why);
  }
  if (is_wide(report, asked)) {
    text += "remark: lower and upper are more than 0.1 percent apart; upper holds all the same\n";
  }
  text.pop_back();
  return text;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct AccountVerb {
  explicit AccountVerb(CLI::App& app) : flags(app) {
    app.add_option("--profile", profile, "write delta(epsilon) to this file, .csv or .svg")->type_name("FILE");
    app.add_option("--trade-off", trade, "write the trade-off curve to this CSV file")->type_name("FILE");
  }

  Asked asked() const {
    const bool one = flags.epsilon().has_value() != flags.delta().has_value();
    require(one, "delta", "give --delta for epsilon, or --epsilon for delta");
    return flags.delta() ? Asked{true, *flags.delta()} : Asked{false, *flags.epsilon()};
  }

  void write_curves(const Event& event, const AccountReport& account, const Asked& question) const {
    if (profile.empty() && trade.empty()) return;
    const bool csv = ends_with(profile, ".csv"), svg = ends_with(profile, ".svg");
    require(profile.empty() || csv || svg, "profile", "must end in .csv or .svg");
    const double center = question.epsilon ? account.value.upper : question.given;
    const double most = std::isfinite(center) && center > 0 ? 2 * center : 1;
    const auto points = privacy_profile(event, flags.relation(), most, kProfilePoints);
    if (csv) write_file(profile, profile_csv(points), "profile");
    if (svg) {
      const std::string title = event_text(event) + ", " + std::string(enum_name(flags.relation()));
      write_file(profile, report::svg_file(report::profile_chart(points, title)), "profile");
    }
    if (trade.empty()) return;
    std::vector<double> alphas;
    for (int i = 0; i <= 100; ++i) alphas.push_back(i / 100.0);
    std::string text = "alpha,beta\n";
    for (const TradeOffPoint& p : trade_off(points, alphas))
      text += number_text(p.alpha) + "," + number_text(p.beta) + "\n";
    write_file(trade, text, "trade_off");
  }

  void run(const Output& output) const {
    const Asked question = asked();
    const Relation relation = flags.relation();
    const Event event = flags.plan().event(relation);
    const AccountReport report = question.epsilon ? account_epsilon(event, relation, question.given, flags.accountant())
                                                  : account_delta(event, relation, question.given, flags.accountant());
    write_curves(event, report, question);
    if (!output.json) {
      return output.print(report_text(report, question, relation) +
                          fmt::format("\nevent: {}: {}", event_text(event), rows_text(flags.plan())));
    }
    Json json;
    json[question.name()] = bound_json(report.value);
    json[question.epsilon ? "delta" : "epsilon"] = question.given;
    json["relation"] = enum_name(relation);
    json["unit"] = "one row";
    json["accountant"] = enum_name(report.tightest);
    json["event"] = event_text(event);
    json["accountants"] = lines_json(report, question);
    json["wide"] = is_wide(report, question);
    output.print(json.dump(2));
  }

  AccountFlags flags;
  std::string profile;
  std::string trade;
};

}  // namespace

void add_account(CLI::App& program, Output& output) {
  add<AccountVerb>(program, output, "account", "what a fixed plan of noisy releases promises; reads no row");
}

}  // namespace sotto::cli
