#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sotto/audit/evidence.h"
#include "sotto/audit/game.h"

/// The whole audit: every layer over the catalogues, or one planned training.
namespace sotto::audit {

struct AuditOptions {
  bool quick = false;           ///< fewer settings and games, for a release check on every change
  std::uint64_t games = 0;      ///< on each neighbour; 0: 2,000 when quick, 20,000 otherwise
  std::uint64_t paths = 10000;  ///< of random adaptive spending
  std::uint64_t seed = 1;       ///< of all that is drawn; 0: from the operating system
  std::string method;           ///< this method alone
  std::string check;            ///< this check alone
  std::function<void(double)> progress;
  GameRules rules() const;
};

/// The names of the checks, in the order they are made.
const std::vector<std::string>& checks();

/// Everything the product promises, layer by layer.
std::vector<Finding> audit_all(const AuditOptions& options);

/// One planned training, on tables of these facts that the audit invents: replay, game and the one-run audit.
struct RequestAudit {
  std::vector<Finding> findings;
  std::string svg;  ///< the trade-off curve promised and the one the games found
};
RequestAudit audit_request(const TrainRequest& request, const Facts& facts, const AuditOptions& options);

}  // namespace sotto::audit
