#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/schema.h"
#include "sotto/methods/plan.h"

namespace sotto {

/// What a model's reader must know about its privacy, as plain text and numbers: guarantee, relation, noise, events,
/// theorem, parameters, version. It is stored in the model and never recomputed.
struct PrivacyCard {
  struct Noise {
    std::string mechanism = "none";
    std::string added_to = "nothing";
    double scale = 0;
    double stddev = 0;                    ///< of one coordinate of what is noised
    double grid = 0;                      ///< 0: not on a grid
    std::optional<double> delta_num = 0;  ///< none: not known (float noise of older files)
  };
  struct Spent {
    std::string event;
    std::string parameter;
    double value = 0;
    std::uint64_t times = 1;
    std::uint64_t parts = 1;
    /// The value, rounded to the side that costs more: noise down, everything else up.
    std::string rounded_value(int digits) const;
  };

  /// The ledger the run was charged to, in its currency. Without one, other releases from the same rows may add up to
  /// any cost.
  struct LedgerUse {
    bool enforced = false;
    std::string ledger;  ///< its id
    std::uint64_t entry = 0;
    std::string filter;
    std::string currency;
    double epsilon = 0;  ///< the ledger's budget: what all its releases together keep
    double delta = 0;
    std::string cost;   ///< of this run
    std::string spent;  ///< in all, after it; book-keeping
    std::string limit;
    std::string signed_by;  ///< the public key of the ledger that signed the file; empty: nothing is signed
  };

  /// What the positions of one personal epsilon are promised; the guarantee of the card is the largest.
  struct Personal {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t positions = 0;
    double weight = 1;
  };

  std::string method;
  bool is_private = false;
  std::vector<std::string> not_private_because;
  std::string relation;
  std::string unit = "one row";
  std::string released = "final weights";
  double epsilon = 0;
  double delta = 0;
  double l2_sensitivity = 0;
  Noise noise;
  std::vector<Spent> events;
  std::vector<Personal> personal;  ///< empty: every position has the guarantee
  std::string theorem;
  std::vector<std::string> remarks;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< every declared field in its one spelling
  std::uint64_t rows = 0;                                       ///< 0 where the number is private
  std::uint32_t features = 0;
  std::uint32_t classes = 2;
  double data_norm = 0;
  LedgerUse budget;
  std::string version;
};

/// The card of a plan, before or after it was run.
PrivacyCard make_card(const Plan& plan);

/// Adds what finding the bounds of the data cost: the guarantee is that of both together.
void add_bounds_cost(PrivacyCard& card, const BoundsCost& cost);

/// The card as text for a terminal.
std::string card_text(const PrivacyCard& card);
/// The card as one JSON object; its keys are part of the command line's contract.
std::string card_json(const PrivacyCard& card, int indent = 2);

}  // namespace sotto
