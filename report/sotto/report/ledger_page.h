#pragma once
#include <string>

#include "sotto/report/figure.h"
#include "sotto/report/ledger_view.h"

/// The parts of a ledger's page that a model's page has too.
namespace sotto::report {

/// Whose budget it is, how releases add up, whether the records could be verified, what would fit.
std::string ledger_facts(const LedgerView& view);
/// One line for each entry: when, who, what, how much.
std::string entries_html(const LedgerView& view);
/// Percent of the budget that were used after each entry; no panel for fewer than two.
Figure spending_figure(const LedgerView& view);

}  // namespace sotto::report
