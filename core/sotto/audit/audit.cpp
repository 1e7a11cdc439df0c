#include "sotto/audit/audit.h"

#include <algorithm>
#include <map>

#include "sotto/audit/replay.h"
#include "sotto/base/catalog.h"
#include "sotto/base/error.h"

namespace sotto::audit {
namespace {

using Check = std::function<std::vector<Finding>(const AuditOptions&)>;

std::vector<Finding> replays(const AuditOptions& options) {
  return replay_catalogue(
      {.cases = options.quick ? 60U : 600U, .sampled_cases = options.quick ? 1U : 4U, .method = options.method});
}

/// Checks by name; the first half of the pair says whether it looks at one method at a time.
const std::vector<std::pair<std::string, Check>>& checks_by_name() {
  static const std::vector<std::pair<std::string, Check>> kChecks = {
      {"replay", replays}, {"game", [](const AuditOptions& o) { return game_catalogue(o.rules(), o.method); }}};
  return kChecks;
}

}  // namespace

GameRules AuditOptions::rules() const { return {.games = games > 0 ? games : quick ? 2000U : 20000U, .seed = seed}; }

const std::vector<std::string>& checks() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, check] : checks_by_name()) names.push_back(name);
    return names;
  }();
  return kNames;
}

std::vector<Finding> audit_all(const AuditOptions& options) {
  const auto known = std::find(checks().begin(), checks().end(), options.check) != checks().end();
  require(options.check.empty() || known, "check",
          "got '" + options.check + "', must be " +
              join_names(std::vector<std::string_view>(checks().begin(), checks().end())));
  std::vector<Finding> findings;
  double done = 0;
  for (const auto& [name, check] : checks_by_name()) {
    if (options.check.empty() || options.check == name) {
      for (Finding& one : check(options)) findings.push_back(std::move(one));
    }
    done += 1;
    if (options.progress) options.progress(done / static_cast<double>(checks_by_name().size()));
  }
  return findings;
}

}  // namespace sotto::audit
